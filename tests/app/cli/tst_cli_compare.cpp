// `compare`: the columns are what `generate` gives alone, the first divergence is found, and the
// result goes to files.
#include "core/formats/safetensors.h"
#include "tests/app/cli/cli_process.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace earscope;
using namespace earscope::testing;
using nlohmann::json;

namespace {

QString flamingo() {
    return fixture("snapshot");
}

QString moss() {
    return QStringLiteral(EARSCOPE_FIXTURES "/moss-tiny/snapshot");
}

QStringList request() {
    return {QStringLiteral("--prompt"),         QStringLiteral("Describe the track."),
            QStringLiteral("--audio"),          fixture("audio/stereo44.wav"),
            QStringLiteral("--max-new-tokens"), QStringLiteral("12"),
            QStringLiteral("--device"),         QStringLiteral("cpu")};
}

CliResult compare(const QStringList& snapshots, const QStringList& more = {}) {
    return runCli(QStringList{QStringLiteral("compare")} + snapshots + request() + more);
}

json generate(const QString& snapshot, const QStringList& more = {}) {
    const CliResult result =
        runCli(QStringList{QStringLiteral("generate"), snapshot} + request() + more);
    return result.status == 0 ? json::parse(result.out.toStdString()) : json();
}

json parsed(const CliResult& result) {
    return result.status == 0 ? json::parse(result.out.toStdString()) : json();
}

bool same(const json& got, const json& want) {
    if (got != want) {
        qWarning("got %s, expected %s", got.dump().c_str(), want.dump().c_str());
    }
    return got == want;
}

/// Where two lists of ids part, -1 where they do not.
int divergence_of(const json& a, const json& b) {
    std::size_t i = 0;
    while (i < a.size() && i < b.size() && a[i] == b[i]) {
        ++i;
    }
    return i == a.size() && i == b.size() ? -1 : static_cast<int>(i);
}

std::vector<float> floats(const SafetensorsFile& file, const std::string& name) {
    const TensorView& view = file.tensors().at(name);
    std::vector<float> values(view.bytes / sizeof(float));
    std::memcpy(values.data(), view.data, view.bytes);
    return values;
}

}  // namespace

