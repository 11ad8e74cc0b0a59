#include "core/base/errors.h"
#include "core/models/prompt.h"
#include "tests/support/tiny_model.h"

#include <QTest>

using namespace earscope;
using namespace earscope::testing;

class TestPrompt : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void defaults_followTheContract() {
        const auto mf = Family::MusicFlamingo;
        const auto moss = Family::MossMusic;
        QCOMPARE(prompt_with_markers("p", 0, mf), std::string("p"));
        QCOMPARE(prompt_with_markers("p", 1, mf), std::string("<audio>\np"));
        QCOMPARE(prompt_with_markers("p", 2, mf),
                 std::string("Audio 1: <audio>\nAudio 2: <audio>\np"));
        QCOMPARE(prompt_with_markers("p", 1, moss), std::string("Audio 1: <audio>\np"));
        QCOMPARE(prompt_with_markers("a <audio> b", 1, mf), std::string("a <audio> b"));
        QCOMPARE(prompt_with_markers("", 1, mf), std::string("<audio>\n"));
    }

    // moss-facts, "Time markers": digits after every 25 tokens, not among the positions.
    void moss_timeDigits_data() {
        QTest::addColumn<int>("tokens");
        QTest::addColumn<int>("span");
        QTest::newRow("1") << 1 << 3;
        QTest::newRow("24") << 24 << 26;
        QTest::newRow("25") << 25 << 28;
        QTest::newRow("26") << 26 << 29;
        QTest::newRow("50") << 50 << 54;
        QTest::newRow("300") << 300 << 322;
        QTest::newRow("1250") << 1250 << 1349;
    }
    void moss_timeDigits() {
        QFETCH(int, tokens);
        QFETCH(int, span);
        const auto session = load_tiny();
        const std::vector<std::int64_t> counts{tokens};
        const auto with = expand_prompt("<audio>", counts, session->processor(), Family::MossMusic);
        const auto without = expand_prompt("", {}, session->processor(), Family::MossMusic);
        QCOMPARE(static_cast<int>(with.ids.size() - without.ids.size()), span);
        QCOMPARE(with.positions.size(), std::size_t{1});
        QCOMPARE(static_cast<int>(with.positions[0].size()), tokens);
        for (const std::int64_t position : with.positions[0]) {
            QCOMPARE(with.ids[static_cast<std::size_t>(position)],
                     session->processor().audio_token_id);
        }
    }

    void sources_sixUrlsAndFolders_areRefused() {
        const auto session = load_tiny();
        const auto& tokenizer = session->processor().tokenizer;
        using Path = std::filesystem::path;
        Request six{"p", std::vector<AudioSource>(6, Path("a.wav"))};
        QVERIFY_EXCEPTION_THROWN(check_request(six, tokenizer), RequestError);
        for (const std::string source :
             {"https://example.org/a.wav", "file:///a.wav", "s3://bucket/a"}) {
            const Request url{"p", {Path(source)}};
            QVERIFY_EXCEPTION_THROWN(check_request(url, tokenizer), RequestError);
        }
        const Request folder{"p", {std::filesystem::temp_directory_path()}};
        QVERIFY_EXCEPTION_THROWN(check_request(folder, tokenizer), RequestError);
        const Request odd{"p", {Path("odd:name.wav")}};
        check_request(odd, tokenizer);  // a colon alone makes no URL
    }
};

QTEST_GUILESS_MAIN(TestPrompt)
#include "tst_prompt.moc"
