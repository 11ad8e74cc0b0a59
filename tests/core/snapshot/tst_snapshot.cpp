#include "core/base/errors.h"
#include "core/snapshot/snapshot.h"
#include "tests/core/snapshot/support.h"

#include <QTemporaryDir>
#include <QTest>

#include <string>
#include <vector>

using namespace earscope;
using namespace earscope::test;
namespace fs = std::filesystem;

class TestSnapshot : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        root_ = fs::canonical(folder_->path().toStdString()) / "tiny";
        write_sharded(root_);
    }

    void open_realSnapshots_areRead();
    void open_sharded_mapsEachTensorToItsShard();
    void open_mossSnapshot_isRecognised();
    void open_unsupportedModel_saysWhatIsSupported_data();
    void open_unsupportedModel_saysWhatIsSupported();
    void open_architectureAlone_isEnough();
    void BL40_missingFiles_areNamedAtOnce();
    void BL40_optionalFiles_leaveANotice();
    void BL40_foreignConfig_isRefusedByTensorNames();
    void L9_index_data();
    void L9_index();
    void L9_tensorInTwoShards_isRefused();
    void L9_damagedShard_isNamed();
    void L9_damagedIndex_isNamed_data();
    void L9_damagedIndex_isNamed();
    void L9_checkTensors_listsEveryKind();
    void L9_longLists_showTwentyNames();
    void L15_damagedIndexAndConfig_neverCrash();

private:
    std::string error() {
        return error_of<SnapshotError>([&] { open_snapshot(root_); });
    }

    std::unique_ptr<QTemporaryDir> folder_;
    fs::path root_;
};

#define HAS(text, part) QVERIFY2((text).find(part) != std::string::npos, (text).c_str())

void TestSnapshot::open_realSnapshots_areRead() {
    for (const char* const name : {"snapshot", "snapshot-bf16"}) {
        const Snapshot snapshot = open_snapshot(fs::path(EARSCOPE_FIXTURES "/mf-tiny") / name);
        QCOMPARE(snapshot.name, std::string(name));
        QCOMPARE(snapshot.family, Family::MusicFlamingo);
        QCOMPARE(snapshot.recognised_by, std::string("model_type \"musicflamingo\""));
        QCOMPARE(snapshot.tensors.size(), std::size_t{92});
        QCOMPARE(snapshot.shard_of.size(), std::size_t{92});
        const bool sharded = std::string(name) != "snapshot";
        QCOMPARE(snapshot.shards.size(), std::size_t(sharded ? 3 : 1));
        QCOMPARE(snapshot.weight_bytes, std::int64_t{sharded ? 1460800 : 2921600});
        QCOMPARE(snapshot.generation_config.at("eos_token_id").get<int>(), 1002);
        QVERIFY(snapshot.processor_config.contains("feature_extractor"));
        QVERIFY(snapshot.chat_template.starts_with("{"));
        QVERIFY(snapshot.notices.empty());
        QCOMPARE(snapshot.files.size(), std::size_t(sharded ? 10 : 7));
    }
}

void TestSnapshot::open_sharded_mapsEachTensorToItsShard() {
    const Snapshot snapshot = open_snapshot(root_);
    QCOMPARE(snapshot.folder, root_);
    QCOMPARE(snapshot.shards.size(), std::size_t{2});
    QCOMPARE(snapshot.shards[snapshot.shard_of.at("a")].path().filename().string(),
             std::string("one.safetensors"));
    QCOMPARE(snapshot.shards[snapshot.shard_of.at("c")].path().filename().string(),
             std::string("two.safetensors"));
    QCOMPARE(snapshot.weight_bytes, std::int64_t{24});
    QCOMPARE(snapshot.chat_template, std::string("{{ messages }}"));
}

void TestSnapshot::open_mossSnapshot_isRecognised() {
    fs::copy_file(EARSCOPE_FIXTURES "/snapshot/moss-config.json", root_ / "config.json",
                  fs::copy_options::overwrite_existing);
    fs::remove(root_ / "tokenizer.json");
    write_file(root_ / "vocab.json", "{}");
    write_file(root_ / "merges.txt", "");
    const Snapshot snapshot = open_snapshot(root_);
    QCOMPARE(snapshot.family, Family::MossMusic);
    QCOMPARE(family_name(snapshot.family), std::string_view("MOSS-Music"));
    for (const char* const name : {"snapshot", "snapshot-bf16"}) {
        const fs::path real = fs::path(EARSCOPE_SHARED_FIXTURES "/moss-tiny") / name;
        if (!fs::exists(real)) {
            qInfo("%s is not there; its recognition was not tried", real.c_str());
            continue;
        }
        QCOMPARE(open_snapshot(real).family, Family::MossMusic);
    }
}

