// Files that are damaged or of another kind (L14), texts that are refused, texts made to be slow.
#include "core/base/errors.h"
#include "tests/core/tokenizer/tokenizer_fixtures.h"

#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QtTest>

#include <functional>
#include <random>

namespace earscope {
namespace {

using Json = nlohmann::json;
using Edit = std::function<void(Json&)>;

std::string read_bytes(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(stream), {});
}

void write_bytes(const std::filesystem::path& file, const std::string& bytes) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

/// The message of the SnapshotError, "" when the folder was read.
std::string fault_of(const std::filesystem::path& folder) {
    try {
        Tokenizer::from_folder(folder);
        return {};
    } catch (const SnapshotError& error) {
        return error.what();
    }
}

/// A tokenizer that survived damage to its files must still be safe to use.
void use(const Tokenizer& tokenizer) {
    const std::vector<std::int64_t> ids =
        tokenizer.encode("Hello \u00e9e\u0301 <|im_end|>12\n\n don't \U0001F3B5");
    tokenizer.decode(ids, true);
    tokenizer.decode({-1, 0, 5, 1009, 1010, 99999999}, false);
}

/// One fault: what is done to tokenizer.json and what the message must name.
struct Fault {
    const char* name;
    Edit edit;
    const char* message;
};

Json& added(Json& root, std::size_t index) {
    return root["added_tokens"][index];
}

const std::vector<Fault>& vocabulary_faults() {
    static const std::vector<Fault> faults = {
        {"merge of an unknown token",
         [](Json& r) {
             r["model"]["merges"].push_back({"zq", "xj"});
         },
         "\"zq\", which is not in the vocabulary"},
        {"merge into an unknown token",
         [](Json& r) {
             r["model"]["merges"].push_back({"q", "\u0120"});
         },
         "not in the vocabulary"},
        {"merge of three parts", [](Json& r) { r["model"]["merges"][3] = "a b c"; }, "two parts"},
        {"merge that is a number", [](Json& r) { r["model"]["merges"][3] = 7; }, "merge 3"},
        {"merge of one", [](Json& r) { r["model"]["merges"][3] = Json::array({"a"}); }, "merge 3"},
        {"merges missing", [](Json& r) { r["model"].erase("merges"); }, "\"merges\" is missing"},
        {"vocabulary missing", [](Json& r) { r["model"].erase("vocab"); }, "\"vocab\" is missing"},
        {"vocabulary a list", [](Json& r) { r["model"]["vocab"] = Json::array(); }, "an object"},
        {"id twice", [](Json& r) { r["model"]["vocab"]["!"] = 1; }, "both have id 1"},
        {"id negative", [](Json& r) { r["model"]["vocab"]["!"] = -1; }, "\"!\""},
        {"id a float", [](Json& r) { r["model"]["vocab"]["!"] = 0.5; }, "\"!\""},
        {"id a text", [](Json& r) { r["model"]["vocab"]["!"] = "0"; }, "\"!\""},
        {"id huge", [](Json& r) { r["model"]["vocab"]["!"] = 18446744073709551615ULL; }, "\"!\""},
        {"id outside", [](Json& r) { r["model"]["vocab"]["!"] = 1010; }, "outside of the voc"},
        {"token missing", [](Json& r) { r["model"]["vocab"].erase("lo"); }, ""},
        {"byte missing",
         [](Json& r) {
             r["model"]["vocab"].erase("!");
             r["model"]["vocab"]["!!!"] = 0;
         },
         "stands for byte 33"},
        {"special id outside", [](Json& r) { added(r, 2)["id"] = 2000; },
         "\"<|im_end|>\" has id 2000, outside of the vocabulary"},
        {"special id negative", [](Json& r) { added(r, 2)["id"] = -4; }, "added token 2"},
        {"special id of a plain token", [](Json& r) { added(r, 2)["id"] = 5; }, "of token \"&\""},
        {"special id twice", [](Json& r) { added(r, 2)["id"] = 1001; }, "in each other's way"},
        {"special text twice", [](Json& r) { added(r, 2)["content"] = "<sound>"; }, "other's way"},
        {"special text empty", [](Json& r) { added(r, 2)["content"] = ""; }, "is empty"},
        {"special text in the vocabulary", [](Json& r) { added(r, 2)["content"] = "lo"; },
         "in the vocabulary it has id 260"},
        {"special without id", [](Json& r) { added(r, 2).erase("id"); }, "\"id\" is missing"},
        {"added token a text", [](Json& r) { r["added_tokens"][2] = "x"; }, "an object"},
        {"added tokens an object", [](Json& r) { r["added_tokens"] = Json::object(); }, "a list"},
    };
    return faults;
}

const std::vector<Fault>& kind_faults() {
    static const std::vector<Fault> faults = {
        {"a list", [](Json& r) { r = Json::array(); }, "an object"},
        {"normalizer NFKC", [](Json& r) { r["normalizer"]["type"] = "NFKC"; }, "\"NFKC\""},
        {"normalizer none", [](Json& r) { r["normalizer"] = nullptr; }, "\"normalizer\""},
        {"pre-tokenizer ByteLevel",
         [](Json& r) { r["pre_tokenizer"] = r["pre_tokenizer"]["pretokenizers"][1]; },
         "\"ByteLevel\" is not supported"},
        {"other pattern",
         [](Json& r) {
             r["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"] = "\\p{N}{1,3}";
         },
         "\\p{N}{1,3}"},
        {"pattern a string",
         [](Json& r) {
             r["pre_tokenizer"]["pretokenizers"][0]["pattern"] = Json{{"String", " "}};
         },
         "\"Regex\" is missing"},
        {"behavior",
         [](Json& r) { r["pre_tokenizer"]["pretokenizers"][0]["behavior"] = "Removed"; },
         "\"Isolated\""},
        {"invert", [](Json& r) { r["pre_tokenizer"]["pretokenizers"][0]["invert"] = true; },
         "\"invert\""},
        {"prefix space",
         [](Json& r) { r["pre_tokenizer"]["pretokenizers"][1]["add_prefix_space"] = true; },
         "\"add_prefix_space\""},
        {"second regex", [](Json& r) { r["pre_tokenizer"]["pretokenizers"][1].erase("use_regex"); },
         "\"use_regex\""},
        {"one step only", [](Json& r) { r["pre_tokenizer"]["pretokenizers"].erase(1); }, "two st"},
        {"decoder none", [](Json& r) { r["decoder"] = nullptr; }, "\"decoder\""},
        {"decoder WordPiece", [](Json& r) { r["decoder"]["type"] = "WordPiece"; }, "\"WordPiece\""},
        {"template that adds a token",
         [](Json& r) {
             r["post_processor"] = Json::parse(R"({"type":"TemplateProcessing","single":[
                 {"SpecialToken":{"id":"<|im_end|>","type_id":0}},
                 {"Sequence":{"id":"A","type_id":0}}]})");
         },
         "adds tokens"},
        {"post-processor Bert", [](Json& r) { r["post_processor"]["type"] = "BertProcessing"; },
         "\"BertProcessing\""},
        {"model WordPiece", [](Json& r) { r["model"]["type"] = "WordPiece"; }, "\"WordPiece\""},
        {"model a text", [](Json& r) { r["model"] = "BPE"; }, "model must be an object"},
        {"unknown token", [](Json& r) { r["model"]["unk_token"] = "<unk>"; }, "\"unk_token\""},
        {"ignore merges", [](Json& r) { r["model"]["ignore_merges"] = true; }, "\"ignore_merges\""},
        {"byte fallback", [](Json& r) { r["model"]["byte_fallback"] = true; }, "\"byte_fallback\""},
        {"dropout", [](Json& r) { r["model"]["dropout"] = 0.1; }, "\"dropout\""},
        {"word suffix", [](Json& r) { r["model"]["end_of_word_suffix"] = "</w>"; },
         "\"end_of_word_suffix\""},
        {"flag a number", [](Json& r) { added(r, 0)["lstrip"] = 1; }, "\"lstrip\""},
        {"stripping token", [](Json& r) { added(r, 0)["rstrip"] = true; }, "\"rstrip\""},
        {"single-word token", [](Json& r) { added(r, 0)["single_word"] = true; },
         "\"single_word\""},
    };
    return faults;
}

