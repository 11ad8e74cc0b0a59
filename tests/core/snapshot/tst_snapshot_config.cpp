#include "core/base/errors.h"
#include "core/snapshot/config.h"
#include "tests/core/snapshot/support.h"

#include <QTemporaryDir>
#include <QTest>

#include <string>
#include <vector>

using namespace earscope;
using namespace earscope::test;

namespace {

using json = nlohmann::json;
using Pointer = nlohmann::json::json_pointer;
using Ids = std::vector<std::int64_t>;

/// A snapshot that has only what parse_music_flamingo_config() reads.
Snapshot with_config(const json& config) {
    Snapshot snapshot;
    snapshot.config = config;
    snapshot.generation_config = {{"eos_token_id", 1002}, {"pad_token_id", 1000}};
    snapshot.tokenizer_config = json::object();
    snapshot.processor_config = json::object();
    return snapshot;
}

std::string error(const Snapshot& snapshot) {
    return error_of<SnapshotError>([&] { parse_music_flamingo_config(snapshot); });
}

}  // namespace

class TestSnapshotConfig : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void parse_realSnapshots_givesTheirValues();
    void parse_olderSpellings_giveTheSame();
    void parse_missingKeys_haveTheReferenceDefaults();
    void parse_headDimOfTheFile_isOverwritten();
    void parse_oddButValid_isAccepted();
    void parse_endAndPad_followTheirOrder();
    void L11_absurdValue_isRefused_data();
    void L11_absurdValue_isRefused();
    void L11_contradictingSpellings_areRefused();
    void BL40_foreignProcessor_isRefused_data();
    void BL40_foreignProcessor_isRefused();
};

#define HAS(text, part) QVERIFY2((text).find(part) != std::string::npos, (text).c_str())

void TestSnapshotConfig::parse_realSnapshots_givesTheirValues() {
    for (const char* const name : {"snapshot", "snapshot-bf16"}) {
        const auto config = parse_music_flamingo_config(
            open_snapshot(std::filesystem::path(EARSCOPE_FIXTURES "/mf-tiny") / name));
        QCOMPARE(config.audio.hidden_size, 64);
        QCOMPARE(config.audio.layers, 2);
        QCOMPARE(config.audio.heads, 4);
        QCOMPARE(config.audio.intermediate_size, 128);
        QCOMPARE(config.audio.mel_bins, 128);
        QCOMPARE(config.audio.max_source_positions, 1500);
        QCOMPARE(config.text.hidden_size, 96);
        QCOMPARE(config.text.layers, 4);
        QCOMPARE(config.text.heads, 6);
        QCOMPARE(config.text.kv_heads, 2);
        QCOMPARE(config.text.head_dim, 16);
        QCOMPARE(config.text.intermediate_size, 192);
        QCOMPARE(config.text.vocab_size, 1010);
        QCOMPARE(config.text.max_positions, 32768);
        QCOMPARE(config.text.rope_theta, 1e6);
        QCOMPARE(config.text.rms_norm_eps, 1e-6);
        QCOMPARE(config.audio_token_id, 1007);
        QCOMPARE(config.audio_bos_token_id, 1008);
        QCOMPARE(config.audio_eos_token_id, 1009);
        QVERIFY(config.projector_bias);
        QCOMPARE(config.audio_frame_step, 0.01);
        QCOMPARE(config.rote_theta, 1200.0);
        QCOMPARE(config.rote_partial_factor, 0.2);
        QCOMPARE(config.eos_token_ids, Ids{1002});
        QCOMPARE(config.pad_token_id, 1000);
    }
}

