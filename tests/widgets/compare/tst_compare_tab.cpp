#include "core/compare/comparison.h"
#include "tests/support/run_records.h"
#include "widgets/compare/compare_tab.h"
#include "widgets/compare/diff_column.h"
#include "widgets/compare/parameter_model.h"
#include "widgets/compare/run_dialogs.h"
#include "widgets/compare/run_list_model.h"

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTabWidget>
#include <QTest>
#include <QToolButton>

using namespace earscope;

namespace {

/// A list with two runs in a tab, as the controller shows them.
struct Pair {
    RunListModel model;
    CompareTab tab;

    Pair(const std::vector<std::string>& a, const std::vector<std::string>& b) {
        std::vector<std::string> vocabulary;
        model.append(made_run(a, vocabulary, "paper_reference"));
        model.append(made_run(b, vocabulary, "generic_sampled"));
        tab.setModel(&model);
        QObject::connect(&tab, &CompareTab::chosenChanged, &tab, [this](int left, int right) {
            const RunPointer runA = left < 0 ? nullptr : model.run(left);
            const RunPointer runB = right < 0 ? nullptr : model.run(right);
            tab.setRuns(runA, runB,
                        runA && runB ? std::optional(compare_runs(*runA, *runB)) : std::nullopt);
        });
        tab.resize(800, 400);
        tab.show();
    }
    QString label(const char* name) { return tab.findChild<QLabel*>(QLatin1String(name))->text(); }
};

std::vector<std::string> longText(const std::string& word, int count) {
    std::vector<std::string> pieces;
    for (int i = 0; i < count; ++i) {
        pieces.push_back(word + std::to_string(i) + "\n");
    }
    return pieces;
}

}  // namespace

