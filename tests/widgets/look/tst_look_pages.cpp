#include "tests/widgets/look/look_values.h"
#include "widgets/look/alternatives_page.h"
#include "widgets/look/attention_page.h"
#include "widgets/look/cursor_bar.h"
#include "widgets/look/heatmap_panel.h"
#include "widgets/look/heatmap_view.h"
#include "widgets/look/layers_page.h"
#include "widgets/look/lens_page.h"
#include "widgets/look/look_tab.h"
#include "widgets/look/probe_form.h"
#include "widgets/look/probes_page.h"
#include "widgets/look/saliency_page.h"
#include "widgets/look/word_list.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableView>
#include <QTableWidget>
#include <QTest>

using namespace earscope;
using made::child;
using made::shared;

namespace {

const QStringList kPieces{QStringLiteral("A"),   QStringLiteral(" gui"),
                          QStringLiteral("tar"), QStringLiteral(" plays"),
                          QStringLiteral("."),   QStringLiteral("<|im_end|>")};

}  // namespace

class TestLookPages : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void frame_withoutModel_offersToOpenOne_thenToRun() {
        LensPage page;
        page.show();
        page.setRunReason(QStringLiteral("Open a model first."));
        page.showEmpty(QStringLiteral("Open a model first."), EmptyAction::OpenModel);
        auto* run = child<QPushButton>(page, "lookRun");
        auto* action = child<QPushButton>(page, "lookEmptyAction");
        QVERIFY(!run->isEnabled());
        QCOMPARE(run->toolTip(), QStringLiteral("Open a model first."));
        QVERIFY(action->isVisible() && action->isEnabled());
        QSignalSpy open(&page, &LookPage::openModelRequested);
        action->click();
        QCOMPARE(open.count(), 1);

