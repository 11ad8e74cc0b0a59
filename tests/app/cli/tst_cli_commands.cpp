// What each command and option of the program does when all is well.
#include "tests/app/cli/arrays.h"
#include "tests/app/cli/cli_process.h"

#include <QDir>
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>

using namespace earscope;
using namespace earscope::testing;
using nlohmann::json;

namespace {

QString clip(const char* name = "stereo44.wav") {
    return fixture("audio/") + QLatin1String(name);
}

/// COMMAND SNAPSHOT --prompt ... --audio CLIP --threads 1 and what is added.
QStringList call(const char* command, const QStringList& more = {}) {
    return QStringList{QLatin1String(command),      fixture("snapshot"),
                       QStringLiteral("--prompt"),  QStringLiteral("Describe the mood."),
                       QStringLiteral("--audio"),   clip(),
                       QStringLiteral("--threads"), QStringLiteral("1"),
                       QStringLiteral("--device"),  QStringLiteral("cpu")} +
           more;
}

json parsed(const CliResult& result) {
    return result.status == 0 ? json::parse(result.out.toStdString()) : json();
}

}  // namespace

class TestCliCommands : public QObject {
    Q_OBJECT

    QTemporaryDir dir_;

    QString path(const char* name) const { return dir_.filePath(QLatin1String(name)); }

    /// Runs a command with --out and gives the tensors of its file; empty when it failed.
    Arrays tensors(const char* command, const QStringList& more) {
        const QString file = path("out.safetensors");
        QFile::remove(file);
        const CliResult result =
            runCli(call(command, more + QStringList{QStringLiteral("--out"), file}));
        if (result.status != 0) {
            qWarning("%s", result.err.constData());
            return {};
        }
        return load_arrays(file.toStdString());
    }

    json generated(const QStringList& more) {
        const CliResult result = runCli(call("generate", more));
        if (result.status != 0) {
            qWarning("%s", result.err.constData());
        }
        return parsed(result);
    }

private Q_SLOTS:
    void help_andVersion_areOnStdout() {
        for (const char* line : {"--help", "--version", "generate --help"}) {
            const CliResult result = runCli(words(line));
            QCOMPARE(result.status, 0);
            QVERIFY(!result.out.isEmpty());
            QVERIFY(result.err.isEmpty());
        }
    }

    void inspect_fixture_saysWhatItIs() {
        const json out = parsed(runCli({QStringLiteral("inspect"), fixture("snapshot-bf16")}));
        QCOMPARE(out.at("family").get<std::string>(), std::string("Music Flamingo"));
        QCOMPARE(out.at("dimensions").at("language_model").at("layers").get<int>(), 4);
        QCOMPARE(out.at("dimensions").at("audio_encoder").at("hidden_size").get<int>(), 64);
        QCOMPARE(out.at("context").get<int>(), 32768);
        QVERIFY(out.at("dtypes").at("BF16") == out.at("parameters"));
        QCOMPARE(out.at("special_tokens").at("audio").get<int>(), 1007);
        QVERIFY(out.at("files").size() >= 5);
    }

    void demo_isFoundAndAnswers() {
        const CliResult result = runCli(words("generate demo --prompt hello --max-new-tokens 3"));
        QVERIFY2(result.status == 0, result.err.constData());
        const json answer = parsed(result);  // it knows how to end, so maybe earlier
        QVERIFY(!answer.at("generated_ids").at(0).empty());
        QVERIFY(answer.at("generated_ids").at(0).size() <= 3);
        QVERIFY(!answer.at("texts").at(0).get<std::string>().empty());
        QVERIFY(result.err.contains("device "));  // which one was taken
    }

    void prompt_oddWords_areTakenLiterally_data() {
        QTest::addColumn<QString>("prompt");
        for (const char* prompt : {"", " ", "[a, b]", "[]", "{}", "%%", "-5 dB?", "--stream",
                                   "--x=y", "--", "a=b", "Grüße, 世界"}) {
            QTest::newRow(*prompt != '\0' ? prompt : "empty") << QString::fromUtf8(prompt);
        }
    }
    void prompt_oddWords_areTakenLiterally() {
        QFETCH(const QString, prompt);
        const QStringList before{QStringLiteral("prepare"), fixture("snapshot")};
        const QStringList as_two{QStringLiteral("--prompt"), prompt};
        const QStringList as_one{QStringLiteral("--prompt=") + prompt};
        for (const QStringList& words : {as_two, as_one}) {
            const CliResult result = runCli(before + words);
            QVERIFY2(result.status == 0, result.err.constData());
            QCOMPARE(QString::fromStdString(parsed(result).at("prompt_with_markers").at(0)),
                     prompt);
        }
    }