void TestSnapshot::open_unsupportedModel_saysWhatIsSupported_data() {
    QTest::addColumn<QByteArray>("config");
    QTest::addColumn<QByteArray>("fault");
    QTest::newRow("other") << QByteArray(R"({"model_type":"llama","architectures":["L"]})")
                           << QByteArray(
                                  "model_type \"llama\" (architectures L) is not a model "
                                  "Earscope runs; it runs Music Flamingo (model_type "
                                  "\"musicflamingo\") and MOSS-Music");
    QTest::newRow("BL15") << QByteArray(R"({"model_type":"audioflamingo3"})")
                          << QByteArray("lacks Music Flamingo's rotary time embedding");
    QTest::newRow("contradiction")
        << QByteArray(
               R"({"model_type":"x","architectures":["MusicFlamingoForConditionalGeneration"]})")
        << QByteArray("model_type \"x\"");
    QTest::newRow("nothing") << QByteArray("{}") << QByteArray("no model_type is not a model");
    QTest::newRow("types") << QByteArray(R"({"model_type":5,"architectures":{"a":1}})")
                           << QByteArray("no model_type");
    QTest::newRow("array") << QByteArray("[]") << QByteArray("an object is needed, not array");
    QTest::newRow("damaged") << QByteArray("{") << QByteArray("not valid JSON");
}

void TestSnapshot::open_unsupportedModel_saysWhatIsSupported() {
    QFETCH(QByteArray, config);
    QFETCH(QByteArray, fault);
    write_file(root_ / "config.json", config.toStdString());
    const std::string text = error();
    QVERIFY2(text.starts_with((root_ / "config.json").string() + ": "), text.c_str());
    HAS(text, fault.toStdString());
}

void TestSnapshot::open_architectureAlone_isEnough() {
    nlohmann::json config = tiny_config();
    config.erase("model_type");
    write_json(root_ / "config.json", config);
    QCOMPARE(open_snapshot(root_).recognised_by,
             std::string("architecture \"MusicFlamingoForConditionalGeneration\""));
}

void TestSnapshot::BL40_missingFiles_areNamedAtOnce() {
    fs::remove(root_ / "tokenizer.json");
    fs::remove(root_ / "two.safetensors");
    write_file(root_ / "one.safetensors", "damaged: must not be read before the message");
    const std::string text = error();
    HAS(text, "recognised as Music Flamingo (model_type \"musicflamingo\")");
    HAS(text, "files are missing: two.safetensors, tokenizer.json (or vocab.json and merges.txt)");

    fs::remove(root_ / "model.safetensors.index.json");
    write_file(root_ / "pytorch_model.bin", "");
    const std::string weights = error();
    HAS(weights, "model.safetensors (or model.safetensors.index.json and its shards)");
    HAS(weights, "only pytorch_model.bin");

    fs::remove(root_ / "config.json");
    HAS(error(), "config.json is missing");
    HAS(error_of<SnapshotError>([&] { open_snapshot(root_ / "none"); }),
        "cannot be opened: No such file");
    HAS(error_of<SnapshotError>([&] { open_snapshot(root_ / "pytorch_model.bin"); }),
        "is not a folder");
}

void TestSnapshot::BL40_optionalFiles_leaveANotice() {
    for (const char* const name :
         {"processor_config.json", "chat_template.jinja", "generation_config.json"}) {
        write_sharded(root_);
        fs::remove(root_ / name);
        const Snapshot snapshot = open_snapshot(root_);
        QCOMPARE(snapshot.notices.size(), std::size_t{1});
        HAS(snapshot.notices[0], name);
    }
    write_file(root_ / "preprocessor_config.json", "{\"sampling_rate\":16000}");
    fs::remove(root_ / "processor_config.json");
    fs::remove(root_ / "chat_template.jinja");
    write_file(root_ / "generation_config.json", "{\"eos_token_id\":1002}");
    write_file(
        root_ / "tokenizer_config.json",
        R"({"chat_template":[{"name":"x","template":"X"},{"name":"default","template":"D"}]})");
    const Snapshot snapshot = open_snapshot(root_);
    QVERIFY(snapshot.notices.empty());
    QVERIFY(snapshot.processor_config.contains("sampling_rate"));
    QCOMPARE(snapshot.chat_template, std::string("D"));
}

void TestSnapshot::BL40_foreignConfig_isRefusedByTensorNames() {
    fs::copy_file(EARSCOPE_FIXTURES "/snapshot/moss-config.json", root_ / "config.json",
                  fs::copy_options::overwrite_existing);
    const Snapshot snapshot = open_snapshot(root_);
    const std::string text = error_of<SnapshotError>([&] {
        check_tensors(snapshot, {{"audio_encoder.conv1.weight", {2}}, {"lm_head.weight", {2}}});
    });
    HAS(text, "recognised as MOSS-Music");
    HAS(text, "2 missing (audio_encoder.conv1.weight, lm_head.weight); 3 unexpected (a, b, c)");
}

