#include "tests/core/tokenizer/tokenizer_fixtures.h"

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QtTest>

#include <limits>
#include <map>
#include <thread>

namespace earscope {
namespace {

using Ids = std::vector<std::int64_t>;
using Texts = std::vector<std::string>;

constexpr int kCases = 567;

void compare_case(const Tokenizer& tokenizer, const nlohmann::json& one, Differences& differences) {
    const auto text = one.at("text").get<std::string>();
    const std::string name = nlohmann::json(text).dump(-1, ' ', true);
    const Ids ids = tokenizer.encode(text);
    const Ids wanted = one.at("ids").get<Ids>();
    differences.compare(ids, wanted, name + " ids");
    if (one.contains("pieces")) {
        Texts pieces;
        for (const std::int64_t id : wanted) {
            pieces.push_back(tokenizer.piece(id));
        }
        differences.compare(pieces, one.at("pieces").get<Texts>(), name + " pieces");
        differences.compare(tokenizer.split(text), one.at("splits").get<Texts>(), name + " splits");
    }
    differences.compare(tokenizer.decode(wanted, false), one.at("decoded").get<std::string>(),
                        name + " decoded");
    differences.compare(tokenizer.decode(wanted, true),
                        one.at("decoded_skip_special").get<std::string>(),
                        name + " decoded without special tokens");
}

/// One id list of the streaming fixtures, with or without special tokens.
void compare_stream(const Tokenizer& tokenizer, const nlohmann::json& one, bool skip,
                    Differences& differences) {
    const nlohmann::json& wanted = one.at(skip ? "skip" : "keep");
    const Ids ids = one.at("ids").get<Ids>();
    const std::string name = one.at("label").get<std::string>() + (skip ? " (skip)" : " (keep)");
    StreamDecoder decoder(tokenizer, skip);
    Texts pieces;
    std::string joined;
    for (const std::int64_t id : ids) {
        pieces.push_back(decoder.push(id));
        joined += pieces.back();
    }
    const std::string end = decoder.finish();
    differences.compare(pieces, wanted.at("after_each_id").get<Texts>(), name);
    differences.compare(end, wanted.at("at_end").get<std::string>(), name + " at the end");
    differences.compare(joined + end, tokenizer.decode(ids, skip), name + " joined");
    differences.compare(joined + end, wanted.at("full").get<std::string>(), name + " as a whole");
}

}  // namespace

class TestTokenizerCases : public QObject {
    Q_OBJECT

private:
    void run_cases(const Tokenizer& tokenizer, const nlohmann::json& cases) {
        Differences differences;
        for (const nlohmann::json& one : cases) {
            compare_case(tokenizer, one, differences);
        }
        QVERIFY2(differences.none(), differences.summary());
    }

    void run_streams(const Tokenizer& tokenizer, const std::filesystem::path& file) {
        Differences differences;
        const nlohmann::json cases = read_cases(file);
        QCOMPARE(cases.size(), std::size_t(63));
        for (const nlohmann::json& one : cases) {
            compare_stream(tokenizer, one, false, differences);
            compare_stream(tokenizer, one, true, differences);
        }
        QVERIFY2(differences.none(), differences.summary());
    }

    static bool has_real_vocabulary() {
        const bool there = std::filesystem::exists(kRealVocabulary / "tokenizer.json");
        if (!there) {
            qInfo("The real vocabulary is not in the shared fixtures; its cases were not run.");
        }
        return there;
    }

private Q_SLOTS:
    void encode_tinyVocabulary_equalsReference() {
        const nlohmann::json cases = read_cases(kFixtures / "cases-tiny.json");
        QCOMPARE(cases.size(), std::size_t(kCases));
        run_cases(Tokenizer::from_folder(kFixtures / "tiny"), cases);
    }

    void encode_realVocabulary_equalsReference() {
        if (!has_real_vocabulary()) {
            return;
        }
        QElapsedTimer timer;
        timer.start();
        const Tokenizer tokenizer = Tokenizer::from_folder(kRealVocabulary);
        qInfo("the real vocabulary was read in %lld ms", timer.elapsed());
        QCOMPARE(tokenizer.size(), std::int64_t(151672));
        const nlohmann::json cases = read_cases(kSharedFixtures / "cases-qwen.json");
        QCOMPARE(cases.size(), std::size_t(kCases));
        run_cases(tokenizer, cases);
        run_streams(tokenizer, kSharedFixtures / "streaming-qwen.json");
    }