    void audio_oddFileNames_areOpened_data() {
        QTest::addColumn<QString>("name");
        for (const char* name :
             {"-y.wav", "[x]", "a#b%23.wav", "two\nlines.wav", "世界.wav", "'q'"}) {
            QTest::newRow(name) << QString::fromUtf8(name);
        }
    }
    void audio_oddFileNames_areOpened() {
        QFETCH(const QString, name);
        QVERIFY(QFile::copy(clip("mono11.wav"), dir_.filePath(name)));
        QProcess process;
        process.setWorkingDirectory(dir_.path());
        process.start(cliProgram(), {QStringLiteral("prepare"), fixture("snapshot"),
                                     QStringLiteral("--audio"), name});
        const CliResult result = finished(process);
        QVERIFY2(result.status == 0, result.err.constData());
        QCOMPARE(QString::fromStdString(parsed(result).at("slots").at(0).at("name")), name);
    }

    void prepare_cutAndMixedSource_saysSo() {
        const json out = parsed(runCli(call("prepare")));
        const json& slot = out.at("slots").at(0);
        QCOMPARE(slot.at("n_tokens").get<int>(), 32);
        QCOMPARE(slot.at("window_tokens").dump(), std::string("[32]"));
        QVERIFY(!slot.at("notices").empty());  // two channels were averaged
        QCOMPARE(out.at("context").get<int>(), 32768);
    }

    void generate_options_areUsed() {
        const json greedy = generated(words("--max-new-tokens 6"));
        QCOMPARE(greedy.at("profile").get<std::string>(), std::string("paper_reference"));
        QCOMPARE(greedy.at("budget").get<int>(), 6);
        QCOMPARE(greedy.at("dtype").get<std::string>(), std::string("float32"));
        QCOMPARE(greedy.at("device").get<std::string>(), std::string("cpu"));
        QVERIFY(greedy.at("tokens_per_second").get<double>() > 0);
        QVERIFY(generated(words("--max-new-tokens 6 --attention eager")).at("generated_ids") ==
                greedy.at("generated_ids"));
        QCOMPARE(
            generated(words("--max-new-tokens 6 --dtype bfloat16")).at("dtype").get<std::string>(),
            std::string("bfloat16"));
        const auto sampled = [&](const char* seed) {
            return generated(words("--max-new-tokens 12 --profile generic_sampled") + words(seed))
                .at("generated_ids");
        };
        const json first = sampled("");
        QVERIFY(sampled("--seed 3407") == first);
        QVERIFY(sampled("--seed 3408") != first);
        QVERIFY(generated(words("--max-new-tokens 6 --edit model.language_model.layers.1=scale:-3"))
                    .at("generated_ids") != greedy.at("generated_ids"));
    }

    void generate_stream_printsTheSameText() {
        const QStringList budget = words("--max-new-tokens 9");
        const json whole = generated(budget);
        const CliResult one = runCli(call("generate", budget + words("--stream")));
        QCOMPARE(one.status, 0);
        QCOMPARE(QString::fromUtf8(one.out),
                 QString::fromStdString(whole.at("texts").at(0)) + u'\n');
        // Of a batch one answer after the other, although all grow at the same time.
        const QStringList batch =
            QStringList{QStringLiteral("generate"), fixture("snapshot"),
                        QStringLiteral("--request"), fixture("cases/batch_order/request.json")} +
            budget;
        QString joined;
        const json texts = parsed(runCli(batch)).at("texts");
        QCOMPARE(texts.size(), std::size_t{3});
        for (const json& text : texts) {
            joined += QString::fromStdString(text) + u'\n';
        }
        QCOMPARE(QString::fromUtf8(runCli(batch + words("--stream")).out), joined);
    }

    void commandLine_winsOverTheRequestFile() {
        const QStringList file{QStringLiteral("generate"), fixture("snapshot"),
                               QStringLiteral("--request"),
                               fixture("cases/sampled_single/request.json")};
        const json own = parsed(runCli(file));
        QCOMPARE(own.at("profile").get<std::string>(), std::string("generic_sampled"));
        QCOMPARE(own.at("dtype").get<std::string>(), std::string("float32"));
        const json changed = parsed(
            runCli(file + words("--profile paper_reference --max-new-tokens 2 --dtype bfloat16")));
        QCOMPARE(changed.at("profile").get<std::string>(), std::string("paper_reference"));
        QCOMPARE(changed.at("budget").get<int>(), 2);
        QCOMPARE(changed.at("dtype").get<std::string>(), std::string("bfloat16"));
    }

