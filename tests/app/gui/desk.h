#pragma once
#include "app/gui/main_window.h"

#include <QTemporaryDir>

#include <memory>

namespace earscope::testing {

/// A window with a profile of its own.
struct Desk {
    QTemporaryDir folder;
    std::unique_ptr<MainWindow> window =
        std::make_unique<MainWindow>(AppPaths::inProfile(folder.path()));

    /// The widget or action of this object name; null when there is none.
    template <typename T>
    T* part(const char* name) {
        return window->findChild<T*>(QString::fromLatin1(name));
    }
};

}  // namespace earscope::testing
