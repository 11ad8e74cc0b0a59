#include "core/bridge/session_controller.h"
#include "widgets/prompt/context_bar.h"
#include "widgets/prompt/prompt_editor.h"
#include "widgets/prompt/prompt_panel.h"

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>
#include <QToolButton>

using namespace earscope;

namespace {

template <typename T>
T* part(QWidget& widget, const char* name) {
    return widget.findChild<T*>(QString::fromLatin1(name));
}

StreamValue piece(const char* text, int tokens) {
    StreamValue value;
    value.text = QString::fromUtf8(text);
    value.tokens = tokens;
    value.tokensPerSecond = 12.5;
    return value;
}

}  // namespace

class TestPromptPanel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void init() {
        QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not)")));
    }

    void markers_inserted_areShownBefore() {
        PromptPanel panel;
        panel.setPrompt(QStringLiteral("What is this?"));
        panel.show();
        auto* preview = part<QLabel>(panel, "markerPreview");
        QVERIFY(!preview->isVisible());
        panel.setMarkedPrompt(promptWithDefaultMarkers(QStringLiteral("What is this?"), 2,
                                                       QStringLiteral("Music Flamingo")));
        QVERIFY(preview->isVisible());
        // No line of a marker is broken in its middle.
        QVERIFY(preview->text().contains(QStringLiteral("Audio\u00a02:\u00a0&lt;audio&gt;⏎")));
        // With the user's own markers nothing is inserted.
        panel.setPrompt(QStringLiteral("<audio> or <audio>?"));
        panel.setMarkedPrompt(QStringLiteral("<audio> or <audio>?"));
        QVERIFY(!preview->isVisible());
        QCOMPARE(panel.editor()->markerCount(), 2);
    }

    void profile_greedy_hasNoSeed() {
        PromptPanel panel;
        QCOMPARE(panel.settings().profile, QStringLiteral("paper_reference"));
        QCOMPARE(panel.settings().seed, quint64{3407});
        auto* seed = part<QSpinBox>(panel, "seed");
        QVERIFY(!seed->isEnabled());
        part<QComboBox>(panel, "profile")->setCurrentIndex(1);
        QCOMPARE(panel.settings().profile, QStringLiteral("generic_sampled"));
        QVERIFY(seed->isEnabled());
    }

    void blocked_disablesGenerateAndSaysWhy() {
        PromptPanel panel;
        auto* generate = part<QPushButton>(panel, "generate");
        panel.setBlockedReason(QStringLiteral("Open a model first."));
        QVERIFY(!generate->isEnabled());
        QCOMPARE(generate->toolTip(), QStringLiteral("Open a model first."));
        panel.setBlockedReason({});
        QVERIFY(generate->isEnabled());
        QSignalSpy spy(&panel, &PromptPanel::generateRequested);
        QTest::keyClick(panel.editor(), Qt::Key_Return, Qt::ControlModifier);
        QCOMPARE(spy.count(), 1);
        QVERIFY(panel.settings().prompt.isEmpty());
    }

    void answer_streamed_thenFinished() {
        PromptPanel panel;
        panel.setModel(32'768, false);
        panel.setPromptTokens(312, 250);
        panel.setBlockedReason({});
        panel.beginAnswer();
        QVERIFY(panel.isRunning());
        QVERIFY(!part<QPushButton>(panel, "generate")->isEnabled());
        QVERIFY(part<QPushButton>(panel, "stop")->isEnabled());
        panel.setStage(QStringLiteral("Encoding audio: 1 of 2"));
        QCOMPARE(part<QLabel>(panel, "answerStatus")->text(),
                 QStringLiteral("Encoding audio: 1 of 2"));
        panel.appendAnswer(piece("A calm ", 2));
        panel.appendAnswer(piece("song", 3));
        QVERIFY(
            part<QLabel>(panel, "answerStatus")->text().contains(QLatin1String("12.5 tokens/s")));
        GenerationValue done;
        done.text = QStringLiteral("A calm song.");
        done.tokens.resize(4);
        done.finish = QStringLiteral("eos");
        done.tokensPerSecond = 11;
        panel.finishAnswer(done);
        QCOMPARE(panel.answer(), QStringLiteral("A calm song."));
        QVERIFY(part<QLabel>(panel, "answerStatus")
                    ->text()
                    .contains(QLatin1String("ended by the model")));
        QVERIFY(!panel.isRunning());
    }

    void stopped_keepsTheTextAndSaysWhere() {
        PromptPanel panel;
        panel.setBlockedReason({});
        panel.beginAnswer();
        panel.appendAnswer(piece("half an ans", 7));
        QSignalSpy stop(&panel, &PromptPanel::stopRequested);
        part<QPushButton>(panel, "stop")->click();
        QCOMPARE(stop.count(), 1);
        panel.stopAnswer();
        QCOMPARE(panel.answer(), QStringLiteral("half an ans"));
        QVERIFY(part<QLabel>(panel, "answerStatus")
                    ->text()
                    .startsWith(QLatin1String("Stopped at token 7")));
    }

    void failure_isShownInline() {
        PromptPanel panel;
        panel.beginAnswer();
        panel.failAnswer({FailureKind::Device, QStringLiteral("out of memory")});
        QVERIFY(
            part<QLabel>(panel, "answerStatus")->text().contains(QLatin1String("out of memory")));
        QVERIFY(!panel.isRunning());
        panel.setProblem(QStringLiteral("1 marker, 2 audios"));
        QVERIFY(part<QLabel>(panel, "promptProblem")
                    ->text()
                    .contains(QLatin1String("1 marker, 2 audios")));
    }

    void edits_inForce_markButtonAndAnswer() {
        PromptPanel panel;
        panel.setBlockedReason({});
        panel.show();
        auto* chip = part<QToolButton>(panel, "editsChip");
        auto* edited = part<QLabel>(panel, "answerEdited");
        auto* outdated = part<QLabel>(panel, "answerOutdated");
        QVERIFY(!chip->isVisible() && !edited->isVisible() && !outdated->isVisible());
        const QString zero = QStringLiteral("layers:0-0=zero");
        panel.setEdits({zero});
        QCOMPARE(chip->accessibleName(), QStringLiteral("1 edit in force"));
        QVERIFY(chip->isVisible() && chip->toolTip().contains(zero));
        QVERIFY(part<QPushButton>(panel, "generate")->toolTip().contains(QLatin1String("1 edit")));
        QVERIFY(!outdated->isVisible());  // there is no answer yet
        QSignalSpy asked(&panel, &PromptPanel::editsRequested);
        chip->click();
        QCOMPARE(asked.count(), 1);
        panel.beginAnswer();
        QVERIFY(edited->isVisible() && edited->text().contains(zero));
        GenerationValue done;
        done.text = QStringLiteral("Other words.");
        done.edits = QStringList{zero};
        panel.finishAnswer(done);
        QVERIFY(edited->isVisible() && !outdated->isVisible());
        panel.setEdits({});
        QVERIFY(!chip->isVisible());
        QVERIFY(edited->isVisible() && outdated->isVisible());
    }

    void context_prompts_areCountedAgainstTheModel() {
        PromptPanel panel;
        panel.setModel(1'000, true);
        panel.setBudget(600);
        panel.setPromptTokens(300, 200);
        auto* bar = part<ContextBar>(panel, "contextBar");
        QVERIFY(!bar->isOver());
        QCOMPARE(bar->description(),
                 QStringLiteral("Prompt 300 (audio 200) + budget 600 of 1000 tokens"));
        panel.setPromptTokens(500, 400);
        QVERIFY(bar->isOver());
        QVERIFY(part<QLabel>(panel, "contextText")->text().contains(QLatin1String("500")));
    }
};

QTEST_MAIN(TestPromptPanel)
#include "tst_prompt_panel.moc"