    void extract_layers_areNamedAsAsked() {
        const Arrays got = tensors("extract", words("--layers -1,4,0"));
        QCOMPARE(got.at("raw.0").shape, (std::vector<std::int64_t>{32, 64}));
        QCOMPARE(got.at("projected.0").shape, (std::vector<std::int64_t>{32, 96}));
        QVERIFY(got.at("contextual.-1.0").values == got.at("contextual.4.0").values);
        QVERIFY(got.at("contextual.0.0").values == got.at("projected.0").values);
        QVERIFY(got.contains("token_positions.0") && got.contains("time_s.0"));
        QCOMPARE(tensors("extract", words("--layers all")).count("contextual.3.0"), std::size_t{1});
        QCOMPARE(tensors("extract", {}).count("contextual.-1.0"), std::size_t{0});
    }

    void forward_layersAndProbes_agreeWithExtract() {
        const Arrays contextual = tensors("extract", words("--layers=-1,2"));
        const Arrays got = tensors("forward", words("--layers=-1,2 --probe "
                                                    "model.language_model.layers.1 --probe lm_head "
                                                    "--probe lm_head"));
        QCOMPARE(got.at("logits").shape, (std::vector<std::int64_t>{1, 1, 1010}));
        QVERIFY(got.at("probe.model.language_model.layers.1").values == got.at("hidden.2").values);
        QVERIFY(got.contains("probe.lm_head"));
        QVERIFY(!got.contains("hidden.0"));
        const auto row = static_cast<std::size_t>(contextual.at("token_positions.0").values.at(5));
        for (std::size_t k = 0; k < 96; ++k) {
            const double off = got.at("hidden.-1").values.at(row * 96 + k) -
                               contextual.at("contextual.-1.0").values.at(5 * 96 + k);
            QVERIFY(std::abs(off) < 1e-5);  // the same sums, perhaps in another order
        }
    }

    void forward_fullLogits_endInTheLogits() {
        const Arrays last = tensors("forward", {});
        const Arrays full = tensors("forward", words("--full-logits"));
        QVERIFY(!full.contains("logits"));
        const auto& all = full.at("full_logits");
        QCOMPARE(all.shape.at(2), std::int64_t{1010});
        for (std::size_t v = 0; v < 1010; ++v) {
            const double got = all.values.at(all.values.size() - 1010 + v);
            QVERIFY(std::abs(got - last.at("logits").values.at(v)) < 1e-4);
        }
    }

    void edit_noise_seedDecides() {
        const auto noisy = [&](const char* seed) {
            return tensors("extract", {QStringLiteral("--edit"),
                                       QStringLiteral("model.multi_modal_projector=noise:0.5") +
                                           QLatin1String(seed)})
                .at("projected.0")
                .values;
        };
        const auto first = noisy("");
        QVERIFY(noisy(":3407") == first);
        QVERIFY(noisy(":1") != first);
    }

    void edit_zeroProjector_isSeenByProbeAndStoredInTheManifest() {
        const Arrays got =
            tensors("extract", words("--edit model.multi_modal_projector=zero --probe "
                                     "model.multi_modal_projector --layers 0"));
        QCOMPARE(got.at("projected.0").largest(), 0.0);
        QCOMPARE(got.at("contextual.0.0").largest(), 0.0);
        QCOMPARE(got.at("probe.model.multi_modal_projector").largest(), 0.0);
        QVERIFY(got.at("raw.0").largest() > 0);
        const auto file = SafetensorsFile::open(path("out.safetensors").toStdString());
        const json manifest = json::parse(file.metadata().at("earscope"));
        QVERIFY(manifest.dump().find("model.multi_modal_projector=zero") != std::string::npos);
    }

    void grad_ofSeveralNames_isStored() {
        const Arrays got = tensors(
            "forward", words("--grad audio --wrt mel,model.multi_modal_projector.linear_1.weight,"
                             "lm_head.weight"));
        QCOMPARE(got.at("grad.mel").shape, (std::vector<std::int64_t>{1, 128, 3000}));
        QVERIFY(got.at("grad.model.multi_modal_projector.linear_1.weight").largest() > 0);
        QCOMPARE(got.at("grad.lm_head.weight").largest(), 0.0);  // the loss knows no head
        double squares = 0;
        for (const double value : tensors("extract", {}).at("projected.0").values) {
            squares += value * value;
        }
        const double loss = got.at("loss").values.at(0);
        QVERIFY(std::abs(loss - squares) < 1e-4 * squares);
    }

