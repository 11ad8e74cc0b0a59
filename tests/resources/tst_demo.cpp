#include "core/session.h"
#include "resources/demo_paths.h"

#include <QTest>

#include <filesystem>
#include <fstream>

using namespace earscope;

/// The built-in demonstration model and clips: there, small, honest about themselves, and read as
/// Python Transformers reads them.
class TestDemo : public QObject {
    Q_OBJECT

private:
    std::shared_ptr<Session> session_;

private Q_SLOTS:
    void initTestCase() {
        session_ = load_model(demo_folder() / "music-flamingo",
                              {.device = "cpu", .dtype = at::kFloat, .stop = {}, .progress = {}});
    }

    void demoFolder_environment_isTakenAsItIs() {
        const std::filesystem::path usual = demo_folder();
        qputenv("EARSCOPE_DEMO", "/somewhere/else");
        const std::filesystem::path chosen = demo_folder();
        qunsetenv("EARSCOPE_DEMO");
        QCOMPARE(chosen.string(), std::string("/somewhere/else"));
        QVERIFY(std::filesystem::is_directory(usual));
    }

    void files_together_areUnderThreeMegabytes() {
        std::uintmax_t bytes = 0;
        for (const char* part : {"music-flamingo", "clips"}) {
            for (const auto& entry : std::filesystem::directory_iterator(demo_folder() / part)) {
                bytes += entry.file_size();
            }
        }
        QVERIFY2(bytes > 1'000'000 && bytes < 3'000'000, std::to_string(bytes).c_str());
    }

    void config_untrained_saysSo() {
        QCOMPARE(session_->snapshot().config.at("earscope_demo").at("trained").get<bool>(), false);
    }

    void generate_clip_saysWhatTransformersSays_data() {
        // Transformers 5.24 on the same snapshot and clip, float32, greedy; between the first and
        // the second choice of every token lies at least 0.02.
        QTest::addColumn<QString>("clip");
        QTest::addColumn<qint64>("tokens");
        QTest::addColumn<QString>("answer");
        QTest::newRow("mono note")
            << "one-note.wav" << qint64(50)
            << " calls user melody you trumpet melody sound note least played"
               " audio user melody sound note louder Interpret sharp plucked"
               " sound note louder Interpret flat";
        QTest::newRow("melody") << "melody.wav" << qint64(87)
                                << " input Music optional content assistant least trumpet you input"
                                   " played input Music organ you receive and louder Music play"
                                   " trumpet calls input played input";
        QTest::newRow("stereo") << "two-instruments.wav" << qint64(75)
                                << " input receive melody music input note sharp input note bell"
                                   " note least second one calls plucked assistant Interpret organ"
                                   " than input receive calls plucked";
    }

    void generate_clip_saysWhatTransformersSays() {
        QFETCH(QString, clip);
        QFETCH(qint64, tokens);
        QFETCH(QString, answer);
        const Request request{"What do you hear?", {demo_folder() / "clips" / clip.toStdString()}};
        const PreparedBatch batch = session_->prepare({request});
        QCOMPARE(qint64(batch.slots.at(0).token_count), tokens);
        GenerateOptions options;
        options.max_new_tokens = 24;
        const GenerateResult result = session_->generate(batch, options);
        QCOMPARE(QString::fromStdString(result.texts.at(0)), answer);
    }
};

QTEST_GUILESS_MAIN(TestDemo)
#include "tst_demo.moc"
