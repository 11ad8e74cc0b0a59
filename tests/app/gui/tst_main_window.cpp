// Drives the whole job in the window, on the tiny Music Flamingo snapshot of the fixtures.
#include "app/gui/embeddings_controller.h"
#include "app/gui/export_controller.h"
#include "app/gui/export_dialog.h"
#include "app/gui/generate_controller.h"
#include "app/gui/prepare_controller.h"
#include "app/gui/problem_list.h"
#include "app/gui/sources_controller.h"
#include "app/gui/work_state.h"
#include "core/bridge/session_controller.h"
#include "tests/app/gui/desk.h"
#include "widgets/embeddings/embedding_plot.h"
#include "widgets/embeddings/embeddings_tab.h"
#include "widgets/model/model_panel.h"
#include "widgets/plot/cursor_model.h"
#include "widgets/prompt/prompt_panel.h"
#include "widgets/signal/signal_view.h"
#include "widgets/sources/sources_panel.h"
#include "widgets/tokens/tokens_tab.h"

#include <QAction>
#include <QCheckBox>
#include <QElapsedTimer>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include <algorithm>
#include <cstring>
#include <memory>

using namespace earscope;

namespace {

constexpr int kPatience = 60'000;  // a debug build on a busy machine

QString snapshot() {
    return QStringLiteral(EARSCOPE_FIXTURES "/mf-tiny/snapshot");
}

QString sound(const char* name) {
    return QStringLiteral(EARSCOPE_FIXTURES "/mf-tiny/audio/") + QLatin1String(name);
}

struct Desk : testing::Desk {
    PromptPanel* prompt() { return part<PromptPanel>("promptPanel"); }
    TokensTab* tokens() { return part<TokensTab>("tokensTab"); }
    EmbeddingsTab* embeddings() { return part<EmbeddingsTab>("embeddingsTab"); }
    QAction* action(const char* name) { return part<QAction>(name); }

    void show() {
        window->resize(1440, 900);
        window->show();
    }
    /// Opens the tiny model with one sound and a prompt, and waits until it is prepared.
    bool ready(const char* file = "float16k.wav") {
        show();
        window->openModel(snapshot());
        window->openArguments({sound(file)});
        prompt()->setPrompt(QStringLiteral("Describe this."));
        return QTest::qWaitFor([this] { return window->state().prepared() != nullptr; }, kPatience);
    }
    bool generate(int budget) {
        prompt()->setBudget(budget);
        action("generateAction")->trigger();
        return window->generating().isRunning() &&
               QTest::qWaitFor([this] { return !window->generating().isRunning(); }, kPatience);
    }
};

/// How late a 5 ms timer of the GUI thread was at worst.
class Watch {
public:
    Watch() {
        timer_.setTimerType(Qt::PreciseTimer);
        timer_.setInterval(5);
        QObject::connect(&timer_, &QTimer::timeout, &timer_,
                         [this] { longest_ = std::max(longest_, since_.restart()); });
        since_.start();
        timer_.start();
    }
    qint64 longest() const { return std::max(longest_, since_.elapsed()); }

private:
    QTimer timer_;
    QElapsedTimer since_;
    qint64 longest_ = 0;
};

/// Header of a safetensors file, and where its data begin.
QJsonObject header(const QByteArray& file, qsizetype* begin) {
    quint64 length = 0;
    std::memcpy(&length, file.constData(), sizeof(length));
    *begin = 8 + static_cast<qsizetype>(length);
    return QJsonDocument::fromJson(file.mid(8, static_cast<qsizetype>(length))).object();
}

}  // namespace

