// What the pages ask others to make, and take whenever it comes; spans, costs and files.
#include "tests/widgets/look/look_values.h"
#include "widgets/look/attention_page.h"
#include "widgets/look/heatmap_panel.h"
#include "widgets/look/heatmap_view.h"
#include "widgets/look/lens_page.h"
#include "widgets/look/saliency_page.h"
#include "widgets/look/word_list.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTabWidget>
#include <QTest>

using namespace earscope;
using made::child;
using made::shared;

namespace {

const QStringList kPieces{QStringLiteral("A"), QStringLiteral(" guitar"), QStringLiteral(".")};

}  // namespace

class TestLookLate : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    void attentionMap_comesLate_whatIsOutdatedIsDropped() {
        AttentionPage page;
        page.setModel(4);
        QSignalSpy wanted(&page, &AttentionPage::mapWanted);
        const auto first = shared(made::attention(50, kPieces));
        page.setAttention(first);
        QCOMPARE(wanted.count(), 0);  // the map is not in front
        child<QTabWidget>(page, "attentionViews")->setCurrentIndex(1);
        QCOMPARE(wanted.count(), 1);
        HeatmapView* view = page.panel()->view();
        QVERIFY(view->map() == nullptr);
        QVERIFY(child<QLabel>(page, "heatmapAbout")->text().contains(QStringLiteral("Preparing")));
        const AttentionChoice all = page.choice();
        const HeatmapPointer map = attentionMap(*first, all);

        child<QComboBox>(page, "attentionHead")->setCurrentIndex(1);
        QCOMPARE(wanted.count(), 2);
        page.setMap(first, all, map);  // of the heads before
        QVERIFY(view->map() == nullptr);
        page.words()->choose(2);
        QCOMPARE(wanted.count(), 2);  // the map has all rows anyway
        const HeatmapPointer head = attentionMap(*first, page.choice());
        page.setMap(first, page.choice(), head);
        QCOMPARE(view->map(), head.get());
        QCOMPARE(view->currentRow(), 2);
        QCOMPARE(page.words()->chosen(), std::vector<int>{2});