void TestSnapshot::L9_index_data() {
    QTest::addColumn<QByteArray>("weight_map");
    QTest::addColumn<QByteArray>("fault");
    QTest::newRow("absent in its shard")
        << QByteArray(R"({"a":"one.safetensors","b":"one.safetensors","c":"two.safetensors",
                         "d":"two.safetensors"})")
        << QByteArray("1 listed tensors not in their shard (d of two.safetensors)");
    QTest::newRow("not in the index")
        << QByteArray(R"({"a":"one.safetensors","c":"two.safetensors"})")
        << QByteArray("1 tensors not listed (b in one.safetensors)");
    QTest::newRow("in another shard")
        << QByteArray(R"({"a":"one.safetensors","b":"two.safetensors","c":"two.safetensors"})")
        << QByteArray(
               "1 tensors in another shard than listed (b in one.safetensors instead of two.");
    QTest::newRow("missing shard")
        << QByteArray(R"({"a":"one.safetensors","b":"one.safetensors","c":"three.safetensors"})")
        << QByteArray("files are missing: three.safetensors");
}

void TestSnapshot::L9_index() {
    QFETCH(QByteArray, weight_map);
    QFETCH(QByteArray, fault);
    write_file(root_ / "model.safetensors.index.json",
               "{\"weight_map\":" + weight_map.toStdString() + "}");
    HAS(error(), fault.toStdString());
}

void TestSnapshot::L9_tensorInTwoShards_isRefused() {
    write_shard(root_ / "two.safetensors", {"a", "c"});
    HAS(error(), "1 tensors in two shards (a in one.safetensors and two.safetensors)");
}

void TestSnapshot::L9_damagedShard_isNamed() {
    const std::string bytes = read_file(root_ / "two.safetensors");
    write_file(root_ / "two.safetensors", bytes.substr(0, bytes.size() - 1));
    const std::string text = error();
    HAS(text, (root_ / "two.safetensors").string());
    HAS(text, "tensor c: data_offsets [0,8] end behind the file's 7 bytes");
}

void TestSnapshot::L9_damagedIndex_isNamed_data() {
    QTest::addColumn<QByteArray>("index");
    QTest::addColumn<QByteArray>("fault");
    const auto row = [](const char* name, const char* index, const char* fault) {
        QTest::newRow(name) << QByteArray(index) << QByteArray(fault);
    };
    row("array", "[]", "has no object \"weight_map\"");
    row("no map", "{}", "has no object \"weight_map\"");
    row("map is a list", R"({"weight_map":[]})", "has no object \"weight_map\"");
    row("empty map", R"({"weight_map":{}})", "weight_map lists 0 tensors");
    row("duplicate", R"({"weight_map":{"a":"x.safetensors","a":"y.safetensors"}})",
        "duplicate key \"a\"");
    row("cut", R"({"weight_map":{"a":)", "not valid JSON");
}

void TestSnapshot::L9_damagedIndex_isNamed() {
    QFETCH(QByteArray, index);
    QFETCH(QByteArray, fault);
    write_file(root_ / "model.safetensors.index.json", index.toStdString());
    const std::string text = error();
    HAS(text, (root_ / "model.safetensors.index.json").string());
    HAS(text, fault.toStdString());
}

void TestSnapshot::L9_checkTensors_listsEveryKind() {
    const float values[2] = {};
    const auto* data = reinterpret_cast<const std::byte*>(values);
    write_safetensors(root_ / "two.safetensors",
                      std::vector<TensorView>{{"c", DType::I64, {1}, data, 8}}, {});
    const Snapshot snapshot = open_snapshot(root_);
    const std::string text = error_of<SnapshotError>([&] {
        check_tensors(snapshot, {{"a", {3}}, {"c", {1}}, {"d", {2}}});
    });
    HAS(text,
        "1 missing (d); 1 unexpected (b); 1 of the wrong shape (a is [2] instead of [3]); "
        "1 not of type F32, BF16 or F16 (c is I64)");
    check_tensors(snapshot, {{"a", {2}}}, {"b", "c", "not there either"});
}

void TestSnapshot::L9_longLists_showTwentyNames() {
    const Snapshot snapshot = open_snapshot(root_);
    std::vector<ExpectedTensor> expected;
    for (int i = 0; i < 25; ++i) {
        expected.push_back({"t" + std::to_string(i), {2}});
    }
    const std::string text = error_of<SnapshotError>([&] {
        check_tensors(snapshot, expected, {"a", "b", "c"});
    });
    HAS(text, "25 missing (t0, ");
    HAS(text, ", t19, ...)");
    QVERIFY(text.find("t20") == std::string::npos);
}

void TestSnapshot::L15_damagedIndexAndConfig_neverCrash() {
    int opened = 0;
    for (const char* const name : {"model.safetensors.index.json", "config.json"}) {
        const std::string good = read_file(root_ / name);
        for (std::size_t at = 0; at < good.size(); at += 3) {
            std::string bytes = good;
            bytes[at] = static_cast<char>(bytes[at] ^ (1 << at % 8));
            for (const std::string& damaged : {bytes, good.substr(0, at)}) {
                write_file(root_ / name, damaged);
                const std::string text = error();
                QVERIFY2(!text.starts_with("other"), text.c_str());
                opened += text == "no error" ? 1 : 0;
            }
        }
        write_file(root_ / name, good);
    }
    QVERIFY(opened > 0);
    QCOMPARE(error(), std::string("no error"));
}

QTEST_GUILESS_MAIN(TestSnapshot)
#include "tst_snapshot.moc"