class TestCliCompare : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void bothProfiles_areThoseOfGenerate() {
        const json comparison = parsed(compare({flamingo()}))["comparisons"][0];
        const json greedy = generate(flamingo());
        const json sampled = generate(flamingo(), words("--profile generic_sampled"));
        QVERIFY(same(comparison["a"]["text"], greedy["texts"][0]));
        QVERIFY(same(comparison["b"]["text"], sampled["texts"][0]));
        QVERIFY(same(comparison["a"]["generated_ids"], greedy["generated_ids"][0]));
        QVERIFY(same(comparison["b"]["generated_ids"], sampled["generated_ids"][0]));
        QVERIFY(same(comparison["a"]["finish"], greedy["finish"][0]));
        QVERIFY(same(comparison["a"]["profile"], json("paper_reference")));
        QVERIFY(same(comparison["b"]["profile"], json("generic_sampled")));
        QVERIFY(same(comparison["preconditions"]["line"],
                     json("same input ids · same audio · same weights")));
        const int step = divergence_of(greedy["generated_ids"][0], sampled["generated_ids"][0]);
        QVERIFY(step >= 0);
        QVERIFY(same(comparison["first_divergence"]["step"], json(step)));
        QVERIFY(same(comparison["first_divergence"]["a"]["id"], greedy["generated_ids"][0][step]));
    }

    void bothFamilies_oneAfterTheOther() {
        const json comparison = parsed(compare({flamingo(), moss()}))["comparisons"][0];
        const json first = generate(flamingo());
        const json second = generate(moss());
        QVERIFY(same(comparison["a"]["text"], first["texts"][0]));
        QVERIFY(same(comparison["b"]["text"], second["texts"][0]));
        QVERIFY(same(comparison["a"]["family"], json("Music Flamingo")));
        QVERIFY(same(comparison["b"]["family"], json("MOSS-Music")));
        QVERIFY(same(comparison["b"]["profile"], json("paper_reference")));
        QVERIFY(same(comparison["preconditions"]["same_audio"], json(true)));
        QVERIFY(same(comparison["preconditions"]["same_weights"], json(false)));
        QVERIFY(comparison["first_divergence"].is_object());
        const json& sources = comparison["b"]["sources"];
        QCOMPARE(sources.size(), std::size_t{1});
        QVERIFY(sources[0]["n_tokens"] != comparison["a"]["sources"][0]["n_tokens"]);
    }

    void changedCopy_changesColumnBAlone() {
        const QStringList sampled = words("--profile generic_sampled");
        const json comparison = parsed(
            compare({flamingo()},
                    sampled + words("--temperature-b 0.000001 --top-k-b 0")))["comparisons"][0];
        QVERIFY(same(comparison["a"]["text"], generate(flamingo(), sampled)["texts"][0]));
        // So cold that it is greedy.
        QVERIFY(same(comparison["b"]["text"], generate(flamingo())["texts"][0]));
        QVERIFY(same(comparison["b"]["profile"], json("generic_sampled (changed)")));
        QVERIFY(same(comparison["b"]["top_p"], json(0.9)));
        QVERIFY(same(comparison["b"]["top_k"], json(0)));

        const json seeds =
            parsed(compare({flamingo()}, sampled + words("--seed-b 7")))["comparisons"][0];
        QVERIFY(same(seeds["b"]["text"],
                     generate(flamingo(), sampled + words("--seed 7"))["texts"][0]));
        QVERIFY(same(seeds["b"]["profile"], json("generic_sampled")));

        const json budgets =
            parsed(compare({flamingo()}, words("--max-new-tokens-b 5")))["comparisons"][0];
        QVERIFY(same(budgets["b"]["profile"], json("paper_reference")));
        QCOMPARE(budgets["b"]["generated_ids"].size(), std::size_t{5});
        QVERIFY(same(budgets["first_divergence"]["step"], json(5)));
        QVERIFY(budgets["first_divergence"]["b"].is_null());
    }

    void files_holdTheResult() {
        const QTemporaryDir folder;
        const QString text = folder.filePath(QStringLiteral("result.json"));
        const QString document = folder.filePath(QStringLiteral("result.md"));
        const QString tensors = folder.filePath(QStringLiteral("result.safetensors"));
        QStringList more = words("--layers -1,0");
        for (const QString& file : {text, document, tensors}) {
            more += {QStringLiteral("--out"), file};
        }
        const json out = parsed(compare({flamingo(), moss()}, more));
        QCOMPARE(out["files"].size(), std::size_t{3});
        QFile written(text);
        QVERIFY(written.open(QIODevice::ReadOnly));
        QVERIFY(
            same(json::parse(written.readAll().toStdString())["comparisons"], out["comparisons"]));
        QFile markdown(document);
        QVERIFY(markdown.open(QIODevice::ReadOnly));
        QVERIFY(markdown.readAll().contains("First divergence at token"));

        const SafetensorsFile file = SafetensorsFile::open(tensors.toStdString());
        for (const char* name : {"a.input_ids", "a.token_positions.0", "b.time_s.0", "a.raw.0",
                                 "a.projected.0", "b.projected.0", "b.deepstack_projected.2.0",
                                 "a.contextual.-1.0", "b.contextual.0.0"}) {
            QVERIFY2(file.tensors().contains(name), name);
        }
        // The families differ in tokens per second, so nothing can be subtracted.
        QVERIFY(!file.tensors().contains("difference.projected.0"));
        const json manifest = json::parse(file.metadata().at("earscope"));
        QVERIFY(same(manifest["a"]["family"], json("Music Flamingo")));
        QVERIFY(same(manifest["b"]["family"], json("MOSS-Music")));
    }

    void difference_isAMinusB() {
        const QTemporaryDir folder;
        const QString name = folder.filePath(QStringLiteral("result.safetensors"));
        // The same structure with rounded weights: a real difference.
        const CliResult result =
            compare({flamingo(), fixture("snapshot-bf16")},
                    words("--layers all") + QStringList{QStringLiteral("--out"), name});
        QCOMPARE(result.status, 0);
        const SafetensorsFile file = SafetensorsFile::open(name.toStdString());
        for (const std::string tensor : {"projected.0", "contextual.4.0"}) {
            const auto a = floats(file, "a." + tensor);
            const auto b = floats(file, "b." + tensor);
            const auto difference = floats(file, "difference." + tensor);
            QCOMPARE(difference.size(), a.size());
            float largest = 0;
            for (std::size_t i = 0; i < a.size(); ++i) {
                QCOMPARE(difference[i], a[i] - b[i]);
                largest = std::max(largest, std::abs(difference[i]));
            }
            QVERIFY(largest > 0);
        }
        QVERIFY(
            runCli(QStringList{QStringLiteral("compare"), flamingo()} + request() +
                   QStringList{QStringLiteral("--out"), folder.filePath(QStringLiteral("x.npz"))})
                .status == 0);
    }

    void batch_isComparedRequestByRequest() {
        const QTemporaryDir folder;
        const QString name = folder.filePath(QStringLiteral("request.json"));
        const json two{{"requests",
                        {{{"prompt", "Describe the track."},
                          {"audios", {{{"file", fixture("audio/stereo44.wav").toStdString()}}}}},
                         {{"prompt", "Why?"}}}},
                       {"profile", "paper_reference"},
                       {"max_new_tokens", 6}};
        writeFile(name, QByteArray::fromStdString(two.dump()));
        const QStringList asked{flamingo(), QStringLiteral("--request"), name,
                                QStringLiteral("--device"), QStringLiteral("cpu")};
        const json out = parsed(runCli(QStringList{QStringLiteral("compare")} + asked));
        const json alone = parsed(runCli(QStringList{QStringLiteral("generate")} + asked));
        QCOMPARE(out["comparisons"].size(), std::size_t{2});
        for (std::size_t i = 0; i < 2; ++i) {
            QVERIFY(same(out["comparisons"][i]["a"]["text"], alone["texts"][i]));
            QVERIFY(same(out["comparisons"][i]["a"]["batch_index"], json(i)));
            QVERIFY(same(out["comparisons"][i]["b"]["profile"], json("generic_sampled")));
        }
    }

    void edits_holdInBothColumns() {
        const QStringList edit{QStringLiteral("--edit"),
                               QStringLiteral("model.multi_modal_projector=zero")};
        const json comparison = parsed(compare({flamingo()}, edit))["comparisons"][0];
        QVERIFY(same(comparison["a"]["text"], generate(flamingo(), edit)["texts"][0]));
        QCOMPARE(comparison["b"]["edits"].size(), std::size_t{1});
    }

    void refused_withItsStatus_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("status");
        const auto row = [](const char* name, const QStringList& arguments, int status) {
            QTest::newRow(name) << arguments << status;
        };
        const QString nowhere = QStringLiteral("/nowhere/at/all");
        row("no such second snapshot", {flamingo(), nowhere}, 3);
        row("no such first snapshot", {nowhere, flamingo()}, 3);
        row("layer of neither", QStringList{flamingo()} + words("--layers 99 --out $/x.npz"), 3);
        row("sampling without sampling", QStringList{flamingo()} + words("--temperature-b 0.5"), 2);
        row("temperature 0",
            QStringList{flamingo()} + words("--profile-b generic_sampled --temperature-b 0"), 2);
        row("top-p over 1",
            QStringList{flamingo()} + words("--profile-b generic_sampled --top-p-b 1.5"), 2);
        row("bad seed", QStringList{flamingo()} + words("--profile-b generic_sampled --seed-b -1"),
            2);
        row("unknown profile", QStringList{flamingo()} + words("--profile-b hot"), 2);
        row("unknown ending", QStringList{flamingo()} + words("--out $/x.txt"), 2);
        row("one file twice", QStringList{flamingo()} + words("--out $/x.md --out $/./x.md"), 2);
        row("layers to nowhere", QStringList{flamingo()} + words("--layers 0"), 2);
        row("no such module", QStringList{flamingo()} + words("--edit no.such=zero"), 3);
    }
    void refused_withItsStatus() {
        QFETCH(QStringList, arguments);
        QFETCH(int, status);
        const QTemporaryDir folder;
        for (QString& argument : arguments) {
            argument.replace(QStringLiteral("$"), folder.path());
        }
        const CliResult result =
            runCli(QStringList{QStringLiteral("compare")} + arguments + request());
        QCOMPARE(result.status, status);
        QVERIFY(result.out.isEmpty());
        QVERIFY(status != 3 || result.isRefusal());
        QVERIFY(QDir(folder.path()).isEmpty());
    }

    void tensorsWithoutAudio_areRefused() {
        const QTemporaryDir folder;
        const CliResult result =
            runCli({QStringLiteral("compare"), flamingo(), QStringLiteral("--prompt"),
                    QStringLiteral("Why?"), QStringLiteral("--out"),
                    folder.filePath(QStringLiteral("x.safetensors"))});
        QVERIFY(result.isRefusal());
    }

    void controlToken_isRefused() {
        const CliResult result = runCli({QStringLiteral("compare"), flamingo(), moss(),
                                         QStringLiteral("--prompt"), QStringLiteral("<|im_end|>")});
        QVERIFY(result.isRefusal());
    }
};

QTEST_GUILESS_MAIN(TestCliCompare)
#include "tst_cli_compare.moc"
