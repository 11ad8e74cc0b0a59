#include "app/gui/app_paths.h"

#include <QDir>

namespace earscope {
namespace {

/// An XDG variable counts only if it holds an absolute path.
QString xdgFolder(const char* variable, const QString& fallback) {
    const QString value = qEnvironmentVariable(variable);
    const QString base = QDir::isAbsolutePath(value) ? value : QDir::home().filePath(fallback);
    return QDir(base).filePath(QStringLiteral("earscope"));
}

}  // namespace

AppPaths AppPaths::fromEnvironment() {
    return {
        xdgFolder("XDG_CONFIG_HOME", QStringLiteral(".config")),
        xdgFolder("XDG_STATE_HOME", QStringLiteral(".local/state")),
        xdgFolder("XDG_DATA_HOME", QStringLiteral(".local/share")) + QStringLiteral("/recordings")};
}

AppPaths AppPaths::inProfile(const QString& folder) {
    const QDir dir(folder);
    return {dir.absoluteFilePath(QStringLiteral("config")),
            dir.absoluteFilePath(QStringLiteral("state")),
            dir.absoluteFilePath(QStringLiteral("recordings"))};
}

QString AppPaths::settingsFile() const {
    return QDir(config).filePath(QStringLiteral("earscope.ini"));
}
QString AppPaths::layoutFile() const {
    return QDir(state).filePath(QStringLiteral("layout.ini"));
}

}  // namespace earscope