    void encode_realVocabularySlow_equalsSlowReference() {
        if (!has_real_vocabulary()) {
            return;
        }
        const Tokenizer tokenizer = Tokenizer::from_folder(kRealVocabulary, TokenizerKind::Slow);
        std::map<std::string, Ids> slow;
        const nlohmann::json fixture = read_fixture(kFixtures / "slow-differences-qwen.json");
        for (const nlohmann::json& one : fixture.at("encode_differences")) {
            slow[one.at("text").get<std::string>()] = one.at("ids_slow").get<Ids>();
        }
        QCOMPARE(slow.size(), std::size_t(6));
        Differences differences;
        for (const nlohmann::json& one : read_cases(kSharedFixtures / "cases-qwen.json")) {
            const auto text = one.at("text").get<std::string>();
            const auto other = slow.find(text);
            differences.compare(tokenizer.encode(text),
                                other == slow.end() ? one.at("ids").get<Ids>() : other->second,
                                nlohmann::json(text).dump(-1, ' ', true));
        }
        QVERIFY2(differences.none(), differences.summary());
    }

    void push_tinyVocabulary_equalsReference() {
        run_streams(Tokenizer::from_folder(kFixtures / "tiny"), kFixtures / "streaming-tiny.json");
    }

    void encode_musicFlamingoSnapshot_equalsReference() {
        run_cases(Tokenizer::from_folder(kFixtures / "mf-tiny"),
                  read_cases(kFixtures / "mf-tiny" / "tokenizer_cases.json"));
    }

    /// The reference for both kinds was made from the same snapshot: tokenizer.json by the Rust
    /// library, vocab.json and its companions by the slow tokenizer.
    void encode_mossSnapshot_equalsBothReferences() {
        const std::filesystem::path folder = kFixtures / "moss-tiny";
        const Tokenizer fast = Tokenizer::from_folder(folder);
        const Tokenizer slow = Tokenizer::from_folder(folder, TokenizerKind::Slow);
        const nlohmann::json texts = read_cases(kFixtures / "cases-tiny.json");
        const nlohmann::json fixture = read_fixture(folder / "cases.json");
        Differences differences;
        for (std::size_t i = 0; i < texts.size(); ++i) {
            const auto text = texts[i].at("text").get<std::string>();
            const std::string name = "text " + std::to_string(i);
            const Ids wanted = fixture.at("fast").at(i).get<Ids>();
            const Ids wanted_slow = fixture.at("slow_differences").value(std::to_string(i), wanted);
            differences.compare(fast.encode(text), wanted, name);
            differences.compare(slow.encode(text), wanted_slow, name + ", slow");
        }
        for (const nlohmann::json& one : fixture.at("more")) {
            const auto text = one.at("text").get<std::string>();
            const Ids fast_ids = fast.encode(text);
            const Ids slow_ids = slow.encode(text);
            differences.compare(fast_ids, one.at("fast").get<Ids>(), text);
            differences.compare(slow_ids, one.at("slow").get<Ids>(), text + ", slow");
            for (const bool skip : {false, true}) {
                const char* end = skip ? "skip" : "keep";
                differences.compare(fast.decode(fast_ids, skip),
                                    one.at(std::string("fast_") + end).get<std::string>(), text);
                differences.compare(slow.decode(slow_ids, skip),
                                    one.at(std::string("slow_") + end).get<std::string>(), text);
            }
        }
        QCOMPARE(differences.compared(), 2 * kCases + 6 * 6);
        QVERIFY2(differences.none(), differences.summary());
    }

