// Two runs side by side in the window, on the tiny snapshots of both families.
#include "app/gui/compare_controller.h"
#include "app/gui/embeddings_controller.h"
#include "app/gui/generate_controller.h"
#include "app/gui/problem_list.h"
#include "app/gui/work_state.h"
#include "core/bridge/session_controller.h"
#include "tests/app/gui/desk.h"
#include "widgets/compare/compare_tab.h"
#include "widgets/compare/diff_column.h"
#include "widgets/compare/run_dialogs.h"
#include "widgets/compare/states_view.h"
#include "widgets/embeddings/embedding_plot.h"
#include "widgets/embeddings/embeddings_tab.h"
#include "widgets/model/model_panel.h"
#include "widgets/prompt/prompt_panel.h"
#include "widgets/signal/signal_view.h"
#include "widgets/sources/sources_panel.h"
#include "widgets/tokens/tokens_tab.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include <algorithm>
#include <memory>

using namespace earscope;

namespace {

constexpr int kPatience = 60'000;  // a debug build on a busy machine
constexpr int kBudget = 24;

QString snapshot(const char* family) {
    return QStringLiteral(EARSCOPE_FIXTURES "/%1/snapshot").arg(QLatin1String(family));
}

QString sound(const char* name) {
    return QStringLiteral(EARSCOPE_FIXTURES "/mf-tiny/audio/") + QLatin1String(name);
}

struct Desk : testing::Desk {
    PromptPanel* prompt() { return part<PromptPanel>("promptPanel"); }
    CompareTab* tab() { return part<CompareTab>("compareTab"); }
    QAction* action(const char* name) { return part<QAction>(name); }
    CompareController& comparing() { return window->comparing(); }
    const RunRecord& run(int row) { return *comparing().runs().run(row); }

    bool prepared() {
        return QTest::qWaitFor(
            [this] {
                const auto& state = window->state();
                return state.prepared() != nullptr;
            },
            kPatience);
    }
    bool ready(const char* family = "mf-tiny",
               const QStringList& sounds = {sound("float16k.wav")}) {
        window->resize(1440, 900);
        window->show();
        window->openModel(snapshot(family));
        window->openArguments(sounds);
        prompt()->setPrompt(QStringLiteral("Describe this."));
        const bool opened =
            QTest::qWaitFor([this] { return window->state().model().has_value(); }, kPatience);
        prompt()->setBudget(kBudget);  // opening a model sets its own
        return opened && prepared();
    }
    /// The answer of generating alone.
    QString generate(const char* profile) {
        PromptSettings settings = prompt()->settings();
        settings.profile = QLatin1String(profile);
        settings.budget = kBudget;
        prompt()->setSettings(settings);
        action("generateAction")->trigger();
        const bool ended =
            window->generating().isRunning() &&
            QTest::qWaitFor([this] { return !window->generating().isRunning(); }, kPatience);
        return ended ? prompt()->answer() : QStringLiteral("(did not end)");
    }
    /// Starts something that compares and waits until the two stand side by side.
    template <typename Start>
    bool compare(Start start) {
        QSignalSpy spy(&comparing(), &CompareController::compared);
        start();
        return QTest::qWaitFor([&spy] { return spy.count() > 0; }, kPatience);
    }
};

/// Where two lists of ids part, or -1.
qint64 parting(const RunRecord& a, const RunRecord& b) {
    const std::size_t shorter = std::min(a.tokens.size(), b.tokens.size());
    for (std::size_t i = 0; i < shorter; ++i) {
        if (a.tokens[i].id != b.tokens[i].id) {
            return static_cast<qint64>(i);
        }
    }
    return a.tokens.size() == b.tokens.size() ? -1 : static_cast<qint64>(shorter);
}

}  // namespace

