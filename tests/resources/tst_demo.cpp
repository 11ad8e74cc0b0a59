#include "core/session.h"
#include "resources/demo_paths.h"

#include <QTest>

#include <filesystem>
#include <map>

using namespace earscope;

/// The built-in demonstration models and clips: there, small, honest about themselves, and right
/// about the clips.
class TestDemo : public QObject {
    Q_OBJECT

private:
    std::map<std::string, std::shared_ptr<Session>> sessions_;

private Q_SLOTS:
    void initTestCase() {
        for (const char* family : {"music-flamingo", "moss-music"}) {
            sessions_[family] =
                load_model(demo_folder() / family,
                           {.device = "cpu", .dtype = at::kFloat, .stop = {}, .progress = {}});
        }
    }

    void demoFolder_environment_isTakenAsItIs() {
        const std::filesystem::path usual = demo_folder();
        qputenv("EARSCOPE_DEMO", "/somewhere/else");
        const std::filesystem::path chosen = demo_folder();
        qunsetenv("EARSCOPE_DEMO");
        QCOMPARE(chosen.string(), std::string("/somewhere/else"));
        QVERIFY(std::filesystem::is_directory(usual));
    }

    void files_together_areUnderSevenMegabytes() {
        std::uintmax_t bytes = 0;
        for (const char* part : {"music-flamingo", "moss-music", "clips"}) {
            for (const auto& entry : std::filesystem::directory_iterator(demo_folder() / part)) {
                bytes += entry.file_size();
            }
        }
        QVERIFY2(bytes > 1'000'000 && bytes < 7'000'000, std::to_string(bytes).c_str());
    }

    void config_trained_saysSo() {
        for (const auto& [family, session] : sessions_) {
            QVERIFY2(session->snapshot().config.at("earscope_demo").at("trained").get<bool>(),
                     family.c_str());
        }
    }

    void generate_demoClip_answersRight_data() {
        QTest::addColumn<QString>("families");
        QTest::addColumn<QString>("clips");
        QTest::addColumn<QString>("question");
        QTest::addColumn<QString>("answer");
        const auto row = [](const char* families, const char* clips, const char* question,
                            const char* answer) {
            QTest::addRow("%s: %s", clips, question)
                << QString::fromLatin1(families) << QString::fromLatin1(clips)
                << QString::fromLatin1(question) << QString::fromLatin1(answer);
        };
        const char* both = "music-flamingo moss-music";
        row(both, "one-note", "Which note is this?", "A");
        row(both, "one-note", "Which instrument is this?", "trumpet");
        row(both, "high-note", "Which note is this?", "E flat");
        row(both, "high-note", "Which instrument is this?", "flute");
        row(both, "melody", "Do the notes go up or down?", "up");
        row(both, "pulse", "What is the tempo?", "fast");
        row(both, "late-note", "When does the sound start?", "5");
        row(both, "one-note high-note", "Which instrument is in audio 2?", "flute");
        row("moss-music", "melody", "How many notes are there?", "four");
        row("moss-music", "two-instruments", "Which instrument comes first?", "clarinet");
        row("moss-music", "one-note high-note", "Which audio is higher?", "second");
    }

    void generate_demoClip_answersRight() {
        QFETCH(QString, families);
        QFETCH(QString, clips);
        QFETCH(QString, question);
        QFETCH(QString, answer);
        Request request{question.toStdString(), {}};
        for (const QString& clip : clips.split(QLatin1Char(' '))) {
            request.audios.emplace_back(demo_folder() / "clips" / (clip.toStdString() + ".wav"));
        }
        GenerateOptions options;
        options.max_new_tokens = 8;
        for (const QString& name : families.split(QLatin1Char(' '))) {
            const std::string family = name.toStdString();
            const GenerateResult result = sessions_.at(family)->generate({request}, options);
            QVERIFY2(result.texts.at(0) == answer.toStdString(),
                     (family + " says " + result.texts.at(0)).c_str());
            QVERIFY(result.finish.at(0) == Finish::Eos);
        }
    }
};

QTEST_GUILESS_MAIN(TestDemo)
#include "tst_demo.moc"