class TestCompareTab : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    void empty_withoutTwoRuns_offersToRunBothProfiles() {
        Pair stage({"a"}, {"b"});
        QCOMPARE(stage.label("compareEmpty"), QStringLiteral("Choose two runs."));
        QSignalSpy both(&stage.tab, &CompareTab::runBothRequested);
        stage.tab.setRunReason(QStringLiteral("Open a model first."));
        auto* button = stage.tab.findChild<QPushButton*>(QStringLiteral("runBothEmpty"));
        QVERIFY(!button->isEnabled());
        QCOMPARE(button->toolTip(), QStringLiteral("Open a model first."));
        stage.tab.setRunReason({});
        button->click();
        QCOMPARE(both.count(), 1);
    }

    void runs_thatPart_areMarkedFromThereOn() {
        Pair stage({"It", " is", " slow", " music"}, {"It", " is", " fast", " music", "!"});
        stage.tab.setChosen(0, 1);
        QCOMPARE(stage.tab.columnA()->shownText(), QStringLiteral("It is slow music"));
        QCOMPARE(stage.tab.columnB()->shownText(), QStringLiteral("It is fast music!"));
        QCOMPARE(stage.tab.columnA()->tokensHereOnly(), (std::vector<int>{2}));
        QCOMPARE(stage.tab.columnB()->tokensHereOnly(), (std::vector<int>{2, 4}));
        QCOMPARE(stage.tab.columnA()->divergence(), 2);
        // Signs stand beside the colours.
        QCOMPARE(stage.tab.columnA()->toPlainText(),
                 QStringLiteral("It is▶− slow music<|im_end|>"));
        QCOMPARE(stage.tab.columnB()->toPlainText(),
                 QStringLiteral("It is▶+ fast music+!<|im_end|>"));
        QVERIFY(stage.label("divergence").contains(QStringLiteral("token 2: A has “ slow”")));
        QVERIFY(stage.label("precondition").contains(QStringLiteral("✓ same audio")));
        QVERIFY(stage.label("factsA").contains(QLatin1String("audio 25 + 50")));
        QVERIFY(stage.label("titleB").contains(QLatin1String("generic_sampled")));
        QCOMPARE(stage.model.markA(), 0);
        QCOMPARE(stage.model.markB(), 1);
    }

    void swap_exchangesBothColumns() {
        Pair stage({"a", " b"}, {"a", " c"});
        stage.tab.setChosen(0, 1);
        stage.tab.findChild<QToolButton*>(QStringLiteral("swapRuns"))->click();
        QCOMPARE(stage.tab.chosenA(), 1);
        QCOMPARE(stage.tab.columnA()->shownText(), QStringLiteral("a c"));
        QCOMPARE(stage.tab.columnB()->shownText(), QStringLiteral("a b"));
        QCOMPARE(stage.model.markA(), 1);
    }

    void runs_thatAreEqual_haveNoDivergence() {
        Pair stage({"a", " b"}, {"a", " b"});
        stage.tab.setChosen(0, 1);
        QVERIFY(stage.tab.columnA()->tokensHereOnly().empty());
        QCOMPARE(stage.tab.columnA()->divergence(), -1);
        QVERIFY(stage.label("divergence").contains(QLatin1String("the same")));
        QVERIFY(!stage.tab.findChild<QPushButton*>(QStringLiteral("showDivergence"))->isVisible());
    }

    void scrolling_locked_movesBothColumns() {
        std::vector<std::string> b = longText("same", 200);
        b.insert(b.begin() + 50, "only here\n");
        Pair stage(longText("same", 200), b);
        stage.tab.setChosen(0, 1);
        DiffColumn* columnA = stage.tab.columnA();
        DiffColumn* columnB = stage.tab.columnB();
        columnA->scrollToToken(120);
        QCOMPARE(columnA->topToken(), 120);
        QCOMPARE(columnB->topToken(), 121);  // the same line, one token later
        columnB->verticalScrollBar()->setValue(columnB->verticalScrollBar()->maximum());
        QCOMPARE(columnA->verticalScrollBar()->value(), columnA->verticalScrollBar()->maximum());
        stage.tab.findChild<QCheckBox*>(QStringLiteral("lockScrolling"))->setChecked(false);
        columnA->verticalScrollBar()->setValue(0);
        QCOMPARE(columnB->verticalScrollBar()->value(), columnB->verticalScrollBar()->maximum());
        stage.tab.findChild<QPushButton*>(QStringLiteral("showDivergence"))->click();
        QVERIFY(columnA->topToken() <= 50 && columnA->topToken() > 30);
    }

    void parameters_thatDiffer_areBoldAndSigned() {
        ParameterModel model;
        const QAbstractItemModelTester tester(
            &model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setParameters({{"top_k", "20", "20", false}, {"seed", "1", "2", true}});
        QCOMPARE(model.differing(), 1);
        QCOMPARE(model.index(0, ParameterModel::SignColumn).data().toString(), QStringLiteral("≠"));
        QVERIFY(model.index(0, ParameterModel::BColumn).data(Qt::FontRole).value<QFont>().bold());
        QVERIFY(!model.index(1, ParameterModel::BColumn).data(Qt::FontRole).isValid());
        model.setParameters({});
    }

    void changedCopy_startsFromTheRunAndKeepsItsProfile() {
        RunSpec start;
        start.maxNewTokens = 77;
        start.seed = 5;
        ChangedCopyDialog dialog(start);
        dialog.findChild<QDoubleSpinBox*>(QStringLiteral("changedTemperature"))->setValue(1.25);
        dialog.findChild<QSpinBox*>(QStringLiteral("changedTopK"))->setValue(3);
        const RunSpec spec = dialog.spec();
        QVERIFY(spec.changed && spec.changed->sample);
        QCOMPARE(spec.changed->temperature, 1.25);
        QCOMPARE(spec.changed->topK, 3);
        QCOMPARE(spec.maxNewTokens, 77);
        QCOMPARE(spec.seed, quint64{5});
        QCOMPARE(spec.profile, QStringLiteral("paper_reference"));
        dialog.findChild<QCheckBox*>(QStringLiteral("changedSample"))->setChecked(false);
        QVERIFY(!dialog.findChild<QSpinBox*>(QStringLiteral("changedSeed"))->isEnabled());
        QVERIFY(!dialog.spec().changed->sample);
    }

    void otherModel_withoutAny_cannotRun() {
        OtherModelDialog dialog({});
        auto* run = dialog.findChild<QPushButton*>(QStringLiteral("runButton"));
        QVERIFY(!run->isEnabled());
        dialog.setFolder(QStringLiteral("/models/tiny"));
        QVERIFY(run->isEnabled());
        QCOMPARE(dialog.folder(), QStringLiteral("/models/tiny"));
        QCOMPARE(dialog.findChild<QComboBox*>(QStringLiteral("otherModel"))->currentText(),
                 QStringLiteral("tiny"));
    }
};

QTEST_MAIN(TestCompareTab)
#include "tst_compare_tab.moc"