/// What changes offsets only, or says nothing.
const std::vector<Fault>& harmless_edits() {
    static const std::vector<Fault> edits = {
        {"trim_offsets",
         [](Json& r) { r["pre_tokenizer"]["pretokenizers"][1]["trim_offsets"] = true; }, ""},
        {"decoder flags",
         [](Json& r) {
             r["decoder"] = Json{{"type", "ByteLevel"}, {"use_regex", false}};
         },
         ""},
        {"no post-processor", [](Json& r) { r["post_processor"] = nullptr; }, ""},
        {"post-processor left out", [](Json& r) { r.erase("post_processor"); }, ""},
        {"plain template",
         [](Json& r) {
             r["post_processor"] = Json::parse(R"({"type":"TemplateProcessing","single":[
                 {"Sequence":{"id":"A","type_id":0}}],"pair":[],"special_tokens":{}})");
         },
         ""},
        {"empty prefixes",
         [](Json& r) {
             r["model"]["continuing_subword_prefix"] = "";
             r["model"]["end_of_word_suffix"] = "";
         },
         ""},
        {"settings of a call",
         [](Json& r) {
             r["padding"] = Json{{"strategy", "BatchLongest"}};
         },
         ""},
        {"merges as texts",
         [](Json& r) {
             for (Json& merge : r["model"]["merges"]) {
                 merge = merge[0].get<std::string>() + " " + merge[1].get<std::string>();
             }
         },
         ""},
    };
    return edits;
}

