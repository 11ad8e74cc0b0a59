// Help > Self-check runs both demonstration models and says what came of it.
#include "app/gui/self_check_dialog.h"
#include "core/bridge/session_controller.h"

#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableWidget>
#include <QTest>

using namespace earscope;

class TestSelfCheckDialog : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() {
        QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not)")));
    }

    void run_demo_listsEveryStageOfBothModels() {
        SessionController session;
        SelfCheckDialog dialog(session);
        QSignalSpy checked(&session, &SessionController::selfChecked);
        dialog.show();
        QVERIFY(dialog.report().isEmpty());
        dialog.findChild<QPushButton*>(QStringLiteral("selfCheckRun"))->click();
        QVERIFY(checked.wait(60000));
        const auto* table = dialog.findChild<QTableWidget*>(QStringLiteral("selfCheckTable"));
        QVERIFY(table->rowCount() >= 18);
        QCOMPARE(table->item(0, 0)->text(), QStringLiteral("Music Flamingo"));
        QCOMPARE(table->item(table->rowCount() - 1, 0)->text(), QStringLiteral("MOSS-Music"));
        for (int row = 0; row < table->rowCount(); ++row) {
            QVERIFY2(table->item(row, 4)->text().contains(QStringLiteral("equal")),
                     qPrintable(table->item(row, 1)->text()));
        }
        QVERIFY(lineOf(dialog).startsWith(QStringLiteral("This build computes")));
        QVERIFY(dialog.report().contains(QStringLiteral("projected")));
    }

    void run_missingModels_saysSoAndCanRunAgain() {
        qputenv("EARSCOPE_DEMO", "/nonexistent");
        SessionController session;
        SelfCheckDialog dialog(session);
        QSignalSpy failed(&session, &SessionController::failed);
        dialog.run();
        QVERIFY(failed.wait(10000));
        qunsetenv("EARSCOPE_DEMO");
        QVERIFY2(lineOf(dialog).contains(QStringLiteral("selfcheck.safetensors")),
                 qPrintable(lineOf(dialog)));
        QSignalSpy checked(&session, &SessionController::selfChecked);
        dialog.run();
        QVERIFY(checked.wait(60000));
    }

    void close_whileRunning_cancels() {
        SessionController session;
        SelfCheckDialog dialog(session);
        QSignalSpy cancelled(&session, &SessionController::cancelled);
        QSignalSpy checked(&session, &SessionController::selfChecked);
        dialog.show();
        dialog.run();
        dialog.reject();
        QTRY_VERIFY(!session.isBusy());
        QCOMPARE(cancelled.count() + checked.count(), 1);
    }

private:
    static QString lineOf(const SelfCheckDialog& dialog) {
        return dialog.findChild<QLabel*>(QStringLiteral("selfCheckLine"))->text();
    }
};

QTEST_MAIN(TestSelfCheckDialog)
#include "tst_self_check_dialog.moc"