class TestMainWindow : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    void start_withoutAnything_offersTheFirstSteps() {
        Desk desk;
        desk.show();
        QVERIFY(desk.part<QPushButton>("welcomeOpen")->isVisible());
        QVERIFY(desk.part<QPushButton>("welcomeDemo")->isVisible());
        QVERIFY(!desk.action("generateAction")->isEnabled());
        QVERIFY(
            desk.action("generateAction")->toolTip().contains(QLatin1String("Open a model first")));
        QVERIFY(!desk.action("exportFile")->isEnabled());
        QCOMPARE(desk.part<QLabel>("stateText")->text(), QStringLiteral("No model"));
        QVERIFY(desk.window->close());
    }

    void wholeJob_onTheTinyModel_worksAndReadsBack() {
        Desk desk;
        QVERIFY(desk.ready());
        QVERIFY(desk.part<SignalView>("signalView")->isVisible());
        const auto prepared = desk.window->state().prepared();
        QCOMPARE(desk.tokens()->tokenCount(), prepared->promptTokens);
        QCOMPARE(desk.window->cursor().sourceCount(), 1);
        QCOMPARE(desk.window->cursor().tokenCount(0), prepared->audioTokens);
        QCOMPARE(desk.part<SourcesPanel>("sourcesPanel")->sources().front().tokens,
                 prepared->audioTokens);
        QVERIFY(desk.part<QLabel>("markerPreview")->isVisible());

        QVERIFY(desk.generate(24));
        const QString answer = desk.prompt()->answer();
        QVERIFY(!answer.isEmpty());
        QVERIFY(desk.tokens()->tokenCount() > prepared->promptTokens);

        desk.action("extractAction")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(desk.embeddings()->hasMatrices(), kPatience);
        const EmbeddingMatrix* shown = desk.embeddings()->plot()->matrix();
        QCOMPARE(shown->tokens(), prepared->audioTokens);
        QCOMPARE(shown->dimensions(), desk.window->state().model()->hiddenSize);

        // Looking never changes a result.
        QVERIFY(desk.generate(24));
        QCOMPARE(desk.prompt()->answer(), answer);

        const QString file = desk.folder.filePath(QStringLiteral("out.safetensors"));
        QVERIFY(exportTo(desk, file));
        QFile written(file);
        QVERIFY(written.open(QIODevice::ReadOnly));
        const QByteArray bytes = written.readAll();
        qsizetype begin = 0;
        const QJsonObject tensors = header(bytes, &begin);
        for (const char* name :
             {"input_ids", "attention_mask", "mel", "resampled.0", "token_positions.0", "time_s.0",
              "raw.0", "projected.0", "contextual.-1.0"}) {
            QVERIFY2(tensors.contains(QLatin1String(name)), name);
        }
        const QJsonObject projected = tensors.value(QLatin1String("projected.0")).toObject();
        QCOMPARE(projected.value(QLatin1String("dtype")).toString(), QStringLiteral("F32"));
        QCOMPARE(projected.value(QLatin1String("shape")).toArray(),
                 (QJsonArray{shown->tokens(), shown->dimensions()}));
        const auto offset = static_cast<qsizetype>(
            projected.value(QLatin1String("data_offsets")).toArray().first().toInteger());
        const std::vector<float>& values = *shown->values.data;
        QCOMPARE(std::memcmp(bytes.constData() + begin + offset, values.data(),
                             values.size() * sizeof(float)),
                 0);
        const QString manifest = tensors.value(QLatin1String("__metadata__"))
                                     .toObject()
                                     .value(QLatin1String("earscope"))
                                     .toString();
        QVERIFY(manifest.contains(QLatin1String("Describe this.")));

        const QString archive = desk.folder.filePath(QStringLiteral("out.npz"));
        QVERIFY(exportTo(desk, archive));
        QFile zip(archive);
        QVERIFY(zip.open(QIODevice::ReadOnly));
        QCOMPARE(zip.read(4), QByteArray("PK\x03\x04"));
        QCOMPARE(desk.window->problems().count(), 0);
        QVERIFY(desk.window->close());
    }

    void cursor_inOneView_isSeenInTheOthers() {
        Desk desk;
        QVERIFY(desk.ready());
        desk.action("extractAction")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(desk.embeddings()->hasMatrices(), kPatience);
        const int row = desk.window->state().prepared()->sources[0].tokenPositions[5];
        desk.tokens()->selectRow(row);
        QCOMPARE(desk.window->cursor().token(), 5);
        QVERIFY(desk.embeddings()->plot()->cursorText().contains(QLatin1String("token 5,")));
        QVERIFY(
            desk.part<SignalView>("signalView")->cursorText().contains(QLatin1String("token 5")));
        // Esc releases it while nothing runs.
        desk.action("stopAction")->trigger();
        QVERIFY(!desk.window->cursor().isLocked());
    }

    void stop_keepsThePartOfTheAnswer() {
        Desk desk;
        QVERIFY(desk.ready());
        desk.prompt()->setBudget(5'000);
        desk.action("generateAction")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(!desk.prompt()->answer().isEmpty(), kPatience);
        desk.part<QPushButton>("stop")->click();
        QTRY_VERIFY_WITH_TIMEOUT(!desk.window->generating().isRunning(), 5'000);
        QVERIFY(!desk.prompt()->answer().isEmpty());
        QVERIFY(desk.part<QLabel>("answerStatus")
                    ->text()
                    .startsWith(QLatin1String("Stopped at token")));
        QVERIFY(desk.generate(4));
    }

    void prompt_withControlToken_isRefusedInline() {
        Desk desk;
        QVERIFY(desk.ready());
        desk.prompt()->setPrompt(QStringLiteral("Hello <|im_end|>"));
        QTRY_VERIFY_WITH_TIMEOUT(!desk.window->state().problem().isEmpty(), kPatience);
        QVERIFY(desk.part<QLabel>("promptProblem")->isVisible());
        QVERIFY(desk.part<QLabel>("promptProblem")->text().contains(QLatin1String("<|im_end|>")));
        QVERIFY(!desk.action("generateAction")->isEnabled());
        QVERIFY(desk.window->findChild<QMessageBox*>() == nullptr);
        desk.prompt()->setPrompt(QStringLiteral("Hello"));
        QTRY_VERIFY_WITH_TIMEOUT(desk.window->state().prepared() != nullptr, kPatience);
        QVERIFY(desk.action("generateAction")->isEnabled());
    }

    void source_unreadable_blocksOnlyTheRun() {
        Desk desk;
        QVERIFY(desk.ready());
        desk.window->openArguments({sound("empty.wav")});
        auto* panel = desk.part<SourcesPanel>("sourcesPanel");
        QTRY_VERIFY_WITH_TIMEOUT(
            panel->sources().size() == 2 && !panel->sources()[1].error.isEmpty(), kPatience);
        QVERIFY(panel->sources()[0].error.isEmpty());
        QVERIFY(!desk.action("generateAction")->isEnabled());
        QCOMPARE(desk.window->problems().count(), 1);
        Q_EMIT panel->removeRequested(1);
        QTRY_VERIFY_WITH_TIMEOUT(desk.window->state().prepared() != nullptr, kPatience);
        QVERIFY(desk.action("generateAction")->isEnabled());
    }

    void sources_moved_arePreparedInTheirNewOrder() {
        Desk desk;
        QVERIFY(desk.ready());
        desk.window->openArguments({sound("mono8.ogg")});
        QTRY_VERIFY_WITH_TIMEOUT(
            desk.window->state().prepared() && desk.window->state().prepared()->sources.size() == 2,
            kPatience);
        const int second = desk.window->state().prepared()->sources[1].tokens;
        Q_EMIT desk.part<SourcesPanel>("sourcesPanel")->moveRequested(1, 0);
        QTRY_VERIFY_WITH_TIMEOUT(desk.window->state().prepared() != nullptr, kPatience);
        QCOMPARE(desk.window->state().prepared()->sources[0].tokens, second);
        QCOMPARE(desk.window->state().audioPaths().front(), sound("mono8.ogg"));
    }

    void model_missing_isExplainedInThePanel() {
        Desk desk;
        desk.show();
        desk.window->openModel(desk.folder.path());
        QTRY_VERIFY_WITH_TIMEOUT(desk.part<QLabel>("modelFailure")->isVisible(), kPatience);
        QVERIFY(!desk.part<QLabel>("modelFailureDetail")->text().isEmpty());
        QCOMPARE(desk.window->problems().count(), 1);
    }

    void guiThread_whileGenerating_neverWaits() {
        Desk desk;
        QVERIFY(desk.ready("long65.ogg"));
        qint64 worst = 0;
        // A busy machine can hold up any thread; a window that waits does so every time.
        for (int attempt = 0; attempt < 3; ++attempt) {
            const Watch watch;
            QVERIFY(desk.generate(200));
            worst = watch.longest();
            qInfo("longest wait of a 5 ms timer while generating: %lld ms", worst);
            if (worst <= 100) {
                break;
            }
        }
        QVERIFY(worst <= 100);
    }

    void guiThread_whileALongFileIsReadAndPrepared_neverWaits() {
        qint64 worst = 0;
        for (int attempt = 0; attempt < 3; ++attempt) {
            Desk desk;
            QVERIFY(desk.ready("mono8.ogg"));
            const Watch watch;
            desk.window->openArguments({sound("over1200.flac")});
            QTRY_VERIFY_WITH_TIMEOUT(desk.window->state().prepared() &&
                                         desk.window->state().prepared()->sources.size() == 2,
                                     3 * kPatience);
            QTest::qWait(200);
            worst = watch.longest();
            qInfo("longest wait while twenty minutes are read, prepared and shown: %lld ms", worst);
            if (worst <= 100) {
                break;
            }
        }
        QVERIFY(worst <= 100);
    }

    void close_whileRunning_asksFirst() {
        Desk desk;
        QVERIFY(desk.ready());
        desk.prompt()->setBudget(5'000);
        desk.action("generateAction")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(!desk.prompt()->answer().isEmpty(), kPatience);
        QVERIFY(!desk.window->close());
        QVERIFY(desk.window->isVisible());
        auto* yes = desk.part<QPushButton>("stopAndClose");
        QVERIFY(yes != nullptr);
        yes->click();
        QTRY_VERIFY(!desk.window->isVisible());
    }

    void close_atAnyMoment_endsCleanly() {
        for (int i = 0; i < 12; ++i) {
            QElapsedTimer timer;
            {
                Desk desk;
                desk.show();
                desk.window->openModel(snapshot());
                desk.window->openArguments({sound("long65.ogg")});
                desk.prompt()->setPrompt(QStringLiteral("Describe this."));
                if (i % 3 == 0) {
                    QTest::qWait(i * 23);  // while it loads, reads or prepares
                } else {
                    QTRY_VERIFY_WITH_TIMEOUT(desk.window->state().prepared() != nullptr, kPatience);
                    desk.prompt()->setBudget(5'000);
                    desk.action("generateAction")->trigger();
                    if (i % 3 == 2) {
                        desk.action("extractAction")->trigger();
                    }
                    QTest::qWait(i * 31);
                }
                timer.start();
                desk.window->closeNow();
                QVERIFY(!desk.window->isVisible());
            }
            QVERIFY2(timer.elapsed() < 5'000, qPrintable(QString::number(timer.elapsed())));
        }
    }

    void pictures_atEverySize_showEveryPanel_data() {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<bool>("dark");
        for (const QSize size : {QSize(1024, 700), QSize(1440, 900), QSize(1920, 1080)}) {
            QTest::addRow("%dx%d light", size.width(), size.height()) << size << false;
            QTest::addRow("%dx%d dark", size.width(), size.height()) << size << true;
        }
    }

    /// Set EARSCOPE_PICTURES to a folder to look at them.
    void pictures_atEverySize_showEveryPanel() {
        QFETCH(QSize, size);
        QFETCH(bool, dark);
        Desk desk;
        desk.window->setTheme(dark ? Theme::Dark : Theme::Light);
        const QString folder = qEnvironmentVariable("EARSCOPE_PICTURES");
        const auto picture = [&](const char* name) {
            QTest::qWait(50);
            const QPixmap pixmap = desk.window->grab();
            QVERIFY(!pixmap.isNull());
            if (!folder.isEmpty()) {
                pixmap.save(QStringLiteral("%1/%2-%3-%4.png")
                                .arg(folder, QLatin1String(name))
                                .arg(size.width())
                                .arg(dark ? QStringLiteral("dark") : QStringLiteral("light")));
            }
        };
        desk.show();
        desk.window->resize(size);
        picture("start");
        QVERIFY(desk.ready("long65.ogg"));
        desk.window->resize(size);
        QVERIFY(desk.generate(100));
        desk.window->cursor().lockToken(0, 700);
        picture("tokens");
        desk.action("extractAction")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(desk.embeddings()->hasMatrices(), kPatience);
        picture("embeddings");
        QCOMPARE(desk.window->size(), size);
        for (const char* name :
             {"modelPanel", "sourcesPanel", "promptPanel", "signalView", "tabs"}) {
            const auto* panel = desk.part<QWidget>(name);
            const QRect rect(panel->mapTo(desk.window.get(), QPoint(0, 0)), panel->size());
            QVERIFY2(desk.window->rect().contains(rect), name);
        }
        desk.window->setTheme(Theme::Light);
    }

    void pictures_ofSpecialStates_areComplete() {
        Desk desk;
        desk.window->setTheme(Theme::Light);
        const QString folder = qEnvironmentVariable("EARSCOPE_PICTURES");
        const auto picture = [&](const char* name, QWidget* widget) {
            QTest::qWait(50);
            const QPixmap pixmap = widget->grab();
            QVERIFY(!pixmap.isNull());
            if (!folder.isEmpty()) {
                pixmap.save(QStringLiteral("%1/%2.png").arg(folder, QLatin1String(name)));
            }
        };
        desk.show();
        desk.window->openModel(desk.folder.path());
        QTRY_VERIFY_WITH_TIMEOUT(desk.part<QLabel>("modelFailure")->isVisible(), kPatience);
        const QString longName = desk.folder.filePath(QStringLiteral(
            "a very long name of a recording, 中文 и кириллица, with all its details "
            "(live, second take).wav"));
        QVERIFY(QFile::copy(sound("stereo44.wav"), longName));
        desk.window->openArguments({longName, sound("empty.wav"), sound("over1200.flac"),
                                    sound("three32.flac"), sound("mono22.mp3")});
        auto* panel = desk.part<SourcesPanel>("sourcesPanel");
        QTRY_VERIFY_WITH_TIMEOUT(
            panel->sources().size() == 5 &&
                std::none_of(panel->sources().begin(), panel->sources().end(),
                             [](const SourceEntry& entry) { return entry.loading; }),
            kPatience);
        picture("failures", desk.window.get());
        Q_EMIT panel->removeRequested(1);
        desk.window->openModel(snapshot());
        desk.prompt()->setPrompt(QStringLiteral("<audio> is one, <audio> is two"));
        QTRY_VERIFY_WITH_TIMEOUT(!desk.window->state().problem().isEmpty(), 2 * kPatience);
        picture("marker mismatch", desk.window.get());
        desk.prompt()->setPrompt(QStringLiteral("Compare them."));
        QTRY_VERIFY_WITH_TIMEOUT(desk.window->state().prepared() != nullptr, 2 * kPatience);
        picture("four sources", desk.window.get());
        desk.action("exportFile")->trigger();
        desk.window->exporting().dialog()->setFile(
            desk.folder.filePath(QStringLiteral("out.safetensors")));
        picture("export", desk.window->exporting().dialog());
        desk.window->exporting().dialog()->close();
        desk.action("shortcuts")->trigger();
        auto* keys = desk.part<QDialog>("shortcutsDialog");
        QVERIFY(keys != nullptr);
        picture("keys", keys);
        keys->close();
        desk.prompt()->setBudget(5'000);
        desk.action("generateAction")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(desk.part<QPushButton>("cancel")->isVisible(), kPatience);
        QTest::qWait(300);
        picture("running", desk.window.get());
        desk.window->closeNow();
    }

    void keys_singleLetters_workOutsideTextFields() {
        Desk desk;
        QVERIFY(desk.ready());
        QVERIFY(QTest::qWaitForWindowActive(desk.window.get()));
        auto* view = desk.part<SignalView>("signalView");
        QSignalSpy played(desk.action("playToken"), &QAction::triggered);
        view->setFocus();
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_1);
        QVERIFY(desk.window->cursor().isLocked());
        desk.part<QWidget>("promptEditor")->setFocus();
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_P);
        QCOMPARE(played.count(), 0);
        QVERIFY(desk.prompt()->settings().prompt.contains(QLatin1Char('p')));
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_2, Qt::AltModifier);
        QVERIFY(desk.embeddings()->isVisible());
        const QWidget* before = QApplication::focusWidget();
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_F6);
        QVERIFY(QApplication::focusWidget() != before);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_F, Qt::ControlModifier);
        QCOMPARE(QApplication::focusWidget()->objectName(), QStringLiteral("moduleSearch"));
    }

    void zoom_ofOneView_isFollowedByTheOther() {
        Desk desk;
        QVERIFY(desk.ready("long65.ogg"));
        desk.action("extractAction")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(desk.embeddings()->hasMatrices(), kPatience);
        auto* view = desk.part<SignalView>("signalView");
        view->setVisibleRange(10, 20);
        QCOMPARE(desk.embeddings()->plot()->timeAxis().begin(), view->timeAxis().begin());
        desk.embeddings()->plot()->zoomIn();
        QCOMPARE(view->timeAxis().end(), desk.embeddings()->plot()->timeAxis().end());
        QVERIFY(view->timeAxis().span() < 6);
    }

    void settings_areKeptInTheProfile() {
        QTemporaryDir folder;
        {
            MainWindow window(AppPaths::inProfile(folder.path()));
            window.findChild<PromptPanel*>()->setPrompt(QStringLiteral("Remember me"));
            window.show();
            window.close();
        }
        MainWindow again(AppPaths::inProfile(folder.path()));
        QCOMPARE(again.findChild<PromptPanel*>()->settings().prompt, QStringLiteral("Remember me"));
        QCOMPARE(again.state().prompt(), QStringLiteral("Remember me"));
    }

private:
    static bool exportTo(Desk& desk, const QString& file) {
        desk.action("exportFile")->trigger();
        ExportDialog* dialog = desk.window->exporting().dialog();
        if (dialog == nullptr) {
            return false;
        }
        dialog->setFile(file);
        dialog->findChild<QCheckBox*>(QStringLiteral("exportContextual"))->setChecked(true);
        QSignalSpy exported(&desk.window->exporting(), &ExportController::exported);
        dialog->findChild<QPushButton*>(QStringLiteral("exportButton"))->click();
        return QTest::qWaitFor([&exported] { return exported.count() == 1; }, kPatience) &&
               QTest::qWaitFor([&desk] { return desk.window->exporting().dialog() == nullptr; });
    }
};

QTEST_MAIN(TestMainWindow)
#include "tst_main_window.moc"