void TestSnapshotConfig::parse_olderSpellings_giveTheSame() {
    json config = tiny_config();
    json& audio = config["audio_config"];
    audio["d_model"] = 64;
    audio["encoder_layers"] = 2;
    audio["encoder_attention_heads"] = 4;
    audio["encoder_ffn_dim"] = 128;
    audio["encoder_layerdrop"] = 0.0;
    for (const char* const key : {"hidden_size", "num_hidden_layers", "num_attention_heads",
                                  "intermediate_size", "layerdrop"}) {
        audio.erase(key);
    }
    audio["model_type"] = nullptr;
    config["text_config"].erase("rope_parameters");
    config["text_config"]["rope_theta"] = 500000.0;
    config["text_config"]["rope_scaling"] = nullptr;
    config.erase("rope_parameters");
    config["rope_theta"] = 600;
    const auto parsed = parse_music_flamingo_config(with_config(config));
    QCOMPARE(parsed.audio.hidden_size, 64);
    QCOMPARE(parsed.audio.layers, 2);
    QCOMPARE(parsed.audio.heads, 4);
    QCOMPARE(parsed.audio.intermediate_size, 128);
    QCOMPARE(parsed.text.rope_theta, 500000.0);
    QCOMPARE(parsed.rote_theta, 600.0);
    QCOMPARE(parsed.rote_partial_factor, 0.2);
    for (const json& type : {json("musicflamingo_encoder"), json("audioflamingo3_encoder")}) {
        audio["model_type"] = type;
        QCOMPARE(error(with_config(config)), std::string("no error"));
    }
}

void TestSnapshotConfig::parse_missingKeys_haveTheReferenceDefaults() {
    const json config = {{"audio_config", json::object()},
                         {"text_config", {{"hidden_size", 3584}, {"num_attention_heads", 28}}}};
    const auto parsed = parse_music_flamingo_config(with_config(config));
    QCOMPARE(parsed.audio.hidden_size, 1280);
    QCOMPARE(parsed.audio.layers, 32);
    QCOMPARE(parsed.audio.heads, 20);
    QCOMPARE(parsed.audio.intermediate_size, 5120);
    QCOMPARE(parsed.text.kv_heads, 28);
    QCOMPARE(parsed.text.head_dim, 128);
    QCOMPARE(parsed.text.vocab_size, 151936);
    QCOMPARE(parsed.text.max_positions, 32768);
    QCOMPARE(parsed.text.rope_theta, 10000.0);
    QCOMPARE(parsed.audio_token_id, 151669);
    QCOMPARE(parsed.audio_bos_token_id, 151670);
    QCOMPARE(parsed.audio_eos_token_id, 151671);
    QCOMPARE(parsed.rote_theta, 1200.0);
}

void TestSnapshotConfig::parse_headDimOfTheFile_isOverwritten() {
    json config = tiny_config();
    config["head_dim"] = 256;
    config["max_position_embeddings"] = 7;
    QCOMPARE(error(with_config(config)), std::string("no error"));
    config["text_config"]["head_dim"] = 32;  // the decoder's own one counts
    QCOMPARE(parse_music_flamingo_config(with_config(config)).text.head_dim, 32);
}

void TestSnapshotConfig::parse_oddButValid_isAccepted() {
    json config = tiny_config();
    config["text_config"]["use_sliding_window"] = true;  // with sliding_window null: no window
    config["text_config"]["num_key_value_heads"] = nullptr;
    config["audio_config"]["dropout"] = 0.5;
    config["projector_bias"] = false;
    const auto parsed = parse_music_flamingo_config(with_config(config));
    QCOMPARE(parsed.text.kv_heads, 6);
    QVERIFY(!parsed.projector_bias);
}

