#pragma once
// Runs the built program as a user would.
#include <QFile>
#include <QProcess>
#include <QProcessEnvironment>
#include <QString>
#include <QStringList>

namespace earscope::testing {

struct CliResult {
    int status = -1;  ///< -1: did not start, crashed, or took over two minutes
    QByteArray out;
    QByteArray err;

    /// What every refusal must be: status 3, one line that says why, nothing on stdout.
    bool isRefusal() const {
        return status == 3 && out.isEmpty() && err.endsWith('\n') && err.count('\n') == 1;
    }
};

inline QString cliProgram() {
    return QStringLiteral(EARSCOPE_BIN "/earscope-cli");
}

inline QString fixture(const char* name) {
    return QStringLiteral(EARSCOPE_FIXTURES "/mf-tiny/") + QLatin1String(name);
}

inline CliResult finished(QProcess& process, const QByteArray& input = {}) {
    CliResult result;
    if (!process.waitForStarted()) {
        return result;
    }
    process.write(input);
    process.closeWriteChannel();
    const bool ended = process.waitForFinished(120'000);
    if (!ended) {
        process.kill();
        process.waitForFinished();
    }
    result.out = process.readAllStandardOutput();
    result.err = process.readAllStandardError();
    if (ended && process.exitStatus() == QProcess::NormalExit) {
        result.status = process.exitCode();
    }
    return result;
}

inline CliResult runCli(const QStringList& arguments, const QByteArray& input = {}) {
    QProcess process;
    process.start(cliProgram(), arguments);
    return finished(process, input);
}

/// Runs a line of sh in which $CLI is the program, $SET the fixtures and $DIR a folder, for
/// redirections and bytes that no QString holds.
inline CliResult runShell(const QString& script, const QString& folder = {}) {
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("CLI"), cliProgram());
    environment.insert(QStringLiteral("SET"), fixture(""));
    environment.insert(QStringLiteral("DIR"), folder);
    process.setProcessEnvironment(environment);
    process.start(QStringLiteral("/bin/sh"), {QStringLiteral("-c"), script});
    return finished(process);
}

inline QStringList words(const char* text) {
    return QString::fromUtf8(text).split(QLatin1Char(' '), Qt::SkipEmptyParts);
}

inline void writeFile(const QString& name, const QByteArray& content) {
    QFile file(name);
    if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size()) {
        qFatal("cannot write %s", qPrintable(name));
    }
}

}  // namespace earscope::testing
