// Wrong use (2), refused input (3) and failures (4): status, one line that names the fault, nothing
// on stdout, no file.
#include "tests/app/cli/cli_process.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

using namespace earscope::testing;

namespace {

QByteArray request(const char* audio, const char* prompt = "Describe it.") {
    return QByteArray("{\"requests\":[{\"prompt\":\"") + prompt + "\",\"audios\":[" + audio +
           "]}]}";
}

}  // namespace

class TestCliRefusals : public QObject {
    Q_OBJECT

    QTemporaryDir dir_;

    /// $A: a sound file, $S: the snapshot, $O: a file to write, $D: an empty folder.
    QStringList expanded(const char* line) const {
        QStringList arguments = words(line);
        for (QString& word : arguments) {
            word.replace(QStringLiteral("$A"), fixture("audio/stereo44.wav"));
            word.replace(QStringLiteral("$S"), fixture("snapshot"));
            word.replace(QStringLiteral("$O"), dir_.filePath(QStringLiteral("out.safetensors")));
            word.replace(QStringLiteral("$D"), dir_.path());
        }
        return arguments;
    }

    bool nothingWritten() const { return QDir(dir_.path()).isEmpty(); }

private Q_SLOTS:
    void cleanup() {
        QDir(dir_.path()).removeRecursively();
        QDir().mkpath(dir_.path());
    }

    void wrongUse_endsWith2_data() {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<QByteArray>("named");
        const auto row = [](const char* line, const char* named) {
            QTest::newRow(line) << QByteArray(line) << QByteArray(named);
        };
        row("", "subcommand");
        row("selfcheck demo", "demo");
        row("generate", "SNAPSHOT");
        row("generate $S", "--request");
        row("generate $S --request r.json --prompt x", "--request");
        row("generate $S --prompt x --frobnicate", "--frobnicate");
        row("generate $S --prompt x --max-new-tokens 0", "--max-new-tokens");
        row("generate $S --prompt x --max-new-tokens many", "--max-new-tokens");
        row("generate $S --prompt x --profile creative", "paper_reference");
        row("generate $S --prompt x --seed -1", "--seed");
        row("generate $S --prompt x --threads 0", "--threads");
        row("generate $S --prompt x --dtype int8", "bfloat16");
        row("generate $S --prompt x --attention flash", "eager");
        row("generate $S --prompt x --chunk-padding none", "independent");
        row("generate $S --prompt x --edit lm_head", "MODULE=add:NUMBER");
        row("generate $S --prompt x --edit lm_head=add:one", "MODULE=add:NUMBER");
        row("extract $S --audio $A", "--out");
        row("extract $S --audio $A --out $D/x.pt", ".npz");
        row("extract $S --audio $A --out $D/npz", ".npz");
        row("extract $S --audio $A --layers 1,,2 --out $O", "--layers");
        row("extract $S --audio $A --layers some --out $O", "--layers");
        row("forward $S --audio $A --grad audio --out $O", "--wrt");
        row("forward $S --audio $A --wrt mel --out $O", "--grad");
        row("forward $S --audio $A --grad audio --wrt mel,, --out $O", "--wrt");
        row("forward $S --audio $A --grad pooled --wrt mel --out $O", "contextual");
        row("frontend $A --out $O", "--path");
        row("frontend --path torch --out $O", "FILE");
        row("inspect $S more", "more");
    }
    void wrongUse_endsWith2() {
        QFETCH(const QByteArray, line);
        QFETCH(const QByteArray, named);
        const CliResult result = runCli(expanded(line.constData()));
        QCOMPARE(result.status, 2);
        QVERIFY(result.out.isEmpty());
        QVERIFY2(result.err.contains(named), result.err.constData());
        QVERIFY(nothingWritten());
    }