void TestSnapshotConfig::parse_endAndPad_followTheirOrder() {
    json config = tiny_config();
    config["eos_token_id"] = 5;
    Snapshot snapshot = with_config(config);
    const auto parsed = [&] { return parse_music_flamingo_config(snapshot); };

    snapshot.generation_config = {{"eos_token_id", {7, 8, 7}}, {"pad_token_id", 9}};
    QCOMPARE(parsed().eos_token_ids, (Ids{7, 8}));
    QCOMPARE(parsed().pad_token_id, 9);

    snapshot.generation_config = {{"eos_token_id", nullptr}};
    QCOMPARE(parsed().eos_token_ids, Ids{5});
    QCOMPARE(parsed().pad_token_id, 1000);  // of text_config

    snapshot.tokenizer_config = {{"pad_token", "<pad>"},
                                 {"added_tokens_decoder", {{"11", {{"content", "<pad>"}}}}}};
    QCOMPARE(parsed().pad_token_id, 11);
    snapshot.config["pad_token_id"] = 12;
    QCOMPARE(parsed().pad_token_id, 12);

    snapshot.config.erase("pad_token_id");
    snapshot.config.erase("eos_token_id");
    snapshot.config["text_config"].erase("pad_token_id");
    snapshot.tokenizer_config = json::object();
    QCOMPARE(parsed().eos_token_ids, Ids{1002});  // of text_config
    QCOMPARE(parsed().pad_token_id, 1002);        // the end token

    snapshot.config["text_config"].erase("eos_token_id");
    HAS(error(snapshot), "eos_token_id (and that of config.json) is missing");
}

void TestSnapshotConfig::L11_absurdValue_isRefused_data() {
    QTest::addColumn<QByteArray>("place");
    QTest::addColumn<QByteArray>("value");
    QTest::addColumn<QByteArray>("fault");
    const auto row = [](const char* place, const char* value, const char* fault = "") {
        QTest::newRow((std::string(place) + " = " + value).c_str())
            << QByteArray(place) << QByteArray(value) << QByteArray(fault);
    };
    for (const char* const part : {"/text_config", "/audio_config"}) {
        for (const char* const key :
             {"num_hidden_layers", "num_attention_heads", "hidden_size", "intermediate_size"}) {
            const std::string place = std::string(part) + "/" + key;
            for (const char* const value :
                 {"0", "-1", "1000000000", "9223372036854775807", "18446744073709551615", "1.5",
                  "1e300", "true", "\"4\"", "[4]"}) {
                row(place.c_str(), value, "a whole number from 1 to ");
            }
        }
    }
    row("/text_config/vocab_size", "0", "a whole number from 1 to ");
    row("/text_config/vocab_size", "1000000000000", "a whole number from 1 to ");
    row("/text_config/num_key_value_heads", "0");
    row("/text_config/max_position_embeddings", "0");
    row("/text_config/hidden_size", "97", "num_attention_heads 6 does not divide");
    row("/text_config/num_key_value_heads", "4", "");
    row("/text_config/head_dim", "15", "even number");
    row("/text_config/head_dim", "0");
    row("/text_config/rope_parameters/rope_theta", "0", "a number from 1 to ");
    row("/text_config/rope_parameters/rope_theta", "-5");
    row("/text_config/rope_parameters/rope_theta", "\"NaN\"", "a number from 1 to ");
    row("/text_config/rope_parameters/rope_type", "\"yarn\"", "only \"default\" is supported");
    row("/text_config/rope_scaling", R"({"type":"linear","factor":2})", "only \"default\"");
    row("/text_config/rope_parameters", "5", "an object is needed");
    row("/text_config/rms_norm_eps", "0");
    row("/text_config/rms_norm_eps", "-1e-6");
    row("/text_config/hidden_act", "\"gelu\"", "only \"silu\" is supported");
    row("/text_config/model_type", "\"llama\"", "only \"qwen2\" is supported");
    row("/text_config/tie_word_embeddings", "true", "only false is supported");
    row("/text_config/layer_types", R"(["sliding_attention"])", "only \"full_attention\"");
    row("/text_config", "[]", "an object is needed");
    row("/text_config", "null", "text_config is missing");
    row("/audio_config", "null", "audio_config is missing");
    row("/audio_config/hidden_size", "66", "num_attention_heads 4 does not divide");
    row("/audio_config/num_mel_bins", "80", "from 128 to 128");
    row("/audio_config/max_source_positions", "3000", "from 1500 to 1500");
    row("/audio_config/activation_function", "\"gelu_new\"", "only \"gelu\" is supported");
    row("/audio_config/scale_embedding", "true", "only false is supported");
    row("/audio_config/model_type", "\"whisper\"", "only \"audioflamingo3_encoder\" or");
    row("/audio_token_id", "1010", "a whole number from 0 to 1009");
    row("/audio_token_id", "-1");
    row("/audio_token_id", "null", "(missing, so its default) is 151669");
    row("/audio_token_id", "1008", "must differ");
    row("/projector_hidden_act", "\"relu\"", "only \"gelu\" is supported");
    row("/projector_bias", "1", "true or false is needed");
    row("/audio_frame_step", "0");
    row("/rope_parameters/rope_theta", "0", "a number from 1 to ");
    row("/rope_parameters/partial_rotary_factor", "0.9", "at most half");
    row("/rope_parameters/partial_rotary_factor", "0.01", "at least 2");
    row("/rope_parameters/partial_rotary_factor", "-1");
    row("/rope_parameters/rope_type", "\"linear\"", "only \"default\" is supported");
}

