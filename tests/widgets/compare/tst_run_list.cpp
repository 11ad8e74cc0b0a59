#include "tests/support/run_records.h"
#include "widgets/compare/answers_tab.h"
#include "widgets/compare/run_list_model.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>

using namespace earscope;

class TestRunList : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    void model_growingList_keepsTheRulesOfItemModels() {
        RunListModel model;
        const QAbstractItemModelTester tester(
            &model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        std::vector<std::string> vocabulary;
        model.append(made_run({"a", " b"}, vocabulary, "paper_reference"));
        model.append(made_run({"a", " c"}, vocabulary, "generic_sampled"));
        model.setMarks(0, 1);
        QCOMPARE(model.rowCount(), 2);
        const auto text = [&model](int row, int column) {
            return model.index(row, column).data().toString();
        };
        QCOMPARE(text(0, RunListModel::NumberColumn), QStringLiteral("1"));
        QCOMPARE(text(0, RunListModel::MarkColumn), QStringLiteral("A"));
        QCOMPARE(text(1, RunListModel::MarkColumn), QStringLiteral("B"));
        QCOMPARE(text(1, RunListModel::ProfileColumn), QStringLiteral("generic_sampled"));
        QCOMPARE(text(1, RunListModel::TextColumn), QStringLiteral("a c"));
        QCOMPARE(text(1, RunListModel::RequestColumn),
                 QStringLiteral("Describe this. In two lines."));
        QCOMPARE(text(1, RunListModel::TokensColumn), QStringLiteral("3"));
        QCOMPARE(text(1, RunListModel::SpeedColumn), QStringLiteral("12.5"));
        QCOMPARE(text(1, RunListModel::SourcesColumn), QStringLiteral("25 + 50"));
        QCOMPARE(text(1, RunListModel::FinishColumn), QStringLiteral("model"));
        QVERIFY(!text(1, RunListModel::TimeColumn).isEmpty());
        QCOMPARE(model.title(1), QStringLiteral("#2 · tiny · generic_sampled"));
    }

    void runs_editedOrContinued_areMarked() {
        RunListModel model;
        AnswersTab tab;
        tab.setModel(&model);
        tab.show();
        std::vector<std::string> vocabulary;
        const RunPointer plain = made_run({"a"}, vocabulary, "paper_reference");
        RunRecord changed = *plain;
        changed.edits = {"layers:0-0=zero", "layers:1-1=scale:2"};
        changed.continued = {3, {7, " B"}};
        model.append(plain);
        auto* changes = tab.findChild<QLabel*>(QStringLiteral("runChanges"));
        QVERIFY(!changes->isVisible());
        model.append(std::make_shared<const RunRecord>(changed));
        const auto cell = [&model](int row) {
            return model.index(row, RunListModel::ChangesColumn).data().toString();
        };
        QCOMPARE(cell(0), QString());
        QCOMPARE(cell(1), QStringLiteral("2 edits, continued"));
        QCOMPARE(model.title(1),
                 QStringLiteral("#2 · tiny · paper_reference · 2 edits, continued"));
        QVERIFY(changes->isVisible());
        QVERIFY(changes->text().startsWith(
            QStringLiteral("EDITED · made under: layers:0-0=zero, layers:1-1=scale:2")));
        QVERIFY(changes->text().contains(QStringLiteral("Continued from token 3 with “ B”")));
        tab.selectRow(0);
        QVERIFY(!changes->isVisible());
    }

    void tab_withoutRuns_saysWhatComesHere() {
        RunListModel model;
        AnswersTab tab;
        tab.setModel(&model);
        tab.show();
        QVERIFY(tab.findChild<QLabel*>(QStringLiteral("answersEmpty"))->isVisible());
        std::vector<std::string> vocabulary;
        model.append(made_run({"x"}, vocabulary, "paper_reference"));
        QVERIFY(!tab.findChild<QLabel*>(QStringLiteral("answersEmpty"))->isVisible());
        QCOMPARE(tab.currentRow(), 0);
    }

    void tab_keysAndButtons_choose_copyAndCompare() {
        RunListModel model;
        AnswersTab tab;
        tab.setModel(&model);
        tab.show();
        std::vector<std::string> vocabulary;
        model.append(made_run({"one", " answer"}, vocabulary, "paper_reference"));
        model.append(made_run({"another"}, vocabulary, "generic_sampled"));
        QCOMPARE(tab.currentRow(), 1);
        QCOMPARE(tab.findChild<QPlainTextEdit*>(QStringLiteral("runText"))->toPlainText(),
                 QStringLiteral("another"));
        QSignalSpy a(&tab, &AnswersTab::chosenAsA);
        QSignalSpy b(&tab, &AnswersTab::chosenAsB);
        QSignalSpy compare(&tab, &AnswersTab::compareRequested);
        auto* table = tab.findChild<QTableView*>(QStringLiteral("runTable"));
        QTest::keyClick(table, Qt::Key_Up);
        QCOMPARE(tab.currentRow(), 0);
        QTest::keyClick(table, Qt::Key_A);
        QCOMPARE(a.count(), 1);
        QCOMPARE(a.front().front().toInt(), 0);
        tab.selectRow(1);
        QTest::keyClick(table, Qt::Key_B);
        QCOMPARE(b.front().front().toInt(), 1);
        auto* button = tab.findChild<QPushButton*>(QStringLiteral("compareMarked"));
        QVERIFY(!button->isEnabled());
        model.setMarks(0, 1);
        QVERIFY(button->isEnabled());
        button->click();
        QCOMPARE(compare.count(), 1);
        tab.findChild<QPushButton*>(QStringLiteral("copyRunText"))->click();
        QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("another"));
    }
};

QTEST_MAIN(TestRunList)
#include "tst_run_list.moc"