    void out_npz_isAZipArchive() {
        const QString file = path("e.npz");
        const CliResult result = runCli(call("extract", {QStringLiteral("--out"), file}));
        QCOMPARE(result.status, 0);
        QFile archive(file);
        QVERIFY(archive.open(QIODevice::ReadOnly));
        const QByteArray bytes = archive.readAll();
        QVERIFY(bytes.startsWith("PK\x03\x04"));
        QVERIFY(bytes.contains("projected.0.npy"));
        QVERIFY(parsed(result).at("tensors").size() >= 6);
    }

    void tokenize_folderWithOnlyATokenizer_bothDirections() {
        const QString folder = path("tokenizer only");
        QVERIFY(QDir().mkpath(folder));
        QVERIFY(QFile::copy(fixture("snapshot/tokenizer.json"),
                            folder + QStringLiteral("/tokenizer.json")));
        const CliResult result =
            runCli({QStringLiteral("tokenize"), folder},
                   "{\"text\":\"h\xc3\xa9llo <|im_end|>\"}\n\n{\"ids\":[1002,127,"
                   "114,127]}\n");
        QVERIFY2(result.status == 0, result.err.constData());
        const QList<QByteArray> lines = result.out.trimmed().split('\n');
        QCOMPARE(lines.size(), 2);
        const json text = json::parse(lines[0].toStdString());
        QCOMPARE(text.at("decoded").get<std::string>(), std::string("h\xc3\xa9llo <|im_end|>"));
        QCOMPARE(text.at("decoded_skip_special").get<std::string>(), std::string("h\xc3\xa9llo "));
        QCOMPARE(text.at("ids").size(), text.at("pieces").size());
        const json ids = json::parse(lines[1].toStdString());
        QCOMPARE(ids.at("stream").dump(), std::string("[\"\",\"\",\"\xc3\xb6\",\"\"]"));
        QCOMPARE(ids.at("stream_end").get<std::string>(), std::string("\xef\xbf\xbd"));
    }

    void frontend_bothPaths_giveTheirShapes() {
        const QString file = path("f.safetensors");
        const auto run = [&](const char* kind) {
            const CliResult result =
                runCli({QStringLiteral("frontend"), QStringLiteral("--path"), QLatin1String(kind),
                        clip(), clip("mono8.ogg"), QStringLiteral("--out"), file});
            return result.status == 0 ? load_arrays(file.toStdString()) : Arrays{};
        };
        const Arrays torch = run("torch");
        QCOMPARE(torch.at("mono.0").shape, (std::vector<std::int64_t>{57330}));
        QCOMPARE(torch.at("resampled.0").shape, (std::vector<std::int64_t>{20800}));
        QCOMPARE(torch.at("mel.0").shape, (std::vector<std::int64_t>{1, 128, 3000}));
        const Arrays numpy = run("numpy");
        QCOMPARE(numpy.at("mel.0").shape, (std::vector<std::int64_t>{128, 130}));
        QCOMPARE(numpy.at("mel.1").shape, (std::vector<std::int64_t>{128, 260}));
    }

    void terminated_whileGenerating_endsWith130AndNoOutput() {
        QProcess process;
        process.start(cliProgram(), call("generate", words("--profile generic_sampled --stream")));
        QVERIFY(process.waitForStarted());
        QVERIFY(process.waitForReadyRead(60'000));
        QElapsedTimer timer;
        timer.start();
        process.terminate();
        const CliResult result = finished(process);
        QCOMPARE(result.status, 130);
        QVERIFY(timer.elapsed() < 5000);
        QVERIFY(result.err.contains("cancelled"));
    }

    void stdout_closedOrFull_isAFailureNotACrash() {
        const QString command = QStringLiteral(
            "(\"$CLI\" generate \"$SET/snapshot\" --prompt x --stream --max-new-tokens 3000; "
            "echo status $? >&2) | head -c 5");
        const CliResult closed = runShell(command);
        QVERIFY2(closed.err.contains("status 4"), closed.err.constData());
        const CliResult full =
            runShell(QStringLiteral("\"$CLI\" inspect \"$SET/snapshot\" >/dev/full"));
        QCOMPARE(full.status, 4);
        QVERIFY(full.err.contains("stdout cannot be written"));
    }
};

QTEST_GUILESS_MAIN(TestCliCommands)
#include "tst_cli_commands.moc"