void add_rows(const std::vector<Fault>& faults) {
    QTest::addColumn<std::size_t>("index");
    for (std::size_t i = 0; i < faults.size(); ++i) {
        QTest::newRow(faults[i].name) << i;
    }
}

}  // namespace

class TestTokenizerFaults : public QObject {
    Q_OBJECT

private:
    const std::string text_ = read_bytes(kFixtures / "tiny" / "tokenizer.json");
    const Json root_ = Json::parse(text_);

    void expect_fault(const Fault& fault) {
        Json root = root_;
        fault.edit(root);
        QTemporaryDir folder;
        const std::filesystem::path file = path_of(folder) / "tokenizer.json";
        write_bytes(file, root.dump());
        const std::string message = fault_of(path_of(folder));
        QVERIFY2(message.find(file.string()) != std::string::npos, message.c_str());
        QVERIFY2(message.find(fault.message) != std::string::npos, message.c_str());
        QVERIFY2(message.find('\n') == std::string::npos, message.c_str());
    }

    /// Loads what `mutate` makes of the file, many times: it must be refused or work.
    void replay(const std::filesystem::path& from, const std::vector<const char*>& files,
                const std::function<std::string(std::string, int)>& mutate, int rounds) {
        QTemporaryDir folder;
        for (const char* name : files) {
            std::filesystem::copy_file(from / name, path_of(folder) / name);
        }
        int refused = 0;
        for (int round = 0; round < rounds; ++round) {
            const char* name = files[static_cast<std::size_t>(round) % files.size()];
            const std::string whole = read_bytes(from / name);
            write_bytes(path_of(folder) / name, mutate(whole, round));
            try {
                use(Tokenizer::from_folder(path_of(folder)));
            } catch (const SnapshotError& error) {
                ++refused;
                QVERIFY2(std::string(error.what()).find(path_of(folder).string()) == 0,
                         error.what());
            }
            write_bytes(path_of(folder) / name, whole);
        }
        QCOMPARE_GT(refused, rounds / 10);
        QCOMPARE(fault_of(path_of(folder)), std::string());
    }

private Q_SLOTS:
    void fromFolder_faultyVocabulary_namesIt_data() { add_rows(vocabulary_faults()); }
    void fromFolder_faultyVocabulary_namesIt() {
        QFETCH(std::size_t, index);
        expect_fault(vocabulary_faults()[index]);
    }

    void fromFolder_otherKind_isRefused_data() { add_rows(kind_faults()); }
    void fromFolder_otherKind_isRefused() {
        QFETCH(std::size_t, index);
        expect_fault(kind_faults()[index]);
    }

