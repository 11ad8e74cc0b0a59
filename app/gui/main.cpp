#include "app/gui/app_paths.h"
#include "app/gui/main_window.h"
#include "app/gui/quit_signals.h"
#include "app/gui/theme.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QIcon>
#include <QPointer>

#include <cstdio>
#include <exception>

namespace {

/// Nothing may be thrown out of an event handler; what is thrown all the same must not end the
/// program with unsaved work.
class SafeApplication : public QApplication {
public:
    using QApplication::QApplication;

    void setWindow(earscope::MainWindow* window) { window_ = window; }

    bool notify(QObject* receiver, QEvent* event) override {
        try {
            return QApplication::notify(receiver, event);
        } catch (const std::exception& error) {
            report(QString::fromUtf8(error.what()));
        } catch (...) {
            report(tr("unknown error"));
        }
        return false;
    }

private:
    void report(const QString& what) {
        std::fprintf(stderr, "earscope: %s\n", qUtf8Printable(what));
        if (window_) {
            window_->reportProblem(tr("An internal error was caught: %1").arg(what));
        }
    }

    QPointer<earscope::MainWindow> window_;
};

}  // namespace

int main(int argc, char** argv) {
    SafeApplication app(argc, argv);
    QCoreApplication::setApplicationName(QStringLiteral("earscope"));
    QCoreApplication::setApplicationVersion(QStringLiteral(EARSCOPE_VERSION));
    QGuiApplication::setApplicationDisplayName(QStringLiteral("Earscope"));
    QGuiApplication::setWindowIcon(QIcon(QStringLiteral(":/earscope/icons/earscope.svg")));
    QGuiApplication::setDesktopFileName(QStringLiteral("earscope"));

    QCommandLineParser parser;
    parser.setApplicationDescription(
        QApplication::translate("main", "Research workbench for music language models."));
    parser.addHelpOption();
    parser.addVersionOption();
    const QCommandLineOption demo(
        QStringLiteral("demo"),
        QApplication::translate("main", "Open the demonstration model and its sound clips."));
    const QCommandLineOption profile(
        QStringLiteral("profile"),
        QApplication::translate("main", "Keep settings, layout and recordings in this folder."),
        QStringLiteral("folder"));
    const QCommandLineOption theme(
        QStringLiteral("theme"), QApplication::translate("main", "Colours: system, light or dark."),
        QStringLiteral("name"));
    parser.addOptions({demo, profile, theme});
    parser.addPositionalArgument(
        QStringLiteral("files"),
        QApplication::translate("main", "Sound files to add, or the folder of a model to open."),
        QStringLiteral("[files...]"));
    parser.process(app);

    const auto paths = parser.isSet(profile) ? earscope::AppPaths::inProfile(parser.value(profile))
                                             : earscope::AppPaths::fromEnvironment();
    earscope::MainWindow window(paths);
    app.setWindow(&window);
    const earscope::QuitSignals signals_;
    QObject::connect(&signals_, &earscope::QuitSignals::quitRequested, &window,
                     &earscope::MainWindow::closeNow);
    if (parser.isSet(theme)) {
        window.setTheme(earscope::themeOfName(parser.value(theme)));
    }
    window.show();
    if (parser.isSet(demo)) {
        window.openDemo();
    }
    window.openArguments(parser.positionalArguments());
    return QApplication::exec();
}
