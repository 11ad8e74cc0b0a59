// Starts the program itself.
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>

class TestProgram : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void version_isPrinted() {
        QProcess program;
        program.start(binary(), {QStringLiteral("--version")});
        QVERIFY(program.waitForFinished(30'000));
        QCOMPARE(program.exitCode(), 0);
        QVERIFY(program.readAllStandardOutput().contains("0."));
    }

    void option_unknown_isRefused() {
        QProcess program;
        program.start(binary(), {QStringLiteral("--no-such-option")});
        QVERIFY(program.waitForFinished(30'000));
        QVERIFY(program.exitCode() != 0);
    }

    void signals_atAnyMoment_closeCleanly_data() {
        QTest::addColumn<int>("signal");
        QTest::addColumn<int>("wait");
        for (const int wait : {900, 1'400, 2'600}) {
            QTest::addRow("SIGTERM after %d ms", wait) << SIGTERM << wait;
            QTest::addRow("SIGINT after %d ms", wait) << SIGINT << wait;
        }
    }

    void signals_atAnyMoment_closeCleanly() {
        QFETCH(int, signal);
        QFETCH(int, wait);
        const QTemporaryDir profile;
        QProcess program;
        program.start(binary(),
                      {QStringLiteral("--profile"), profile.path(), QStringLiteral("--demo")});
        QVERIFY(program.waitForStarted());
        QTest::qWait(wait);
        QCOMPARE(program.state(), QProcess::Running);
        QCOMPARE(kill(static_cast<pid_t>(program.processId()), signal), 0);
        QVERIFY(program.waitForFinished(10'000));
        QCOMPARE(program.exitStatus(), QProcess::NormalExit);
        QCOMPARE(program.exitCode(), 0);
        const QByteArray errors = program.readAllStandardError();
        QVERIFY2(!errors.contains("QThread"), errors.constData());
        QVERIFY(QFile::exists(profile.filePath(QStringLiteral("config/earscope.ini"))));
    }

private:
    static QString binary() { return QStringLiteral(EARSCOPE_BIN "/earscope"); }
};

QTEST_GUILESS_MAIN(TestProgram)
#include "tst_program.moc"