    void fromFolder_harmlessDifference_givesTheSameIds_data() { add_rows(harmless_edits()); }
    void fromFolder_harmlessDifference_givesTheSameIds() {
        QFETCH(std::size_t, index);
        Json root = root_;
        harmless_edits()[index].edit(root);
        QVERIFY(root != root_ || index == 0);
        QTemporaryDir folder;
        write_bytes(path_of(folder) / "tokenizer.json", root.dump());
        const Tokenizer tokenizer = Tokenizer::from_folder(path_of(folder));
        const std::string text = "The quick brown fox, don't\n 42 <|im_end|>";
        QCOMPARE(tokenizer.encode(text), Tokenizer::from_folder(kFixtures / "tiny").encode(text));
    }

    /// Tokens with "normalized" are looked for in the normalised text, the others in the raw one.
    void encode_normalizedAddedToken_isFoundAfterNormalizing() {
        Json root = root_;
        added(root, 6)["content"] = "<\u00e9>";
        added(root, 6)["normalized"] = true;
        added(root, 7)["content"] = "<\u00e8>";
        QTemporaryDir folder;
        write_bytes(path_of(folder) / "tokenizer.json", root.dump());
        const Tokenizer tokenizer = Tokenizer::from_folder(path_of(folder));
        QCOMPARE(tokenizer.encode("<e\u0301>"), std::vector<std::int64_t>{1006});
        QCOMPARE(tokenizer.encode("<\u00e8>"), std::vector<std::int64_t>{1007});
        QVERIFY(tokenizer.encode("<e\u0300>").size() > 1);
        // All of its characters are byte characters, so it stands for three bytes, as elsewhere.
        QCOMPARE(tokenizer.decode({1006}, false), std::string("<\uFFFD>"));
    }

    void fromFolder_missingOrStrangeFiles_isRefused() {
        QTemporaryDir folder;
        QVERIFY(fault_of(path_of(folder)).find("tokenizer.json") != std::string::npos);
        QVERIFY(!fault_of(path_of(folder) / "nowhere").empty());
        std::filesystem::create_directory(path_of(folder) / "tokenizer.json");
        QVERIFY(!fault_of(path_of(folder)).empty());
    }

    void fromFolder_faultySlowFiles_namesThem() {
        const std::filesystem::path from = kFixtures / "moss-tiny";
        QTemporaryDir folder;
        const auto message_with = [&](const char* name, const std::string& content) {
            for (const char* file : {"vocab.json", "merges.txt", "tokenizer_config.json"}) {
                write_bytes(path_of(folder) / file, read_bytes(from / file));
            }
            write_bytes(path_of(folder) / name, content);
            const std::string message = fault_of(path_of(folder));
            return message.find(name) == std::string::npos ? "unnamed: " + message : message;
        };
        const auto holds = [](const std::string& message, const char* part) {
            return message.find("unnamed") != 0 && message.find(part) != std::string::npos;
        };
        Json vocabulary = Json::parse(read_bytes(from / "vocab.json"));
        vocabulary["!"] = 1 << 22;
        QVERIFY(holds(message_with("vocab.json", vocabulary.dump()), "outside of the vocabulary"));
        QVERIFY(holds(message_with("vocab.json", "{"), "vocab.json"));
        QVERIFY(holds(message_with("merges.txt", "#version: 0.2\na b c\n"), "two parts"));
        QVERIFY(holds(message_with("merges.txt", "zq xj"), "not in the vocabulary"));
        QVERIFY(holds(message_with("merges.txt", "a \xFF"), "not UTF-8"));
        Json config = Json::parse(read_bytes(from / "tokenizer_config.json"));
        config["added_tokens_decoder"]["1e3"] = Json{{"content", "x"}};
        QVERIFY(holds(message_with("tokenizer_config.json", config.dump()), "must be a token id"));
        config = Json::parse(read_bytes(from / "tokenizer_config.json"));
        config["added_tokens_decoder"]["3"] = Json{{"content", "x"}};
        QVERIFY(holds(message_with("tokenizer_config.json", config.dump()), "has id 3 of token"));
        config = Json::parse(read_bytes(from / "tokenizer_config.json"));
        config["eos_token"] = 5;
        QVERIFY(holds(message_with("tokenizer_config.json", config.dump()), "\"eos_token\""));
    }

