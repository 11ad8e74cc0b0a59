#pragma once
#include <QString>

namespace earscope {

/// Folders of the user's own files, as the XDG base directories say.
struct AppPaths {
    QString config;      ///< settings
    QString state;       ///< window layout
    QString recordings;  ///< sound recorded in the window

    static AppPaths fromEnvironment();
    /// Everything below one folder, for tests and portable use.
    static AppPaths inProfile(const QString& folder);

    QString settingsFile() const;
    QString layoutFile() const;
};

}  // namespace earscope