void TestSnapshotConfig::L11_absurdValue_isRefused() {
    QFETCH(QByteArray, place);
    QFETCH(QByteArray, value);
    QFETCH(QByteArray, fault);
    json config = tiny_config();
    const Pointer pointer(place.toStdString());
    config[pointer] = parse_json(value.toStdString(), "value");
    const std::string text = error(with_config(config));
    QVERIFY2(text.starts_with("config.json: "), text.c_str());
    if (pointer.back() != "rope_scaling") {  // the key inside is named then
        HAS(text, pointer.back());
    }
    HAS(text, fault.toStdString());
    if (config[pointer].is_number_integer() && value != "-1") {
        HAS(text, value.toStdString());
    }
}

void TestSnapshotConfig::L11_contradictingSpellings_areRefused() {
    json config = tiny_config();
    config["audio_config"]["d_model"] = 128;
    QCOMPARE(error(with_config(config)),
             std::string("config.json: audio_config: d_model is 128, but hidden_size says 64"));
}

void TestSnapshotConfig::BL40_foreignProcessor_isRefused_data() {
    QTest::addColumn<QByteArray>("key");
    QTest::addColumn<QByteArray>("value");
    QTest::newRow("rate") << QByteArray("sampling_rate") << QByteArray("24000");
    QTest::newRow("hop") << QByteArray("hop_length") << QByteArray("320");
    QTest::newRow("n_fft") << QByteArray("n_fft") << QByteArray("512");
    QTest::newRow("bands") << QByteArray("feature_size") << QByteArray("80");
    QTest::newRow("type") << QByteArray("feature_extractor_type") << QByteArray("\"ClapX\"");
    QTest::newRow("not a number") << QByteArray("n_samples") << QByteArray("\"many\"");
}

void TestSnapshotConfig::BL40_foreignProcessor_isRefused() {
    QFETCH(QByteArray, key);
    QFETCH(QByteArray, value);
    Snapshot snapshot = with_config(tiny_config());
    snapshot.folder = EARSCOPE_FIXTURES "/mf-tiny/snapshot";  // has a processor_config.json
    snapshot.processor_config = {
        {"feature_extractor", {{key.toStdString(), parse_json(value.toStdString(), "value")}}}};
    const std::string text = error(snapshot);
    HAS(text, "processor_config.json: feature_extractor: " + key.toStdString() + " is " +
                  value.toStdString());
    snapshot.folder = EARSCOPE_FIXTURES;  // has none, so it came from preprocessor_config.json
    snapshot.processor_config = {{key.toStdString(), parse_json(value.toStdString(), "value")}};
    HAS(error(snapshot), "preprocessor_config.json: " + key.toStdString());
}

QTEST_GUILESS_MAIN(TestSnapshotConfig)
#include "tst_snapshot_config.moc"