    void refusedInput_endsWith3AndOneLine_data() {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<QByteArray>("named");
        const auto row = [](const char* line, const char* named) {
            QTest::newRow(line) << QByteArray(line) << QByteArray(named);
        };
        row("inspect $D/none", "none");
        row("modules $D", "config.json");
        row("prepare $D --prompt x --out $O", "config.json");
        row("tokenize $D", "");
        row("prepare $S --request $D/none.json", "none.json");
        row("generate $S --audio $D/none.wav", "No such file");
        row("generate $S --audio $D", "directory");
        row("extract $S --audio https://example.invalid/a.wav --out $O", "URL");
        row("extract $S --audio $A $A $A $A $A $A --out $O", "5");
        row("extract $S --prompt text --out $O", "no audio");
        row("prepare $S --prompt <sound> --audio $A --out $O", "<sound>");           // P1
        row("generate $S --prompt <|im_end|>", "<|im_end|>");                        // P1
        row("generate $S --prompt <tool_call>", "<tool_call>");                      // P1
        row("extract $S --prompt <audio><audio> --audio $A --out $O", "2 <audio>");  // P2
        row("generate $S --prompt <audio>", "0 audios");                             // P2
        row("generate $S --prompt x --edit lm_haed=zero", "'lm_head'");
        row("extract $S --audio $A --probe language_model.layers.3 --out $O",
            "nearest: 'model.language_model.layers.3'");
        row("extract $S --audio $A --layers 5 --out $O", "layer 5");
        row("forward $S --audio $A --layers -6 --out $O", "layer -6");
        row("forward $S --audio $A --probe nothing --out $O", "'nothing'");
        row("forward $S --audio $A --grad audio --wrt mels --out $O", "'mel'");
        row("forward $S --prompt x --grad contextual --wrt mel --out $O", "no");
        row("frontend --path numpy $A $D/none.wav --out $O", "none.wav");
    }
    /// Only the run shows it, so the size that the probe would keep was told before.
    void probeOfWhatDoesNotRun_endsWith3AfterItsSize() {
        const CliResult result = runCli(expanded("extract $S --audio $A --probe lm_head --out $O"));
        QCOMPARE(result.status, 3);
        const QList<QByteArray> lines = result.err.trimmed().split('\n');
        QCOMPARE(lines.size(), 2);
        QVERIFY2(lines[0].contains("probes keep"), lines[0]);
        QVERIFY2(lines[1].contains("'lm_head': this module has no output"), lines[1]);
        QVERIFY(nothingWritten());
    }
    void refusedInput_endsWith3AndOneLine() {
        QFETCH(const QByteArray, line);
        QFETCH(const QByteArray, named);
        const CliResult result = runCli(expanded(line.constData()));
        QVERIFY2(result.isRefusal(), result.err.constData());
        QVERIFY2(result.err.contains(named), result.err.constData());
        QVERIFY(nothingWritten());
    }

    void failure_endsWith4_data() {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<QByteArray>("named");
        const auto row = [](const char* line, const char* named) {
            QTest::newRow(line) << QByteArray(line) << QByteArray(named);
        };
        row("generate $S --prompt x --device cuda:99", "cpu");  // those that there are
        row("generate $S --prompt x --device tpu", "cpu");
        row("extract $S --audio $A --out $D/none/x.npz", "none/x.npz");
        row("frontend --path torch $A --out $D/none/x.npz", "none/x.npz");
    }
    void failure_endsWith4() {
        QFETCH(const QByteArray, line);
        QFETCH(const QByteArray, named);
        const CliResult result = runCli(expanded(line.constData()));
        QCOMPARE(result.status, 4);
        QVERIFY(result.out.isEmpty());
        QVERIFY2(result.err.contains(named), result.err.constData());
        QCOMPARE(result.err.count('\n'), 1);
        QVERIFY(nothingWritten());
    }

    // E3: what cannot be written is refused before the run, and stays what it was.
    void out_directoryOrTooLong_isRefusedBeforeTheRun() {
        QVERIFY(QDir(dir_.path()).mkdir(QStringLiteral("folder.npz")));
        const CliResult folder =
            runCli(expanded("extract $S --audio missing.wav --out $D/folder.npz"));
        QCOMPARE(folder.status, 4);
        QVERIFY2(folder.err.contains("folder.npz"), folder.err.constData());
        const QString name = QString(300, u'x') + QStringLiteral(".npz");
        const CliResult too_long = runCli(expanded("extract $S --audio missing.wav --out") +
                                          QStringList{dir_.filePath(name)});
        QCOMPARE(too_long.status, 4);
        QCOMPARE(QDir(dir_.path()).count(), 3U);  // ".", ".." and the folder
    }

    void out_existingFile_staysWhenTheRunIsRefused() {
        const QString file = dir_.filePath(QStringLiteral("out.safetensors"));
        writeFile(file, "old");
        QVERIFY(runCli(expanded("extract $S --audio missing.wav --out $O")).isRefusal());
        QFile kept(file);
        QVERIFY(kept.open(QIODevice::ReadOnly));
        QCOMPARE(kept.readAll(), QByteArray("old"));
        QCOMPARE(QDir(dir_.path()).count(), 3U);
    }

    // E1: a limit on file size stands for a full disk.
    void out_fileSizeLimit_leavesNothing() {
        const CliResult result =
            runShell(QStringLiteral("ulimit -f 8; \"$CLI\" extract \"$SET/snapshot\" --audio "
                                    "\"$SET/audio/stereo44.wav\" --out \"$DIR/x.safetensors\""),
                     dir_.path());
        QCOMPARE(result.status, 4);
        QVERIFY(result.out.isEmpty());
        QVERIFY2(result.err.contains("x.safetensors"), result.err.constData());
        QVERIFY(nothingWritten());
    }

    // P3
    void prompt_invalidUtf8_isRefused() {
        const CliResult result = runShell(QStringLiteral(
            "exec \"$CLI\" generate \"$SET/snapshot\" --prompt \"$(printf 'a\\377b')\""));
        QVERIFY2(result.isRefusal() && result.err.contains("UTF-8"), result.err.constData());
    }

