// Edits in force act on everything that the window runs, are marked wherever their results stand,
// and leave nothing behind.
#include "app/gui/compare_controller.h"
#include "app/gui/embeddings_controller.h"
#include "app/gui/export_controller.h"
#include "app/gui/export_dialog.h"
#include "app/gui/generate_controller.h"
#include "app/gui/look_controller.h"
#include "app/gui/problem_list.h"
#include "app/gui/work_state.h"
#include "core/bridge/session_controller.h"
#include "tests/app/gui/desk.h"
#include "widgets/compare/compare_tab.h"
#include "widgets/compare/diff_column.h"
#include "widgets/compare/states_view.h"
#include "widgets/embeddings/embeddings_tab.h"
#include "widgets/look/alternatives_page.h"
#include "widgets/look/attention_page.h"
#include "widgets/look/layers_page.h"
#include "widgets/look/lens_page.h"
#include "widgets/look/look_tab.h"
#include "widgets/look/probes_page.h"
#include "widgets/look/saliency_page.h"
#include "widgets/look/word_list.h"
#include "widgets/prompt/prompt_panel.h"

#include <QAction>
#include <QCheckBox>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTableView>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QtEndian>

#include <filesystem>
#include <functional>
#include <memory>

using namespace earscope;

namespace {

constexpr int kPatience = 90'000;  // a debug build on a busy machine
constexpr int kBudget = 24;
const QString kScale = QStringLiteral("model.language_model.layers.1=scale:-3");
const QString kProjector = QStringLiteral("model.multi_modal_projector=scale:0.25");

/// The manifest of a safetensors file: eight bytes with the length of the header, then the header.
QJsonObject manifestOf(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) {
        return {};
    }
    const auto length = qFromLittleEndian<quint64>(file.read(8).constData());
    const QJsonObject header =
        QJsonDocument::fromJson(file.read(static_cast<qint64>(length))).object();
    const QString text =
        header[QLatin1String("__metadata__")][QLatin1String("earscope")].toString();
    return QJsonDocument::fromJson(text.toUtf8()).object();
}

struct Desk : testing::Desk {
    PromptPanel& prompt() { return *part<PromptPanel>("promptPanel"); }
    LookTab& look() { return *part<LookTab>("lookTab"); }
    CompareController& comparing() { return window->comparing(); }
    const RunRecord& run(int row) { return *comparing().runs().run(row); }
    int runs() { return comparing().runs().rowCount(); }
    QString label(const char* name) { return part<QLabel>(name)->text(); }
    bool shown(const char* name) { return part<QWidget>(name)->isVisibleTo(window.get()); }

    bool wait(const std::function<bool()>& condition) {
        return QTest::qWaitFor(condition, kPatience);
    }
    bool idle() {
        return wait([this] { return !window->session().isBusy(); });
    }
    bool ready() {
        window->resize(1440, 900);
        window->show();
        window->openModel(QStringLiteral(EARSCOPE_FIXTURES "/mf-tiny/snapshot"));
        window->openArguments({QStringLiteral(EARSCOPE_FIXTURES "/mf-tiny/audio/float16k.wav")});
        prompt().setPrompt(QStringLiteral("Describe this."));
        if (!wait([this] { return window->state().prepared() != nullptr; })) {
            return false;
        }
        prompt().setBudget(kBudget);
        return true;
    }
    void setEdits(const QStringList& edits) {
        look().probes()->setProbes(look().probes()->probes(), edits);
    }
    bool generate() {
        part<QAction>("generateAction")->trigger();
        return wait([this] { return !window->generating().isRunning(); }) &&
               window->problems().count() == 0;
    }
    bool extract() {
        part<QAction>("extractAction")->trigger();
        return wait([this] { return !window->extracting().isRunning(); });
    }
    /// Presses the page's button and waits for its result.
    bool use(LookPage& page) {
        look().showPage(&page);
        auto* button = page.findChild<QPushButton*>(QStringLiteral("lookRun"));
        if (!button->isEnabled()) {
            qWarning("%s", qPrintable(button->toolTip()));
            return false;
        }
        button->click();
        const bool ended =
            wait([this] { return !window->session().isBusy() && !window->looking().isRunning(); });
        return ended && page.hasResult() && window->problems().count() == 0;
    }
    /// Starts something that compares and waits until the two stand side by side.
    template <typename Start>
    bool compare(Start start) {
        QSignalSpy spy(&comparing(), &CompareController::compared);
        start();
        return wait([&spy] { return spy.count() > 0; });
    }
};

