// The Look inside tab in the window, on the demonstration model: what a newcomer wants to know.
#include "app/gui/generate_controller.h"
#include "app/gui/help_window.h"
#include "app/gui/look_controller.h"
#include "app/gui/problem_list.h"
#include "app/gui/work_state.h"
#include "core/bridge/session_controller.h"
#include "tests/app/gui/desk.h"
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
#include "widgets/plot/color_bar.h"
#include "widgets/plot/cursor_model.h"
#include "widgets/prompt/prompt_panel.h"
#include "widgets/signal/signal_view.h"

#include <QAction>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTabWidget>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBrowser>
#include <QTreeView>

#include <cmath>
#include <memory>

using namespace earscope;

namespace {

constexpr int kPatience = 90'000;  // a debug build on a busy machine

struct Desk : testing::Desk {
    LookTab& look() { return *part<LookTab>("lookTab"); }
    SignalView& signal() { return *part<SignalView>("signalView"); }

    bool ready() {
        window->resize(1440, 900);
        window->show();
        window->openDemo();
        if (!QTest::qWaitFor([this] { return window->state().prepared() != nullptr; }, kPatience)) {
            return false;
        }
        part<PromptPanel>("promptPanel")->setBudget(24);
        return true;
    }
    /// Presses the page's button and waits for its end.
    bool run(LookPage& page) {
        look().showPage(&page);
        auto* button = page.findChild<QPushButton*>(QStringLiteral("lookRun"));
        if (!button->isEnabled()) {
            qWarning("%s", qPrintable(button->toolTip()));
            return false;
        }
        button->click();
        const bool ended = QTest::qWaitFor(
            [this] { return !window->session().isBusy() && !window->looking().isRunning(); },
            kPatience);
        if (window->problems().count() > 0) {
            qWarning("%s", qPrintable(window->problems().report()));
        }
        return ended && page.hasResult();
    }
    QString generate() {
        part<QAction>("generateAction")->trigger();
        if (!QTest::qWaitFor([this] { return !window->generating().isRunning(); }, kPatience)) {
            return {};
        }
        return window->generating().answer()->text;
    }
};

}  // namespace