    void fromFolder_slowWithoutTokenizerJson_isTheSame() {
        const std::filesystem::path folder = kFixtures / "moss-tiny";
        QTemporaryDir copy;
        for (const char* name : {"vocab.json", "merges.txt", "tokenizer_config.json"}) {
            std::filesystem::copy_file(folder / name, path_of(copy) / name);
        }
        QTemporaryDir old_form;  // as transformers wrote it before "added_tokens_decoder"
        for (const char* name :
             {"vocab.json", "merges.txt", "added_tokens.json", "special_tokens_map.json"}) {
            std::filesystem::copy_file(folder / name, path_of(old_form) / name);
        }
        const Tokenizer whole = Tokenizer::from_folder(folder, TokenizerKind::Slow);
        for (const Tokenizer& other :
             {Tokenizer::from_folder(path_of(copy)), Tokenizer::from_folder(path_of(old_form))}) {
            const std::string text = "<|im_start|>e\u0301<think>a</think><|im_end|>\u0338";
            QCOMPARE(other.encode(text), whole.encode(text));
            QCOMPARE(other.size(), std::int64_t(1028));
            QCOMPARE(other.added_tokens().size(), std::size_t(28));
            for (std::int64_t id = 0; id < other.size(); ++id) {
                QCOMPARE(other.is_special(id), whole.is_special(id));
                QCOMPARE(other.piece(id), whole.piece(id));
            }
        }
    }

    void encode_manyThreads_agree() {
        const Tokenizer tokenizer = Tokenizer::from_folder(kFixtures / "tiny");
        const nlohmann::json cases = read_cases(kFixtures / "cases-tiny.json");
        std::vector<int> wrong(4);
        std::vector<std::thread> threads;
        for (int& count : wrong) {
            threads.emplace_back([&tokenizer, &cases, &count] {
                for (const nlohmann::json& one : cases) {
                    const Ids ids = tokenizer.encode(one.at("text").get_ref<const std::string&>());
                    count += ids == one.at("ids").get<Ids>() ? 0 : 1;
                }
            });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
        QCOMPARE(wrong, std::vector<int>(4, 0));
    }

    void ids_unknown_areNothing() {
        const Tokenizer tokenizer = Tokenizer::from_folder(kFixtures / "tiny");
        QCOMPARE(tokenizer.size(), std::int64_t(1010));
        for (const std::int64_t id :
             {std::int64_t(-1), std::int64_t(1010), std::int64_t(151669),
              std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}) {
            QCOMPARE(tokenizer.piece(id), std::string());
            QCOMPARE(tokenizer.bytes(id), std::string());
            QVERIFY(!tokenizer.is_special(id));
            QCOMPARE(tokenizer.decode({39, id, 64}, false), std::string("Ha"));
            StreamDecoder decoder(tokenizer, false);
            QCOMPARE(decoder.push(id) + decoder.finish(), std::string());
        }
        QCOMPARE(tokenizer.id_of("<|im_end|>"), std::optional<std::int64_t>(1002));
        QCOMPARE(tokenizer.id_of("lo"), std::optional<std::int64_t>(260));
        QVERIFY(!tokenizer.id_of("<|AUDIO|>"));
        QVERIFY(tokenizer.is_special(1002));
        QVERIFY(!tokenizer.is_special(1006));
    }

    /// BL24: texts on which other implementations of this pattern and of NFC went wrong.
    void encode_bugLogTexts_equalsReference() {
        const Tokenizer tokenizer = Tokenizer::from_folder(kFixtures / "tiny");
        const Texts texts = read_fixture(kFixtures / "BL24_texts.json").get<Texts>();
        const nlohmann::json wanted = read_fixture(kFixtures / "BL24_tiny.json");
        QCOMPARE(texts.size(), std::size_t(18));
        QCOMPARE(wanted.size(), texts.size());
        Differences differences;
        for (std::size_t i = 0; i < texts.size(); ++i) {
            const std::string name = "BL24 text " + std::to_string(i);
            const Ids ids = tokenizer.encode(texts[i]);
            differences.compare(ids, wanted[i].at("ids").get<Ids>(), name);
            differences.compare(tokenizer.decode(ids, false),
                                wanted[i].at("nfc").get<std::string>(), name + " decoded");
        }
        QVERIFY2(differences.none(), differences.summary());
    }
};

}  // namespace earscope

QTEST_GUILESS_MAIN(earscope::TestTokenizerCases)
#include "tst_tokenizer_cases.moc"