    void encode_invalidText_isRefused() {
        const Tokenizer tokenizer = Tokenizer::from_folder(kFixtures / "tiny");
        for (const char* text : {"\x80", "a\xC3", "\xED\xA0\x80", "\xC0\x80", "\xF4\x90\x80\x80"}) {
            QVERIFY_EXCEPTION_THROWN(tokenizer.encode(text), RequestError);
            QVERIFY_EXCEPTION_THROWN(tokenizer.split(text), RequestError);
        }
        const std::string longest(1 << 20, '\n');
        tokenizer.encode(longest);
        QVERIFY_EXCEPTION_THROWN(tokenizer.encode(longest + "\n"), RequestError);
    }

    /// BL47 and worse: every shape of a text of 1 MiB must stay far from quadratic.
    void encode_longTexts_takesLinearTime_data() {
        QTest::addColumn<QByteArray>("unit");
        QTest::newRow("line breaks") << QByteArray("\n");
        QTest::newRow("one letter") << QByteArray("a");
        QTest::newRow("Chinese") << QByteArray("\u4e2d");
        QTest::newRow("emoji") << QByteArray("\U0001F3B5");
        QTest::newRow("openings of special tokens") << QByteArray("<|im_end");
        QTest::newRow("marks in the wrong order") << QByteArray("\u0301\u0323");
        QTest::newRow("marks that decompose") << QByteArray("\u0344\u0f73\u0323");
        QTest::newRow("blanks") << QByteArray(" ");
    }
    void encode_longTexts_takesLinearTime() {
        QFETCH(QByteArray, unit);
        const Tokenizer tokenizer = Tokenizer::from_folder(kFixtures / "tiny");
        const std::string text =
            unit.repeated((1 << 20) / static_cast<int>(unit.size())).toStdString();
        QElapsedTimer timer;
        timer.start();
        const std::vector<std::int64_t> ids = tokenizer.encode(text);
        const qint64 elapsed = timer.elapsed();
        qInfo("%lld ms", elapsed);
        QVERIFY(!ids.empty());
        QCOMPARE_LT(elapsed, 5000);
    }

    void fromFolder_truncatedFile_isRefusedOrWorks() {
        const auto cut = [](std::string text, int round) {
            text.resize(text.size() * static_cast<std::size_t>(round) / 300);
            return text;
        };
        replay(kFixtures / "tiny", {"tokenizer.json"}, cut, 300);
        replay(kFixtures / "moss-tiny", {"vocab.json", "merges.txt", "tokenizer_config.json"}, cut,
               300);
    }

    void fromFolder_flippedBytes_isRefusedOrWorks() {
        std::mt19937 random(14);
        const auto flip = [&random](std::string text, int) {
            for (auto count = 1 + random() % 3; count > 0; --count) {
                text[random() % text.size()] ^= static_cast<char>(1U << (random() % 8));
            }
            return text;
        };
        replay(kFixtures / "tiny", {"tokenizer.json"}, flip, 600);
        replay(kFixtures / "moss-tiny", {"vocab.json", "merges.txt", "tokenizer_config.json"}, flip,
               300);
    }

    /// Values of the file swapped for others: survives the JSON reader and reaches the checks.
    void fromFolder_swappedValues_isRefusedOrWorks() {
        std::mt19937 random(15);
        const std::vector<Json> values = {
            nullptr, true, -1, 0, 1e300, 1ULL << 63, "", "\u0120", Json::array(), Json::object()};
        const auto swap = [&](std::string, int) {
            Json root = root_;
            Json* place = &root;
            // Walks down to a random depth; containers with many entries are reached like others.
            while (place->is_structured() && !place->empty() && random() % 6 != 0) {
                auto entry = place->begin();
                std::advance(entry, random() % place->size());
                place = &*entry;
            }
            *place = values[random() % values.size()];
            return root.dump();
        };
        replay(kFixtures / "tiny", {"tokenizer.json"}, swap, 600);
    }
};

}  // namespace earscope

QTEST_GUILESS_MAIN(earscope::TestTokenizerFaults)
#include "tst_tokenizer_faults.moc"