class TestLook : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    void withoutModel_everyPageOffersToOpenOne() {
        Desk desk;
        desk.window->show();
        for (LookPage* page : desk.look().pages()) {
            QVERIFY(!page->hasResult());
            auto* run = page->findChild<QPushButton*>(QStringLiteral("lookRun"));
            QVERIFY(!run->isEnabled());
            QVERIFY(!page->findChild<QPushButton*>(QStringLiteral("lookEmptyAction"))
                         ->text()
                         .isEmpty());
        }
    }

    void newcomer_findsTokenLensAndSeconds_andNoResultChanges() {
        Desk desk;
        QVERIFY(desk.ready());
        const QString before = desk.generate();
        QVERIFY(!before.isEmpty());

        // Which token is at this time?
        LookTab& look = desk.look();
        const double seconds = 1.5;
        desk.part<QDoubleSpinBox>("cursorSeconds")->setValue(seconds);
        CursorModel& cursor = desk.window->cursor();
        const int token = cursor.token();
        QCOMPARE(token, static_cast<int>(seconds / 0.04));
        QVERIFY(look.cursorBar()->text().contains(QStringLiteral("Token 37 of source 1")));
        QVERIFY(look.cursorBar()->text().contains(QStringLiteral("position")));

        // What would the model say there at layer k?
        QVERIFY(desk.run(*look.lens()));
        QVERIFY2(look.lens()->answerText().contains(QStringLiteral("1.480 – 1.520 s of source 1")),
                 qPrintable(look.lens()->answerText()));
        look.lens()->panel()->view()->setCurrent(0, token);
        QVERIFY(look.lens()->answerText().contains(QStringLiteral("hidden state 0 says")));

        // Which seconds did the third word look at?
        QVERIFY(desk.run(*look.attention()));
        WordList* words = look.attention()->words();
        int third = -1;
        for (int i = 0; i < words->count() && third < 0; ++i) {
            third = words->wordOf(i) == 3 ? i : -1;
        }
        words->choose(std::max(third, 0));
        QVERIFY2(look.attention()->answerText().contains(QStringLiteral("looked most at")),
                 qPrintable(look.attention()->answerText()));
        double sum = 0;
        for (const double weight : meanWeights(*look.attention()->attention(), {{}, {}, {0}})) {
            sum += weight;
        }
        QVERIFY(std::abs(sum - 1) < 1e-4);
        QVERIFY(!desk.signal().laneRect(0).isEmpty());

        // The lane goes when another page comes to the front.
        look.showPage(look.layers());
        QVERIFY(desk.signal().laneRect(0).isEmpty());
        QCOMPARE(desk.generate(), before);
    }

    void saliency_ofAWord_isLaidOverTheMel() {
        Desk desk;
        QVERIFY(desk.ready());
        QVERIFY(!desk.generate().isEmpty());
        SaliencyPage& page = *desk.look().saliency();
        QVERIFY(page.words()->count() >= 1);
        page.words()->choose(0);
        desk.part<QComboBox>("saliencyMethod")->setCurrentIndex(2);
        desk.part<QSpinBox>("saliencySteps")->setValue(4);
        QVERIFY(desk.run(page));
        QVERIFY2(page.factsText().contains(QStringLiteral("sound minus silence")),
                 qPrintable(page.factsText()));
        QVERIFY(desk.part<ColorBar>("melColorBar")->unit().contains(QStringLiteral("saliency")));
        const auto sources = static_cast<int>(desk.window->state().audioPaths().size());
        QCOMPARE(desk.part<QTableWidget>("saliencyShares")->rowCount(), sources);
        desk.look().showPage(desk.look().lens());
        QCOMPARE(desk.part<ColorBar>("melColorBar")->unit(), QStringLiteral("log-mel"));
    }

    void alternatives_continueFromAnotherToken() {
        Desk desk;
        QVERIFY(desk.ready());
        AlternativesPage& page = *desk.look().alternatives();
        QVERIFY(desk.run(page));
        QVERIFY(!page.alternatives()->tokens.empty());
        page.words()->choose(0);
        auto* top = desk.part<QTableWidget>("alternativesTop");
        QVERIFY(top->rowCount() >= 2);
        top->selectRow(1);
        auto* go = desk.part<QPushButton>("alternativesContinue");
        QVERIFY(go->isEnabled());
        const qint64 other = page.alternatives()->tokens[0].top[1].id;
        go->click();
        QVERIFY(
            QTest::qWaitFor([&] { return page.alternatives()->continueToken == 0; }, kPatience));
        QCOMPARE(page.alternatives()->tokens[0].token.id, other);
        QVERIFY(page.answerText().contains(QStringLiteral("was put here")));
    }

    void probesAndLayers_showWhatWasKept_andEditsAreMarked() {
        Desk desk;
        QVERIFY(desk.ready());
        LookTab& look = desk.look();
        ProbesPage& probes = *look.probes();
        probes.form()->setModule(QStringLiteral("layers:0-1"));
        probes.findChild<QPushButton*>(QStringLiteral("probeAdd"))->click();
        auto* line = probes.findChild<QLabel*>(QStringLiteral("lookLine"));
        QVERIFY(QTest::qWaitFor([&] { return line->text().contains(QStringLiteral("To be kept")); },
                                kPatience));
        QVERIFY(desk.run(probes));
        QCOMPARE(desk.part<QTableWidget>("probeResults")->rowCount(), 2);
        QVERIFY(
            QTest::qWaitFor([&] { return probes.panel()->view()->map() != nullptr; }, kPatience));

        QVERIFY(desk.run(*look.layers()));
        QVERIFY(QTest::qWaitFor([&] { return look.layers()->panel()->view()->map() != nullptr; },
                                kPatience));
        const int blocks = desk.window->state().model()->layers;
        QCOMPARE(look.layers()->panel()->view()->map()->values.rows(), qint64(blocks + 1));
        auto* edited = look.layers()->findChild<QLabel*>(QStringLiteral("lookEdited"));
        QVERIFY(edited->isHidden());

        probes.setProbes(probes.probes(), {QStringLiteral("layers:0-0@all=scale:0.5")});
        auto* outdated = look.layers()->findChild<QLabel*>(QStringLiteral("lookOutdated"));
        QVERIFY(outdated->text().contains(QStringLiteral("without them")));
        QVERIFY(desk.run(*look.layers()));
        QVERIFY(!edited->isHidden());
        QVERIFY(edited->text().contains(QStringLiteral("scale:0.5")));
    }

    void exportButton_writesWhatThePageShows() {
        Desk desk;
        QVERIFY(desk.ready());
        ProbesPage& probes = *desk.look().probes();
        probes.setProbes({QStringLiteral("layers:1-1@audio:0")}, {});
        auto* button = probes.findChild<QPushButton*>(QStringLiteral("lookExport"));
        QVERIFY(!button->isEnabled());
        QVERIFY(desk.run(probes));
        QVERIFY(button->isEnabled());
        const auto write = [&](const QString& file) {
            button->click();
            auto* dialog = desk.part<QFileDialog>("lookExportDialog");
            if (dialog == nullptr) {
                return QString();
            }
            dialog->reject();
            Q_EMIT dialog->fileSelected(file);
            const bool ended = QTest::qWaitFor([&] { return button->isEnabled(); }, kPatience);
            return !ended ? QString()
                          : probes.findChild<QLabel*>(QStringLiteral("lookLine"))->text();
        };
        const QString file = desk.folder.filePath(QStringLiteral("kept.safetensors"));
        const QString line = write(file);
        QVERIFY2(line.contains(QStringLiteral("tensors: 5")), qPrintable(line));
        QVERIFY(QFileInfo(file).size() > 1000);
        QVERIFY(write(desk.folder.filePath(QStringLiteral("none/kept.npz")))
                    .contains(QStringLiteral("none")));
        QVERIFY(desk.window->problems().count() > 0);
    }

    void attentionOfASpan_needsNoAnswer_andTheMapComesLate() {
        Desk desk;
        QVERIFY(desk.ready());
        AttentionPage& page = *desk.look().attention();
        desk.part<QComboBox>("attentionRows")->setCurrentIndex(1);
        desk.window->cursor().lockToken(0, 30);
        desk.part<QPushButton>("attentionAtCursor")->click();
        QVERIFY(desk.run(page));
        QCOMPARE(page.words()->count(), 44);  // tokens 6 to 49: the clip has 50
        desk.part<QTabWidget>("attentionViews")->setCurrentIndex(1);
        QVERIFY(page.panel()->view()->map() == nullptr);  // it is made on another thread
        QVERIFY(QTest::qWaitFor([&] { return page.panel()->view()->map() != nullptr; }, kPatience));
        QCOMPARE(page.panel()->view()->map()->values.rows(), qint64(44));
    }

    void saliencyCost_isMeasuredWhenThePageComesToTheFront() {
        Desk desk;
        QVERIFY(desk.ready());
        SaliencyPage& page = *desk.look().saliency();
        auto* line = page.findChild<QLabel*>(QStringLiteral("lookLine"));
        QVERIFY(!line->text().contains(QStringLiteral("about")));
        desk.part<QAction>("lookTabAction")->trigger();
        desk.look().showPage(&page);
        QVERIFY(QTest::qWaitFor([&] { return line->text().contains(QStringLiteral("about")); },
                                kPatience));
        QVERIFY(line->text().contains(QStringLiteral("MB beside the weights")));
        QVERIFY(desk.run(page));
        QVERIFY(QTest::qWaitFor([&] { return page.panel()->view()->map() != nullptr; }, kPatience));
    }

    void bKey_inTheModuleTree_setsAndTakesAwayAProbe() {
        Desk desk;
        QVERIFY(desk.ready());
        auto* tree = desk.part<QTreeView>("moduleTree");
        tree->setCurrentIndex(tree->model()->index(0, 0));
        tree->setFocus();
        QAction* watch = desk.part<QAction>("watchModule");
        QCOMPARE(watch->shortcut(), QKeySequence(Qt::Key_B));
        watch->trigger();
        QCOMPARE(desk.look().probes()->probes().size(), 1);
        QVERIFY(desk.look().probes()->probes().front().endsWith(QStringLiteral("@all")));
        watch->trigger();
        QVERIFY(desk.look().probes()->probes().isEmpty());
    }

    void unknownModule_isAnsweredWithTheNearest() {
        Desk desk;
        QVERIFY(desk.ready());
        ProbesPage& probes = *desk.look().probes();
        probes.setProbes({QStringLiteral("model.language_model.layer.0@all")}, {});
        auto* line = probes.findChild<QLabel*>(QStringLiteral("lookLine"));
        QVERIFY(QTest::qWaitFor(
            [&] { return line->text().contains(QStringLiteral("model.language_model.layers.0")); },
            kPatience));
        QVERIFY(!probes.findChild<QPushButton*>(QStringLiteral("lookRun"))->isEnabled());
    }

    void f1_showsTheChapterOfThePageInFront_andAllLinksLead() {
        Desk desk;
        desk.window->show();
        desk.part<QAction>("lookTabAction")->trigger();
        desk.look().showPage(desk.look().attention());
        QAction* help = desk.part<QAction>("help");
        QCOMPARE(help->shortcut(), QKeySequence(Qt::Key_F1));
        help->trigger();
        auto* browser = desk.part<QTextBrowser>("helpBrowser");
        QCOMPARE(browser->documentTitle(), QStringLiteral("Attention"));
        static const QRegularExpression link(QStringLiteral("(?:href|src)=\"([^\"#]+)\""));
        QStringList chapters{QStringLiteral("index.html")};
        for (const LookPage* page : desk.look().pages()) {
            chapters << page->objectName() + QStringLiteral(".html");
        }
        for (const QString& chapter : chapters) {
            QFile file(QStringLiteral(":/earscope/help/") + chapter);
            QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(chapter));
            auto matches = link.globalMatch(QString::fromUtf8(file.readAll()));
            while (matches.hasNext()) {
                const QString target = matches.next().captured(1);
                QVERIFY2(QFile::exists(QStringLiteral(":/earscope/help/") + target),
                         qPrintable(chapter + QStringLiteral(" -> ") + target));
            }
        }
    }

    /// Makes the help's pictures when EARSCOPE_HELP_PICTURES names a folder; see
    /// resources/help/README.md.
    void pictures_onRequest() {
        const QString folder = qEnvironmentVariable("EARSCOPE_HELP_PICTURES");
        if (folder.isEmpty()) {
            QSKIP("EARSCOPE_HELP_PICTURES is not set: no pictures are made");
        }
        Desk desk;
        desk.window->openArguments(
            {QStringLiteral(EARSCOPE_FIXTURES "/../../resources/demo/clips/late-note.wav")});
        desk.part<PromptPanel>("promptPanel")
            ->setPrompt(QStringLiteral("In which second does the sound start?"));
        QVERIFY(desk.ready());
        desk.window->resize(1330, 840);
        desk.part<QAction>("lookTabAction")->trigger();
        LookTab& look = desk.look();
        desk.part<QDoubleSpinBox>("cursorSeconds")->setValue(5.5);
        const auto save = [&](LookPage* page) {
            look.showPage(page);
            QTest::qWait(600);
            const QImage image = desk.signal().parentWidget()->grab().toImage();
            const QString file =
                folder + QLatin1Char('/') + page->objectName() + QStringLiteral(".png");
            QVERIFY(image.convertToFormat(QImage::Format_RGB32).save(file, "PNG", 0));
        };
        QVERIFY(desk.run(*look.lens()));
        look.lens()->panel()->view()->setCurrent(2, desk.window->cursor().token());
        save(look.lens());
        desk.part<QLineEdit>("attentionLayers")->setText(QStringLiteral("all"));
        QVERIFY(desk.run(*look.attention()));
        save(look.attention());
        desk.part<QComboBox>("saliencyMethod")->setCurrentIndex(1);
        QVERIFY(desk.run(*look.saliency()));
        save(look.saliency());
        QVERIFY(desk.run(*look.alternatives()));
        save(look.alternatives());
        QVERIFY(desk.run(*look.layers()));
        look.layers()->chooseView(LayerViewKind::Scatter);
        save(look.layers());
        look.probes()->setProbes({QStringLiteral("layers:1-1@audio:0")}, {});
        QVERIFY(desk.run(*look.probes()));
        save(look.probes());
    }
};

QTEST_MAIN(TestLook)
#include "tst_look.moc"