        const auto second = shared(made::attention(50, kPieces));
        page.setAttention(second);
        QCOMPARE(wanted.count(), 3);
        page.setMap(first, page.choice(), head);
        QVERIFY(view->map() == nullptr);
        page.setAttention(nullptr);
        page.setMap(second, page.choice(), head);
        QVERIFY(view->map() == nullptr);
    }

    void saliencyMap_comesLate_whatIsOutdatedIsDropped() {
        SaliencyPage page;
        page.setSourceNames({QStringLiteral("left"), QStringLiteral("right")});
        QSignalSpy wanted(&page, &SaliencyPage::mapWanted);
        const auto first = shared(made::saliency(300));
        page.setSaliency(first);
        QCOMPARE(wanted.count(), 1);
        HeatmapView* view = page.panel()->view();
        QVERIFY(view->map() == nullptr);
        // The numbers are there before the map is.
        QVERIFY(page.factsText().contains(QStringLiteral("sums to 1.9000")));
        child<QComboBox>(page, "saliencySource")->setCurrentIndex(1);
        QCOMPARE(wanted.last().front().toInt(), 1);
        page.setMap(first, 0, saliencyMap(*first, 0));
        QVERIFY(view->map() == nullptr);
        const HeatmapPointer map = saliencyMap(*first, 1);
        page.setMap(first, 1, map);
        QCOMPARE(view->map(), map.get());

        page.setSaliency(shared(made::saliency(300)));
        QVERIFY(view->map() == nullptr);
        page.setMap(first, 1, map);
        QVERIFY(view->map() == nullptr);
    }

    void attentionSpan_isTyped_orTakenFromTheCursor() {
        CursorModel cursor;
        made::setTimes(cursor, 400);
        AttentionPage page;
        page.setCursorModel(&cursor);
        page.setModel(4);
        QCOMPARE(page.span(), (std::pair{-1, -1}));
        const auto tokens = shared(made::promptTokens(400));  // 3 + 400 + 1
        page.setTokens(tokens);
        QCOMPARE(page.span(), (std::pair{-1, -1}));
        child<QComboBox>(page, "attentionRows")->setCurrentIndex(1);
        QCOMPARE(page.span(), (std::pair{404 - 48, 404}));
        auto* run = child<QPushButton>(page, "lookRun");
        auto* line = child<QLabel>(page, "lookLine");
        QVERIFY(run->isEnabled());
        QVERIFY(line->text().contains(QStringLiteral("Rows: 48")));

        auto* first = child<QSpinBox>(page, "attentionFirst");
        auto* last = child<QSpinBox>(page, "attentionLast");
        first->setValue(10);
        QVERIFY(!run->isEnabled());
        QVERIFY2(line->text().contains(QStringLiteral("At most 256 positions")),
                 qPrintable(line->text()));
        last->setValue(5);
        QVERIFY(run->toolTip().contains(QStringLiteral("before the first")));
        last->setValue(265);
        QVERIFY(run->isEnabled());
        QCOMPARE(page.span(), (std::pair{10, 266}));

        cursor.lockToken(0, 100);
        auto* take = child<QPushButton>(page, "attentionAtCursor");
        take->click();
        QCOMPARE(page.span(), (std::pair{3 + 76, 3 + 124 + 1}));
        cursor.setRange(0, 20, 39);
        take->click();
        QCOMPARE(page.span(), (std::pair{23, 43}));
        cursor.setRange(0, 0, 399);  // too long: as much of it as can be shown
        take->click();
        QCOMPARE(page.span(), (std::pair{3, 259}));
        QVERIFY(run->isEnabled());
    }

    void attentionOfASpan_isShownTokenByToken() {
        CursorModel cursor;
        made::setTimes(cursor, 50);
        AttentionPage page;
        page.setCursorModel(&cursor);
        page.setModel(4);
        connect(&page, &AttentionPage::mapWanted, &page, [&page] {
            page.setMap(page.attention(), page.choice(),
                        attentionMap(*page.attention(), page.choice()));
        });
        child<QTabWidget>(page, "attentionViews")->setCurrentIndex(1);
        page.setAttention(shared(made::promptAttention(50, 1, 21)));
        QCOMPARE(page.words()->count(), 20);
        const Heatmap* map = page.panel()->view()->map();
        QVERIFY(map != nullptr);
        QCOMPARE(map->values.rows(), qint64(20));
        QCOMPARE(map->values.columns(), qint64(54));
        QCOMPARE(map->rows.numberOf(0), qint64(1));
        QCOMPARE(map->rows.detailOf(0), QStringLiteral("p1"));
        QCOMPARE(map->rows.detailOf(12), QStringLiteral("0.40 s"));
        // Token by token first, with all that can be seen one key away.
        QCOMPARE(page.panel()->view()->firstColumn(), 1.0);
        QCOMPARE(page.panel()->view()->lastColumn(), 21.0);
        page.panel()->view()->fit();
        QCOMPARE(page.panel()->view()->lastColumn(), 54.0);

        page.words()->choose(12);
        QVERIFY2(page.answerText().contains(
                     QStringLiteral("The sound at 0.400 – 0.440 s of source 1 looked most at")),
                 qPrintable(page.answerText()));
        page.words()->choose(1);
        QVERIFY2(page.answerText().contains(QStringLiteral("Position 2: “p2”: there is no sound")),
                 qPrintable(page.answerText()));
        QCOMPARE(page.lanes().front()[9], 0.0);
        page.words()->choose(12);
        QCOMPARE(page.lanes().front()[9], 0.5);
    }

    void attention_ofALongAnswer_letsEveryWordBeChosen() {
        QStringList pieces;
        for (int i = 0; i < 600; ++i) {
            pieces << QStringLiteral(" word%1").arg(i);
        }
        AttentionPage page;
        page.setModel(4);
        page.setAttention(shared(made::attention(700, pieces)));
        QCOMPARE(page.words()->count(), 600);
        page.words()->choose(599);
        QVERIFY2(page.answerText().contains(QStringLiteral("Token 599 (word 600)")),
                 qPrintable(page.answerText()));
        QVERIFY(page.answerText().contains(QStringLiteral("24.360 – 24.400 s")));
    }

    void saliencyCost_isToldFromAMeasuredPass() {
        SaliencyPage page;
        page.show();
        auto* line = child<QLabel>(page, "lookLine");
        auto* measure = child<QPushButton>(page, "saliencyMeasure");
        QVERIFY(measure->isHidden());
        page.setSizes(210, 5);
        QVERIFY(!measure->isHidden());
        QSignalSpy asked(&page, &SaliencyPage::measureRequested);
        measure->click();
        QCOMPARE(asked.count(), 1);
        page.setMeasuring(true);
        QVERIFY(measure->isHidden());
        QVERIFY(line->text().contains(QStringLiteral("being measured")));
        page.setMeasuring(false);
        PassEstimate pass;
        pass.seconds = 1.3;
        pass.forwardSeconds = 0.5;
        pass.bytes = 1'200'000'000;
        page.setPass(pass);
        QVERIFY(measure->isHidden());
        QCOMPARE(line->text(), QStringLiteral("An answer, then one pass forward and backward over "
                                              "210 positions: about 1.3 s, 1.20 GB beside the "
                                              "weights."));
        child<QComboBox>(page, "saliencyMethod")->setCurrentIndex(2);
        QVERIFY2(line->text().contains(QStringLiteral("34 passes")) &&
                     line->text().contains(QStringLiteral("about 43 s, 1.20 GB")),
                 qPrintable(line->text()));
        QVERIFY(!line->text().startsWith(QStringLiteral("Mind")));
        child<QSpinBox>(page, "saliencySteps")->setValue(512);
        QVERIFY2(line->text().startsWith(QStringLiteral("Mind")) &&
                     line->text().contains(QStringLiteral("about 11 min")),
                 qPrintable(line->text()));
        child<QComboBox>(page, "saliencyMethod")->setCurrentIndex(0);
        page.setSizes(9'000, 300);
        QVERIFY2(line->text().startsWith(QStringLiteral("Mind")) &&
                     line->text().contains(QStringLiteral("300 s of sound is long")),
                 qPrintable(line->text()));
        pass.problem = QStringLiteral("saliency needs audio");
        page.setPass(pass);
        QVERIFY(line->text().contains(QStringLiteral("needs audio")));
    }

    void focus_comesBackToTheRunButton_unlessItWasTakenElsewhere() {
        LensPage page;
        page.setModel(4);
        page.showEmpty(QStringLiteral("Not read yet."), EmptyAction::Run);
        page.show();
        QVERIFY(QTest::qWaitForWindowActive(&page));
        auto* run = child<QPushButton>(page, "lookRun");
        child<QPushButton>(page, "lookEmptyAction")->setFocus();
        page.showBusy(QStringLiteral("Reading…"));
        QVERIFY(!run->hasFocus());
        page.setLens(shared(made::lens(20)));
        QVERIFY(run->hasFocus());
        page.showBusy(QStringLiteral("Reading…"));
        auto* top = child<QSpinBox>(page, "lensTopK");
        auto* layers = child<QLineEdit>(page, "lensLayers");
        QWidget* elsewhere = layers->hasFocus() ? static_cast<QWidget*>(top) : layers;
        elsewhere->setFocus();
        page.setLens(shared(made::lens(20)));
        QVERIFY(elsewhere->hasFocus());
    }

    void exportButton_isThereForAResult_alone() {
        LensPage page;
        page.setModel(4);
        auto* button = child<QPushButton>(page, "lookExport");
        QVERIFY(!button->isEnabled());
        QVERIFY(button->toolTip().contains(QStringLiteral("nothing to write")));
        page.setLens(shared(made::lens(20)));
        QVERIFY(button->isEnabled());
        QSignalSpy asked(&page, &LookPage::exportRequested);
        button->click();
        QCOMPARE(asked.count(), 1);
        page.setExportReason(QStringLiteral("An export is running."));
        QVERIFY(!button->isEnabled());
        QCOMPARE(button->toolTip(), QStringLiteral("An export is running."));
        page.setExportReason({});
        page.showBusy(QStringLiteral("Reading…"));
        QVERIFY(!button->isEnabled());
        page.showEnded(QStringLiteral("Wrote 1 kB."));
        QVERIFY(button->isEnabled());
        QVERIFY(child<QLabel>(page, "lookLine")->text().startsWith(QStringLiteral("Wrote 1 kB.")));
    }
};

QTEST_MAIN(TestLookLate)
#include "tst_look_late.moc"