std::vector<std::int64_t> idsOf(const RunRecord& run) {
    std::vector<std::int64_t> ids;
    for (const RunToken& token : run.tokens) {
        ids.push_back(token.id);
    }
    return ids;
}

}  // namespace

class TestEdits : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    void generate_underEdits_isEditedAndMarked() {
        Desk desk;
        QVERIFY(desk.ready());
        QVERIFY(!desk.shown("editsChip"));
        QVERIFY(desk.generate());
        const QString plain = desk.prompt().answer();
        QVERIFY(!desk.shown("answerEdited") && !desk.shown("answerOutdated"));

        desk.setEdits({kScale, kProjector});
        QVERIFY(desk.shown("editsChip"));
        auto* chip = desk.part<QToolButton>("editsChip");
        QCOMPARE(chip->text(), QStringLiteral("2 edits"));
        QVERIFY(chip->toolTip().contains(kScale) && chip->toolTip().contains(kProjector));
        // The answer of before no longer stands for what would come now.
        QVERIFY(desk.label("answerOutdated").contains(QStringLiteral("without them")));
        QVERIFY(desk.shown("answerOutdated"));
        QVERIFY(!desk.window->generating().answer());

        QVERIFY(desk.generate());
        QVERIFY(desk.prompt().answer() != plain);
        QVERIFY(desk.window->generating().answer());
        QVERIFY(desk.shown("answerEdited") && !desk.shown("answerOutdated"));
        QCOMPARE(desk.label("answerEdited"),
                 QStringLiteral("EDITED · made under: %1, %2").arg(kScale, kProjector));