class TestCompareWindow : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    void runs_thatEnd_areListed() {
        Desk desk;
        QVERIFY(desk.ready());
        const QString text = desk.generate("paper_reference");
        QCOMPARE(desk.comparing().runs().rowCount(), 1);
        const RunRecord& run = desk.run(0);
        QCOMPARE(QString::fromStdString(run.text), text);
        QCOMPARE(QString::fromStdString(run.profile), QStringLiteral("paper_reference"));
        QCOMPARE(QString::fromStdString(run.prompt), QStringLiteral("Describe this."));
        QCOMPARE(run.prompt_width, desk.window->state().prepared()->promptTokens);
        QCOMPARE(run.sources.size(), std::size_t{1});
        QCOMPARE(run.sources[0].tokens, desk.window->state().prepared()->audioTokens);
        desk.action("answersTabAction")->trigger();
        QVERIFY(desk.part<QWidget>("runTable")->isVisible());
        QCOMPARE(desk.part<QPlainTextEdit>("runText")->toPlainText(), text);
    }

    void bothProfiles_onOneRequest_areThoseOfGeneratingAlone() {
        Desk desk;
        QVERIFY(desk.ready());
        const QString greedy = desk.generate("paper_reference");
        const QString sampled = desk.generate("generic_sampled");
        QVERIFY(desk.compare([&] { desk.action("runBoth")->trigger(); }));
        QCOMPARE(desk.comparing().runs().rowCount(), 4);
        QVERIFY(desk.tab()->isVisible());
        QCOMPARE(desk.tab()->columnA()->shownText(), greedy);
        QCOMPARE(desk.tab()->columnB()->shownText(), sampled);

        const auto& comparison = desk.comparing().comparison();
        QVERIFY(comparison && comparison->same_input_ids && comparison->same_audio &&
                comparison->same_weights);
        const qint64 expected = parting(desk.run(2), desk.run(3));
        QVERIFY(expected >= 0);
        QCOMPARE(comparison->first_divergence.value_or(-1), expected);
        QCOMPARE(desk.tab()->columnB()->divergence(), expected);
        QVERIFY(desk.part<QLabel>("divergence")
                    ->text()
                    .contains(QStringLiteral("token %1:").arg(expected)));
        QVERIFY(
            desk.part<QLabel>("precondition")->text().contains(QStringLiteral("✓ same input ids")));
        exportReadsBack(desk, greedy, sampled);

        // Any two of the list: the same run twice differs in nothing.
        QVERIFY(desk.compare([&] { desk.tab()->setChosen(0, 2); }));
        QVERIFY(!desk.comparing().comparison()->first_divergence);
        QCOMPARE(desk.window->problems().count(), 0);
    }

    void bothFamilies_onOneRequest_areThoseOfGeneratingAlone() {
        Desk desk;
        QVERIFY(desk.ready());
        const QString flamingo = desk.generate("paper_reference");
        desk.action("runOther")->trigger();
        auto* dialog = desk.part<OtherModelDialog>("otherModelDialog");
        QVERIFY(dialog != nullptr);
        dialog->setFolder(snapshot("moss-tiny"));
        QVERIFY(desk.compare(
            [&] { dialog->findChild<QPushButton*>(QStringLiteral("runButton"))->click(); }));
        // The model of before is there again, and so is what was asked.
        QCOMPARE(desk.window->state().family(), QStringLiteral("Music Flamingo"));
        QCOMPARE(desk.generate("paper_reference"), flamingo);
        QCOMPARE(desk.tab()->columnA()->shownText(), flamingo);
        QCOMPARE(QString::fromStdString(desk.run(2).family), QStringLiteral("MOSS-Music"));

        const auto comparison = desk.comparing().comparison();
        QVERIFY(comparison);
        QVERIFY(!comparison->same_weights && !comparison->same_input_ids);
        QVERIFY(comparison->same_audio);
        QVERIFY(comparison->first_divergence.has_value());
        QVERIFY(
            desk.part<QLabel>("precondition")->text().contains(QStringLiteral("≠ other weights")));
        const QString moss = desk.tab()->columnB()->shownText();
        exportReadsBack(desk, flamingo, moss);

        // Another snapshot keeps sources and prompt.
        desk.window->openModel(snapshot("moss-tiny"));
        QTRY_COMPARE_WITH_TIMEOUT(desk.window->state().family(), QStringLiteral("MOSS-Music"),
                                  kPatience);
        QVERIFY(desk.prepared());
        QCOMPARE(desk.window->state().audioPaths(), QStringList{sound("float16k.wav")});
        QCOMPARE(desk.prompt()->settings().prompt, QStringLiteral("Describe this."));
        QCOMPARE(desk.generate("paper_reference"), moss);
        QCOMPARE(desk.window->problems().count(), 0);
    }

    void changedCopy_isRunBesideThePresentSettings() {
        Desk desk;
        QVERIFY(desk.ready());
        desk.action("runChanged")->trigger();
        auto* dialog = desk.part<ChangedCopyDialog>("changedCopyDialog");
        QVERIFY(dialog != nullptr);
        dialog->findChild<QSpinBox*>(QStringLiteral("changedSeed"))->setValue(11);
        dialog->findChild<QSpinBox*>(QStringLiteral("changedBudget"))->setValue(7);
        QVERIFY(desk.compare(
            [&] { dialog->findChild<QPushButton*>(QStringLiteral("runButton"))->click(); }));
        QCOMPARE(desk.run(0).sample, false);
        QCOMPARE(desk.run(1).sample, true);
        QCOMPARE(desk.run(1).seed, std::uint64_t{11});
        QCOMPARE(desk.run(1).max_new_tokens, 7);
        const auto& parameters = desk.comparing().comparison()->parameters;
        QVERIFY(std::any_of(parameters.begin(), parameters.end(),
                            [](const ComparedParameter& p) { return p.differs; }));
    }

    void heatmaps_ofOneModel_areEqual() {
        Desk desk;
        QVERIFY(desk.ready());
        QVERIFY(desk.compare([&] { desk.action("runBoth")->trigger(); }));
        auto* states = desk.part<StatesView>("statesView");
        desk.part<QTabWidget>("compareViews")->setCurrentWidget(states);
        desk.part<QPushButton>("computeStates")->click();
        QTRY_VERIFY_WITH_TIMEOUT(states->picture() != nullptr, kPatience);
        QCOMPARE(desk.comparing().runs().rowCount(), 2);  // looking adds no run
        QVERIFY(states->picture()->difference);
        QCOMPARE(states->picture()->largest, 0.0);
        QCOMPARE(static_cast<int>(states->picture()->a->tokens()),
                 desk.window->state().prepared()->audioTokens);
        const int layers = desk.window->state().model()->layers;
        states->choose({0, {}, layers});
        QTRY_VERIFY_WITH_TIMEOUT(states->picture()->key.layer == layers, kPatience);
        QCOMPARE(states->picture()->a->dimensions(), desk.window->state().model()->hiddenSize);
    }

    void heatmaps_ofTwoFamilies_sayWhyThereIsNoDifference() {
        Desk desk;
        QVERIFY(desk.ready());
        desk.action("compareStates")->setChecked(true);
        RunSpec other = desk.comparing().presentSpec();
        other.folder = snapshot("moss-tiny");
        QVERIFY(desk.compare([&] { desk.comparing().run(desk.comparing().presentSpec(), other); }));
        auto* states = desk.part<StatesView>("statesView");
        desk.part<QTabWidget>("compareViews")->setCurrentWidget(states);
        QTRY_VERIFY_WITH_TIMEOUT(states->picture() != nullptr, kPatience);
        QVERIFY(!states->picture()->difference);
        QVERIFY(desk.part<QLabel>("stateReason2")->text().contains(QStringLiteral("A−B cannot")));
        QVERIFY(
            desk.part<QComboBox>("stateKind")->findText(QStringLiteral("DeepStack 0, projected")) >=
            0);
    }

    void cancel_leavesTheListAndTheModel() {
        Desk desk;
        QVERIFY(desk.ready());
        desk.prompt()->setBudget(5'000);
        desk.action("runBoth")->trigger();
        QVERIFY(desk.comparing().isRunning());
        QVERIFY(!desk.action("runBoth")->isEnabled());
        // At once: a tiny model answers twice within the time that one could wait for.
        desk.action("stopAction")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(!desk.comparing().isRunning(), kPatience);
        QCOMPARE(desk.comparing().runs().rowCount(), 0);
        QVERIFY(desk.part<QLabel>("compareNotice")->text().contains(QLatin1String("Stopped")));
        QVERIFY(desk.action("runBoth")->isEnabled());
        QVERIFY(!desk.generate("paper_reference").startsWith(QLatin1Char('(')));
    }

    void model_thatIsNotThere_costsNothing() {
        Desk desk;
        QVERIFY(desk.ready());
        RunSpec other = desk.comparing().presentSpec();
        other.folder = desk.folder.path();
        desk.comparing().run(desk.comparing().presentSpec(), other);
        QTRY_VERIFY_WITH_TIMEOUT(!desk.comparing().isRunning(), kPatience);
        QCOMPARE(desk.window->problems().count(), 1);
        QVERIFY(desk.window->state().model().has_value());
        QVERIFY(desk.part<QLabel>("compareNotice")->isVisibleTo(desk.tab()));
    }

    void export_toAFolderThatIsNotThere_isAProblemAndNoFile() {
        Desk desk;
        QVERIFY(desk.ready());
        QVERIFY(desk.compare([&] { desk.action("runBoth")->trigger(); }));
        QVERIFY(!desk.comparing().exportTo(desk.folder.filePath(QStringLiteral("no/such/c.json"))));
        QCOMPARE(desk.window->problems().count(), 1);
    }

    void moss_withTwoSources_isShownToTheSameDepth() {
        Desk desk;
        QVERIFY(desk.ready("moss-tiny", {sound("stereo44.wav"), sound("mono8.ogg")}));
        const auto prepared = desk.window->state().prepared();
        QCOMPARE(prepared->sources.size(), std::size_t{2});
        QVERIFY(!prepared->sources[0].chunkFrames.empty());
        QVERIFY(prepared->sources[0].windowTokens.empty());
        QVERIFY(
            std::any_of(prepared->tokens.begin(), prepared->tokens.end(),
                        [](const TokenValue& t) { return t.tokenClass == TokenClass::TimeDigit; }));
        QVERIFY(desk.part<QLabel>("modelChunkPadding")->isVisible());
        QCOMPARE(desk.part<QLabel>("modelChunkPadding")->text(),
                 QStringLiteral("as the reference"));
        // A source under 4 s says which chunk padding is in force.
        const auto sources = desk.part<SourcesPanel>("sourcesPanel")->sources();
        for (std::size_t i = 0; i < sources.size(); ++i) {
            const bool brief = prepared->sources[i].durationSeconds < 4;
            const bool told = std::any_of(
                sources[i].notices.begin(), sources[i].notices.end(),
                [](const QString& notice) { return notice.contains(QLatin1String("Under 4 s")); });
            QCOMPARE(told, brief);
        }
        desk.action("extractAction")->trigger();
        auto* tab = desk.part<EmbeddingsTab>("embeddingsTab");
        QTRY_VERIFY_WITH_TIMEOUT(tab->hasMatrices(), kPatience);
        const auto* kinds = desk.part<QComboBox>("embeddingKind");
        for (int stream = 0; stream < 3; ++stream) {
            for (const char* what : {"raw", "projected"}) {
                QVERIFY(
                    kinds->findText(
                        QStringLiteral("DeepStack %1, %2").arg(stream).arg(QLatin1String(what))) >=
                    0);
            }
        }
        QVERIFY(desk.part<SignalView>("signalView")->isVisible());
        QVERIFY(!desk.generate("paper_reference").isEmpty());
        QCOMPARE(QString::fromStdString(desk.run(0).chunk_padding), QStringLiteral("reference"));
        QCOMPARE(desk.run(0).sources.size(), std::size_t{2});
    }

    void pictures_ofBothTabs_data() {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<bool>("dark");
        for (const QSize size : {QSize(1024, 700), QSize(1600, 1000)}) {
            QTest::addRow("%dx%d light", size.width(), size.height()) << size << false;
            QTest::addRow("%dx%d dark", size.width(), size.height()) << size << true;
        }
    }

    /// Set EARSCOPE_PICTURES to a folder to look at them.
    void pictures_ofBothTabs() {
        QFETCH(QSize, size);
        QFETCH(bool, dark);
        Desk desk;
        const QString folder = qEnvironmentVariable("EARSCOPE_PICTURES");
        const auto picture = [&](const char* name) {
            QTest::qWait(80);
            const QPixmap pixmap = desk.window->grab();
            QVERIFY(!pixmap.isNull());
            if (!folder.isEmpty()) {
                pixmap.save(QStringLiteral("%1/%2-%3-%4.png")
                                .arg(folder, QLatin1String(name))
                                .arg(size.width())
                                .arg(dark ? QStringLiteral("dark") : QStringLiteral("light")));
            }
        };
        QVERIFY(desk.ready());
        desk.window->setTheme(dark ? Theme::Dark : Theme::Light);
        desk.window->resize(size);
        desk.action("compareTabAction")->trigger();
        picture("compare empty");
        desk.action("compareStates")->setChecked(true);
        QVERIFY(desk.compare([&] { desk.action("runBoth")->trigger(); }));
        picture("compare texts");
        auto* views = desk.part<QTabWidget>("compareViews");
        views->setCurrentIndex(1);
        picture("compare parameters");
        views->setCurrentIndex(2);
        QTRY_VERIFY_WITH_TIMEOUT(desk.part<StatesView>("statesView")->picture() != nullptr,
                                 kPatience);
        picture("compare heatmaps");
        desk.action("wideTabs")->setChecked(true);
        picture("compare wide");
        views->setCurrentIndex(0);
        picture("compare wide texts");
        desk.action("wideTabs")->setChecked(false);
        desk.action("answersTabAction")->trigger();
        picture("answers");
        QCOMPARE(desk.window->size(), size);
        desk.window->setTheme(Theme::Light);
    }

private:
    static void exportReadsBack(Desk& desk, const QString& textA, const QString& textB) {
        const QString json = desk.folder.filePath(QStringLiteral("c.json"));
        QVERIFY(desk.comparing().exportTo(json));
        QFile file(json);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QJsonObject read = QJsonDocument::fromJson(file.readAll()).object();
        QCOMPARE(read[QLatin1String("a")][QLatin1String("text")].toString(), textA);
        QCOMPARE(read[QLatin1String("b")][QLatin1String("text")].toString(), textB);
        const QString markdown = desk.folder.filePath(QStringLiteral("c.md"));
        QVERIFY(desk.comparing().exportTo(markdown));
        QFile document(markdown);
        QVERIFY(document.open(QIODevice::ReadOnly));
        const QByteArray written = document.readAll();
        QVERIFY(written.startsWith("# ") && written.contains("Describe this"));
        desk.part<QToolButton>("copyComparison")->click();
        QCOMPARE(QApplication::clipboard()->text().toUtf8(), written);
    }
};

QTEST_MAIN(TestCompareWindow)
#include "tst_compare_window.moc"