        page.setRunReason({});
        page.setModel(4);
        page.showEmpty(QStringLiteral("Not read yet."), EmptyAction::Run);
        QVERIFY(run->isEnabled());
        QSignalSpy asked(&page, &LookPage::runRequested);
        action->click();
        run->click();
        QCOMPARE(asked.count(), 2);
        page.showBusy(QStringLiteral("Reading…"));
        QVERIFY(!run->isEnabled());
        QCOMPARE(child<QLabel>(page, "lookLine")->text(), QStringLiteral("Reading…"));
        page.showEnded(QStringLiteral("Cancelled."));
        QVERIFY(run->isEnabled());
    }

    void frame_edits_areMarkedBeforeAndAfter() {
        LensPage page;
        page.show();
        page.setModel(4);
        page.setPendingEdits({QStringLiteral("m@all=zero")});
        QVERIFY(child<QLabel>(page, "lookLine")->text().contains(QStringLiteral("m@all=zero")));
        LensValue value = made::lens(20);
        value.edits = QStringList{QStringLiteral("m@all=zero")};
        page.setLens(shared(value));
        auto* edited = child<QLabel>(page, "lookEdited");
        QVERIFY(edited->isVisible());
        QVERIFY(edited->text().startsWith(QStringLiteral("EDITED")));
        page.setLens(shared(made::lens(20)));
        QVERIFY(!edited->isVisible());
    }

    void lens_atTheCursor_saysWhatTheModelWouldSay() {
        CursorModel cursor;
        made::setTimes(cursor, 400);
        LensPage page;
        page.setCursorModel(&cursor);
        page.setModel(4);
        page.setLens(shared(made::lens(400)));
        cursor.lock(0, 12.5);
        // 12.5 s is in token 312, the last row is the end of the model.
        QVERIFY2(page.answerText().contains(QStringLiteral("“4:312” (50.0 %)")),
                 qPrintable(page.answerText()));
        QVERIFY(page.answerText().contains(QStringLiteral("12.480 – 12.520 s of source 1")));
        QVERIFY(page.answerText().contains(QStringLiteral("the end of the model")));
        page.panel()->table()->setCurrentIndex(page.panel()->table()->model()->index(1, 30));
        QCOMPARE(cursor.token(), 30);
        QVERIFY(page.answerText().contains(QStringLiteral("hidden state 2 says “2:30”")));
        QCOMPARE(child<QTableWidget>(page, "lensChoices")->rowCount(), 2);
        const QAbstractItemModelTester tester(page.panel()->table()->model());
    }

    void lens_faultySettings_disableTheButtonAndSayWhy() {
        LensPage page;
        page.setModel(4);
        child<QLineEdit>(page, "lensLayers")->setText(QStringLiteral("9"));
        auto* run = child<QPushButton>(page, "lookRun");
        QVERIFY(!run->isEnabled());
        QVERIFY(run->toolTip().contains(QStringLiteral("from 0 to 4")));
        child<QLineEdit>(page, "lensLayers")->setText(QStringLiteral("0, -1"));
        QVERIFY(run->isEnabled());
        QCOMPARE(page.layers(), (std::vector<int>{0, 4}));
    }

    void words_areCountedOverTokens() {
        const std::vector<int> expected{1, 2, 2, 3, 3, 0};
        QCOMPARE(wordNumbers(made::answerTokens(0, kPieces)), expected);
    }

    void attention_ofAWord_saysWhereItLooked_andGivesLanes() {
        CursorModel cursor;
        made::setTimes(cursor, 50, 2);
        AttentionPage page;
        page.setCursorModel(&cursor);
        page.setModel(4);
        QSignalSpy lanes(&page, &AttentionPage::lanesChanged);
        page.setAttention(shared(made::attention(50, kPieces)));
        page.words()->choose(3);
        QVERIFY(lanes.count() > 0);
        QVERIFY2(page.answerText().contains(QStringLiteral("(word 3): “ plays” looked most at "
                                                           "0.520 – 0.560 s of source 1 (50.0 %")),
                 qPrintable(page.answerText()));
        QCOMPARE(page.lanes().size(), std::size_t(2));
        QCOMPARE(page.lanes()[0].size(), std::size_t(50));
        QCOMPARE(page.lanes()[0][13], 0.5);
        QCOMPARE(page.lanes()[1][13], 0.0);
        QVERIFY(child<QLabel>(page, "attentionShares")
                    ->text()
                    .contains(QStringLiteral("source 1: 50.0 % · source 2: 0.00 % · text of the "
                                             "prompt: 50.0 %")));
        auto* seconds = child<QTableWidget>(page, "attentionSeconds");
        seconds->selectRow(1);
        QCOMPARE(cursor.token(), 13);

        page.setAttention(nullptr);
        QVERIFY(page.lanes().empty());
    }

    void attention_ofSeveralTokens_isTheirMean_andSumsToOne() {
        const AttentionValue value = made::attention(50, kPieces);
        const std::vector<double> mean = meanWeights(value, {{0}, {}, {1, 2}});
        QCOMPARE(mean[0], 0.5);
        QCOMPARE(mean[14], 0.25);
        QCOMPARE(mean[15], 0.25);
        double sum = 0;
        for (const double weight : mean) {
            sum += weight;
        }
        QVERIFY(std::abs(sum - 1) < 1e-12);
        const HeatmapPointer map = attentionMap(value, {});
        QCOMPARE(map->values.rows(), qint64(6));
        QCOMPARE(map->values.at(2, 15), 0.5F);
        QCOMPARE(map->columns.tokens->size(), std::size_t(map->values.columns()));
    }

    void saliency_integrated_showsSumAndDifference_sharesAndMaps() {
        SaliencyPage page;
        page.setSourceNames({QStringLiteral("left"), QStringLiteral("right")});
        QSignalSpy overlay(&page, &SaliencyPage::overlayChanged);
        connect(&page, &SaliencyPage::mapWanted, &page, [&page](int source) {
            page.setMap(page.saliency(), source, saliencyMap(*page.saliency(), source));
        });
        page.setSaliency(shared(made::saliency(300)));
        QCOMPARE(overlay.count(), 1);
        QVERIFY2(page.factsText().contains(QStringLiteral("sums to 1.9000")),
                 qPrintable(page.factsText()));
        QVERIFY(page.factsText().contains(QStringLiteral("= 2.0000")));
        auto* shares = child<QTableWidget>(page, "saliencyShares");
        QCOMPARE(shares->rowCount(), 2);
        QCOMPARE(shares->item(0, 1)->text(), QStringLiteral("75.0 %"));
        QCOMPARE(shares->item(0, 3)->text(), QStringLiteral("0.50 s"));
        shares->selectRow(1);
        QCOMPARE(page.panel()->view()->map()->full.high, 1.0F);
    }

    void saliency_token_followsTheWords_longSourcesWarn() {
        SaliencyPage page;
        page.setAnswer(made::answerTokens(10, kPieces));
        page.words()->choose(4);
        QCOMPARE(page.token(), 4);
        child<QSpinBox>(page, "saliencyToken")->setValue(2);
        QCOMPARE(page.words()->chosen(), std::vector<int>{2});
        child<QComboBox>(page, "saliencyMethod")->setCurrentIndex(2);
        QCOMPARE(page.method(), QStringLiteral("integrated:32"));
        page.setSizes(200, 5);
        auto* line = child<QLabel>(page, "lookLine");
        QVERIFY(!line->text().contains(QStringLiteral("Mind")));
        QVERIFY(line->text().contains(QStringLiteral("34 passes")));
        page.setSizes(9'000, 300);
        QVERIFY(line->text().startsWith(QStringLiteral("Mind")));
    }

    void alternatives_ofAWord_canBeContinued() {
        AlternativesPage page;
        page.setAlternatives(shared(made::alternatives(kPieces)));
        page.words()->choose(3);
        QVERIFY2(page.answerText().contains(QStringLiteral("(word 3): “ plays”: probability 60.00 "
                                                           "%, log-probability -0.511, entropy "
                                                           "1.250 nats")),
                 qPrintable(page.answerText()));
        auto* top = child<QTableWidget>(page, "alternativesTop");
        auto* go = child<QPushButton>(page, "alternativesContinue");
        QVERIFY(!go->isEnabled());
        top->selectRow(0);
        QVERIFY(!go->isEnabled());
        QVERIFY(go->toolTip().contains(QStringLiteral("taken already")));
        top->selectRow(1);
        QVERIFY(go->isEnabled());
        QSignalSpy asked(&page, &AlternativesPage::continueRequested);
        go->click();
        QCOMPARE(asked.first(), (QVariantList{3, qint64(42)}));
        page.setContinueReason(QStringLiteral("busy"));
        QVERIFY(!go->isEnabled());
        QCOMPARE(child<QTableWidget>(page, "alternativesTokens")->rowCount(), 6);
    }

    void probes_formMakesTheCommandLinesText() {
        ProbesPage page;
        ProbeForm& form = *page.form();
        form.setSources(2);
        auto* add = child<QPushButton>(page, "probeAdd");
        QVERIFY(!add->isEnabled());
        form.setModule(QStringLiteral("layers:0-1"));
        QSignalSpy probes(&page, &ProbesPage::probesChanged);
        add->click();
        auto* scope = child<QComboBox>(page, "probeScope");
        scope->setCurrentIndex(1);
        child<QSpinBox>(page, "probeSource")->setValue(2);
        add->click();
        QCOMPARE(page.probes(), (QStringList{QStringLiteral("layers:0-1@all"),
                                             QStringLiteral("layers:0-1@audio:1")}));
        QCOMPARE(probes.count(), 2);

        QSignalSpy edits(&page, &ProbesPage::editsChanged);
        scope->setCurrentIndex(2);
        child<QDoubleSpinBox>(page, "probeFrom")->setValue(1.5);
        child<QDoubleSpinBox>(page, "probeTo")->setValue(2);
        auto* action = child<QComboBox>(page, "probeAction");
        action->setCurrentIndex(2);
        child<QDoubleSpinBox>(page, "probeValue")->setValue(0.25);
        add->click();
        action->setCurrentIndex(4);
        add->click();
        action->setCurrentIndex(5);
        QVERIFY(!add->isEnabled());
        child<QLineEdit>(page, "probeTensor")->setText(QStringLiteral("a.npz#probe.x"));
        add->click();
        QCOMPARE(
            page.edits(),
            (QStringList{QStringLiteral("layers:0-1@range:1:1.500:2.000=scale:0.25"),
                         QStringLiteral("layers:0-1@range:1:1.500:2.000=noise:0.25:3407"),
                         QStringLiteral("layers:0-1@range:1:1.500:2.000=from:a.npz#probe.x")}));
        QCOMPARE(edits.count(), 3);

        auto* list = child<QTableWidget>(page, "probeList");
        QCOMPARE(list->rowCount(), 5);
        QCOMPARE(list->item(2, 0)->text(), QStringLiteral("EDIT"));
        list->selectRow(2);
        child<QPushButton>(page, "probeRemove")->click();
        QCOMPARE(page.edits().size(), 2);
        page.toggleProbe(QStringLiteral("a.b"));
        page.toggleProbe(QStringLiteral("a.b"));
        QCOMPARE(page.probes().size(), 2);
    }

    void probes_estimateAndResults_areShown() {
        ProbesPage page;
        page.setProbes({QStringLiteral("m@all")}, {});
        ProbeEstimate estimate;
        estimate.bytes = 1'500'000;
        estimate.modules = QStringList{QStringLiteral("m")};
        page.setProbeEstimate(estimate);
        auto* line = child<QLabel>(page, "lookLine");
        QVERIFY2(line->text().contains(QStringLiteral("1.5 MB")) ||
                     line->text().contains(QStringLiteral("1.50 MB")),
                 qPrintable(line->text()));
        estimate.problem = QStringLiteral("there is no module 'm'; nearest: 'n'");
        page.setProbeEstimate(estimate);
        QVERIFY(!child<QPushButton>(page, "lookRun")->isEnabled());
        QVERIFY(line->text().contains(QStringLiteral("nearest")));

        const auto prompt = shared(made::promptTokens(20));
        page.setTokens(prompt);
        ProbesValue value;
        ProbeCapture capture;
        capture.name = QStringLiteral("m@audio:0");
        capture.fullShape = {1, 24, 6};
        capture.values = made::tensor(20, 6, [](qint64 r, qint64 d) { return float(r - d); });
        for (int i = 0; i < 20; ++i) {
            capture.positions.push_back(3 + i);
        }
        capture.statistics.calls = 1;
        capture.statistics.nanCount = 4;
        value.captures.push_back(capture);
        capture.values = {};
        value.captures.push_back(capture);
        QSignalSpy wanted(&page, &ProbesPage::captureWanted);
        page.setProbed(shared(value));
        QCOMPARE(wanted.count(), 1);
        const HeatmapPointer map = captureMap(value.captures[0], prompt);
        QCOMPARE(map->columns.indexOfSlot(0, 5), 5);
        QCOMPARE(map->values.at(2, 7), 5.0F);
        page.setCaptureMap(0, map);
        QCOMPARE(page.panel()->view()->map(), map.get());
        auto* results = child<QTableWidget>(page, "probeResults");
        QCOMPARE(results->item(0, 8)->text(), QStringLiteral("4"));
        results->selectRow(1);
        QVERIFY(child<QLabel>(page, "probeNote")->text().contains(QStringLiteral("Only the")));
    }

    void layers_views_areAskedForAndShown() {
        CursorModel cursor;
        made::setTimes(cursor, 30);
        LayersPage page;
        page.setCursorModel(&cursor);
        page.setSourceNames({QStringLiteral("clip")});
        page.setModel(4, 6);
        page.setPositions(34);
        QCOMPARE(page.layers(), (std::vector<int>{0, 2, 4}));
        QVERIFY(child<QLabel>(page, "lookLine")->text().contains(QStringLiteral("3 of 5")));
        connect(&page, &LayersPage::viewWanted, &page, [&page](const LayerViewRequest& request) {
            page.setView(makeLayerView(page.data(), request));
        });
        page.setData(layersData(made::layers(30), {}));
        QCOMPARE(page.panel()->view()->map()->values.rows(), qint64(5));
        page.panel()->view()->setCurrent(2, 7);
        child<QPushButton>(page, "layersPin")->click();
        QCOMPARE(page.request().kind, LayerViewKind::CosineToPinned);
        QCOMPARE(page.request().pinned, 7);
        QCOMPARE(page.panel()->view()->map()->values.rows(), qint64(3));

        page.chooseView(LayerViewKind::Histogram);
        QCOMPARE(child<QTableWidget>(page, "layersBins")->rowCount(), 101);
        page.chooseView(LayerViewKind::Largest);
        auto* largest = child<QTableWidget>(page, "layersLargest");
        QCOMPARE(largest->item(0, 0)->text(), QStringLiteral("3"));
        largest->selectRow(0);
        QCOMPARE(cursor.token(), 6);

        page.chooseView(LayerViewKind::Scatter);
        QCOMPARE(child<QTableWidget>(page, "layersPoints")->rowCount(), 30);
        auto* neighbours = child<QTableWidget>(page, "layersNeighbours");
        QCOMPARE(neighbours->rowCount(), 10);
        QSignalSpy play(&page, &LayersPage::playRequested);
        child<QPushButton>(page, "layersPlay")->click();
        QCOMPARE(play.count(), 1);
    }

    void cursorBar_typedTime_tellsTheToken() {
        CursorModel cursor;
        made::setTimes(cursor, 400, 2);
        CursorBar bar;
        bar.setCursorModel(&cursor);
        bar.setTokens(shared(made::promptTokens(400, 2)));
        child<QSpinBox>(bar, "cursorSource")->setValue(2);
        child<QDoubleSpinBox>(bar, "cursorSeconds")->setValue(12.5);
        QCOMPARE(cursor.point().source, 1);
        QCOMPARE(cursor.token(), 312);
        QCOMPARE(bar.text(),
                 QStringLiteral("Token 312 of source 2, 12.480 – 12.520 s, position 715"));
    }

    void tab_everyControl_hasAName() {
        LookTab tab;
        tab.setSourceNames({QStringLiteral("clip")});
        QCOMPARE(tab.pages().size(), std::size_t(6));
        for (QWidget* widget : tab.findChildren<QWidget*>()) {
            const bool input = widget->inherits("QComboBox") ||
                               widget->inherits("QAbstractSpinBox") ||
                               widget->inherits("QAbstractItemView") ||
                               widget->objectName() == QLatin1String("heatmapView");
            // Parts of other widgets, as the list of a combo box, are named by those.
            if (!input || widget->parentWidget()->inherits("QComboBoxPrivateContainer") ||
                widget->objectName().startsWith(QLatin1String("qt_")) ||
                widget->inherits("QHeaderView")) {
                continue;
            }
            bool named = !widget->accessibleName().isEmpty();
            for (const QLabel* label : tab.findChildren<QLabel*>()) {
                named = named || label->buddy() == widget;
            }
            QVERIFY2(named, qPrintable(widget->objectName() + QLatin1Char(' ') +
                                       QString::fromLatin1(widget->metaObject()->className())));
        }
        tab.showPage(tab.attention());
        QCOMPARE(tab.chapter(), QStringLiteral("attention"));
    }
};

QTEST_MAIN(TestLookPages)
#include "tst_look_pages.moc"