        desk.setEdits({});
        QVERIFY(!desk.shown("editsChip"));
        QVERIFY(desk.shown("answerEdited") && desk.shown("answerOutdated"));
        QVERIFY(desk.generate());
        QCOMPARE(desk.prompt().answer(), plain);
        QVERIFY(!desk.shown("answerEdited") && !desk.shown("answerOutdated"));
    }

    void chip_clicked_leadsToTheProbesPage() {
        Desk desk;
        QVERIFY(desk.ready());
        desk.setEdits({kScale});
        desk.look().showPage(desk.look().lens());
        desk.part<QAction>("tokensTabAction")->trigger();
        desk.part<QToolButton>("editsChip")->click();
        QCOMPARE(desk.part<QTabWidget>("tabs")->currentWidget(), &desk.look());
        QCOMPARE(desk.look().currentPage(), desk.look().probes());
    }

    void editOfAModuleThatIsNotThere_isRefusedByName() {
        Desk desk;
        QVERIFY(desk.ready());
        desk.setEdits({QStringLiteral("model.language_model.layer.1@all=zero")});
        QVERIFY(!desk.generate());
        QVERIFY(desk.label("answerStatus").contains(QStringLiteral("language_model.layers.1")));
        QCOMPARE(desk.runs(), 0);
    }

    void runs_underEdits_areMarkedInListAndCompare() {
        Desk desk;
        QVERIFY(desk.ready());
        QVERIFY(desk.generate());
        QVERIFY(!desk.part<QAction>("runEdited")->isEnabled());
        desk.setEdits({kScale});
        QVERIFY(desk.part<QAction>("runEdited")->isEnabled());
        QVERIFY(desk.generate());
        QCOMPARE(desk.run(1).edits, std::vector<std::string>{kScale.toStdString()});
        const RunListModel& list = desk.comparing().runs();
        QCOMPARE(list.index(0, RunListModel::ChangesColumn).data().toString(), QString());
        QCOMPARE(list.index(1, RunListModel::ChangesColumn).data().toString(),
                 QStringLiteral("1 edit"));
        QVERIFY(list.title(1).endsWith(QStringLiteral("· 1 edit")));
        QVERIFY(desk.label("runChanges").contains(kScale));

        // With and without: the same two answers, and what parts them is said.
        QVERIFY(desk.compare([&] { desk.part<QAction>("runEdited")->trigger(); }));
        QCOMPARE(desk.run(2).text, desk.run(0).text);
        QCOMPARE(desk.run(3).text, desk.run(1).text);
        QVERIFY(desk.run(2).edits.empty());
        QCOMPARE(desk.run(3).edits, desk.run(1).edits);
        QVERIFY(!desk.part<QWidget>("changesA")->isVisible());
        QVERIFY(desk.part<QWidget>("changesB")->isVisible());
        QVERIFY(desk.label("changesB").contains(kScale));
        QVERIFY(desk.label("precondition").contains(QStringLiteral("≠ other edits")));

        // Both profiles run under them.
        QVERIFY(desk.compare([&] { desk.part<QAction>("runBoth")->trigger(); }));
        QCOMPARE(desk.run(4).text, desk.run(1).text);
        QCOMPARE(desk.run(4).edits, desk.run(1).edits);
        QCOMPARE(desk.run(5).edits, desk.run(1).edits);
        QVERIFY(desk.label("precondition").contains(QStringLiteral("✓ same edits")));

        const QString json = desk.folder.filePath(QStringLiteral("c.json"));
        QVERIFY(desk.comparing().exportTo(json));
        QFile file(json);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QJsonObject read = QJsonDocument::fromJson(file.readAll()).object();
        QCOMPARE(read[QLatin1String("a")][QLatin1String("edits")].toArray(), QJsonArray{kScale});
        const QString markdown = desk.folder.filePath(QStringLiteral("c.md"));
        QVERIFY(desk.comparing().exportTo(markdown));
        QFile document(markdown);
        QVERIFY(document.open(QIODevice::ReadOnly));
        QVERIFY(document.readAll().contains("## Answer A, edited"));
    }

    void states_ofTwoRuns_areMadeUnderTheEditsOfEach() {
        Desk desk;
        QVERIFY(desk.ready());
        desk.setEdits({kProjector});
        QVERIFY(desk.compare([&] { desk.part<QAction>("runEdited")->trigger(); }));
        desk.setEdits({});  // those of the runs count
        auto* states = desk.part<StatesView>("statesView");
        desk.part<QTabWidget>("compareViews")->setCurrentWidget(states);
        desk.part<QPushButton>("computeStates")->click();
        QVERIFY(desk.wait([&] { return states->picture() != nullptr; }));
        states->choose({0, EmbeddingKind{EmbeddingKind::Projected, 0}, -1});
        QVERIFY(desk.wait([&] { return states->picture()->largest > 0; }));
        QCOMPARE(desk.runs(), 2);
    }

    void extractAndExport_underEdits_areEditedAndMarked() {
        Desk desk;
        QVERIFY(desk.ready());
        QVERIFY(desk.extract());
        auto* tab = desk.part<EmbeddingsTab>("embeddingsTab");
        QVERIFY(tab->hasMatrices());
        QVERIFY(!desk.shown("embeddingsEdited") && !desk.shown("embeddingsOutdated"));
        desk.setEdits({kProjector});
        QVERIFY(desk.label("embeddingsOutdated").contains(QStringLiteral("without them")));
        QVERIFY(desk.extract());
        QVERIFY(desk.label("embeddingsEdited").contains(kProjector));
        QVERIFY(desk.shown("embeddingsEdited") && !desk.shown("embeddingsOutdated"));

        desk.part<QAction>("exportFile")->trigger();
        ExportDialog* dialog = desk.window->exporting().dialog();
        QVERIFY(dialog != nullptr);
        auto* note = dialog->findChild<QLabel*>(QStringLiteral("exportEdited"));
        QVERIFY(note->isVisible() && note->text().contains(kProjector));
        QVERIFY(dialog->file().contains(QStringLiteral("edited")));
        const QString path = desk.folder.filePath(QStringLiteral("out.safetensors"));
        dialog->setFile(path);
        QSignalSpy done(&desk.window->exporting(), &ExportController::exported);
        dialog->findChild<QPushButton*>(QStringLiteral("exportButton"))->click();
        QVERIFY(desk.wait([&] { return done.count() == 1; }));
        QCOMPARE(manifestOf(path)[QLatin1String("edits")].toArray(), QJsonArray{kProjector});
        desk.setEdits({});
        QVERIFY(desk.label("embeddingsOutdated").contains(QStringLiteral("taken away")));
    }

    void answersOfInstruments_enterTheList() {
        Desk desk;
        QVERIFY(desk.ready());
        QVERIFY(desk.generate());
        AlternativesPage& page = *desk.look().alternatives();
        QVERIFY(desk.use(page));
        QCOMPARE(desk.runs(), 2);
        QCOMPARE(desk.run(1).text, desk.run(0).text);
        QCOMPARE(idsOf(desk.run(1)), idsOf(desk.run(0)));
        QVERIFY(!desk.run(1).continued);

        page.words()->choose(3);
        auto* top = desk.part<QTableWidget>("alternativesTop");
        top->selectRow(1);
        const qint64 other = page.alternatives()->tokens[3].top[1].id;
        desk.part<QPushButton>("alternativesContinue")->click();
        QVERIFY(desk.wait([&] { return desk.runs() == 3; }));
        const RunRecord& continued = desk.run(2);
        QVERIFY(continued.continued);
        QCOMPARE(continued.continued->token, 3);
        QCOMPARE(continued.continued->put.id, other);
        QCOMPARE(continued.tokens[3].id, other);
        QCOMPARE(desk.comparing().runs().index(2, RunListModel::ChangesColumn).data().toString(),
                 QStringLiteral("continued"));
        QVERIFY(desk.label("runChanges").startsWith(QStringLiteral("Continued from token 3 with")));

        QVERIFY(desk.use(*desk.look().attention()));
        QCOMPARE(desk.runs(), 4);
        QCOMPARE(idsOf(desk.run(3)), idsOf(desk.run(0)));

        // They can be put side by side as any two.
        QVERIFY(desk.compare([&] { desk.part<CompareTab>("compareTab")->setChosen(0, 2); }));
        QCOMPARE(desk.comparing().comparison()->first_divergence.value_or(-1), 3);
        QVERIFY(desk.label("changesB").contains(QStringLiteral("Continued from token 3")));
        desk.setEdits({kScale});
        QVERIFY(desk.use(page));
        QCOMPARE(desk.run(4).edits, std::vector<std::string>{kScale.toStdString()});
    }

    /// The promise of the instruments: whatever was looked at or changed in between, the model is
    /// as it was.
    void everyInstrumentInBetween_changesNoLaterAnswer() {
        Desk desk;
        QVERIFY(desk.ready());
        QVERIFY(desk.generate());
        const std::string text = desk.run(0).text;
        const std::vector<std::int64_t> ids = idsOf(desk.run(0));
        QVERIFY(ids.size() > 4);

        LookTab& look = desk.look();
        const auto everything = [&] {
            for (LookPage* page : look.pages()) {
                if (!desk.use(*page)) {
                    return false;
                }
            }
            auto* statistics = desk.part<QCheckBox>("probeStatistics");
            statistics->setChecked(true);
            const bool counted = desk.use(*look.probes());
            statistics->setChecked(false);
            return counted;
        };
        look.probes()->setProbes(
            {QStringLiteral("layers:0-1@audio:0"), QStringLiteral("model.audio_tower.layers.0@all"),
             QStringLiteral("layers:2-2@generated")},
            {});
        QVERIFY(desk.idle());
        QVERIFY(everything());
        auto* top = desk.part<QTableWidget>("alternativesTop");
        look.alternatives()->words()->choose(1);
        top->selectRow(1);
        look.showPage(look.alternatives());
        desk.part<QPushButton>("alternativesContinue")->click();
        QVERIFY(desk.idle());
        QCOMPARE(look.alternatives()->alternatives()->continueToken, 1);

        desk.setEdits({kScale, QStringLiteral("model.audio_tower.layers.0@all=noise:0.5:7")});
        QVERIFY(desk.idle());
        QVERIFY(everything());
        QVERIFY(desk.generate());
        const int edited = desk.runs() - 1;
        QVERIFY(desk.run(edited).text != text);
        QVERIFY(desk.extract());
        desk.setEdits({});
        QVERIFY(desk.idle());

        QVERIFY(desk.generate());
        const RunRecord& after = desk.run(desk.runs() - 1);
        QCOMPARE(after.text, text);
        QCOMPARE(idsOf(after), ids);
        QVERIFY(after.edits.empty());
        QCOMPARE(desk.window->problems().count(), 0);
    }

    void modelOfBefore_thatIsGoneAfterAComparison_leavesTheWindowWithoutOne() {
        Desk desk;
        const QString home = desk.folder.filePath(QStringLiteral("home"));
        std::filesystem::copy(EARSCOPE_FIXTURES "/mf-tiny/snapshot", home.toStdString(),
                              std::filesystem::copy_options::recursive);
        QVERIFY(desk.ready());
        desk.window->openModel(home);
        QVERIFY(desk.wait([&] {
            const auto& model = desk.window->state().model();
            return model && model->folder == home && desk.window->state().prepared();
        }));
        RunSpec other = desk.comparing().presentSpec();
        other.folder = QStringLiteral(EARSCOPE_FIXTURES "/moss-tiny/snapshot");
        other.maxNewTokens = 4;
        QVERIFY(QDir(home).removeRecursively());
        QVERIFY(desk.compare([&] { desk.comparing().run(other, other); }));
        QCOMPARE(desk.runs(), 2);
        QVERIFY(!desk.window->state().model().has_value());
        QCOMPARE(desk.window->problems().count(), 1);
        QVERIFY(
            desk.window->problems().report().contains(QStringLiteral("could not be opened again")));
        QVERIFY(!desk.part<QAction>("generateAction")->isEnabled());
        QVERIFY(desk.part<QWidget>("columnA")->isVisible());
    }
};

QTEST_MAIN(TestEdits)
#include "tst_edits.moc"