    // A9
    void audio_fifo_isRefusedWithoutWaiting() {
        const CliResult result = runShell(
            QStringLiteral("mkfifo \"$DIR/f\" && timeout 20 \"$CLI\" prepare \"$SET/snapshot\" "
                           "--audio \"$DIR/f\""),
            dir_.path());
        QVERIFY2(result.isRefusal(), result.err.constData());
    }

    void message_ofANameWithALineBreak_isOneLine() {
        const CliResult result = runCli(expanded("prepare $S --audio") +
                                        QStringList{dir_.filePath(QStringLiteral("two\nlines"))});
        QVERIFY2(result.isRefusal() && result.err.contains("two\\nlines"), result.err.constData());
    }

    void requestFile_relativePathsAndUnknownKeys_areFine() {
        QVERIFY(QDir(dir_.path()).mkdir(QStringLiteral("sub")));
        QVERIFY(QFile::copy(fixture("audio/mono11.wav"), dir_.filePath(QStringLiteral("a.wav"))));
        QByteArray content = request("{\"file\":\"../a.wav\",\"note\":1}");
        content.insert(1, "\"hook\":{\"module\":\"x\"},\"layers\":\"odd\",\"token\":[],");
        const QString file = dir_.filePath(QStringLiteral("sub/request.json"));
        writeFile(file, content);
        const CliResult result = runCli(expanded("prepare $S --request") + QStringList{file});
        QVERIFY2(result.status == 0, result.err.constData());
        QVERIFY(result.out.contains("\"a.wav\""));
    }

    void requestFile_broken_isRefused_data() {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QByteArray>("named");
        const auto row = [](const QByteArray& content, const char* named) {
            QTest::newRow(content.left(100).constData()) << content << QByteArray(named);
        };
        row("", "request.json");
        row("{", "request.json");
        row("[]", "requests");
        row("{\"requests\":[]}", "requests");
        row("{\"requests\":[1]}", "requests[0]");
        row("{\"requests\":[{\"audios\":[]}]}", "prompt");
        row("{\"requests\":[{\"prompt\":\"\\ud800\",\"audios\":[]}]}", "request.json");  // P3
        row("{\"requests\":[{\"prompt\":\"x\",\"audios\":{}}]}", "audios");
        row(request("{}"), "audios[0]");
        row(request("{\"file\":1}"), "audios[0]");
        row(request("{\"file\":\"a.wav\",\"waveform\":\"w\"}"), "audios[0]");
        row(request("{\"file\":\"a.wav\"}"), "a.wav");
        row(request("{\"file\":\"https://example.invalid/a.wav\"}"),
            "'https://example.invalid/a.wav'");
        row(request("{\"waveform\":\"w\"}"), "sample_rate");
        row(request("{\"waveform\":\"w\",\"sample_rate\":16000}"), "inputs.safetensors");
        row("{\"requests\":[{\"prompt\":\"x\"}],\"dtype\":\"int4\"}", "int4");
        row("{\"requests\":[{\"prompt\":\"x\"}],\"profile\":\"other\"}", "other");
        row("{\"requests\":[{\"prompt\":\"x\"}],\"max_new_tokens\":1.5}", "max_new_tokens");
    }
    void requestFile_broken_isRefused() {
        QFETCH(const QByteArray, content);
        QFETCH(const QByteArray, named);
        const QString file = dir_.filePath(QStringLiteral("request.json"));
        writeFile(file, content);
        const CliResult result = runCli(expanded("generate $S --request") + QStringList{file});
        QVERIFY2(result.isRefusal() && result.err.contains(named), result.err.constData());
    }

    void requestFile_waveforms_namesFaults() {
        QVERIFY(QFile::copy(fixture("cases/waveform_16k/inputs.safetensors"),
                            dir_.filePath(QStringLiteral("inputs.safetensors"))));
        const QString file = dir_.filePath(QStringLiteral("request.json"));
        const auto run = [&](const char* audio) {
            writeFile(file, request(audio));
            return runCli(expanded("prepare $S --request") + QStringList{file});
        };
        QCOMPARE(run("{\"waveform\":\"wave.0\",\"sample_rate\":16000}").status, 0);
        const CliResult unknown = run("{\"waveform\":\"wave.7\",\"sample_rate\":16000}");
        QVERIFY(unknown.isRefusal() && unknown.err.contains("'wave.7'"));
        const CliResult rate = run("{\"waveform\":\"wave.0\",\"sample_rate\":1.5}");
        QVERIFY(rate.isRefusal() && rate.err.contains("sample_rate"));
        QVERIFY(run("{\"waveform\":\"wave.0\",\"sample_rate\":-5}").isRefusal());
    }

    void tokenize_badLine_isNamedAndNothingPrinted() {
        const CliResult result = runCli({QStringLiteral("tokenize"), fixture("snapshot")},
                                        "{\"text\":\"fine\"}\n{\"ids\":[1,\"x\"]}\n");
        QVERIFY2(result.isRefusal() && result.err.contains("line 2"), result.err.constData());
    }
};

QTEST_GUILESS_MAIN(TestCliRefusals)
#include "tst_cli_refusals.moc"
