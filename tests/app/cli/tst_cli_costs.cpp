// Rows of the prompt, and what instruments say of their cost before they run.
#include "tests/app/cli/arrays.h"
#include "tests/app/cli/cli_process.h"

#include <QTemporaryDir>
#include <QTest>

using namespace earscope;
using namespace earscope::testing;

class TestCliCosts : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void attention_rows_areAddedToWhatIsWritten() {
        const QTemporaryDir out;
        const auto arrays = [&](const char* name, const QStringList& more) {
            const QString file = out.filePath(QString::fromLatin1(name));
            const CliResult result =
                runCli(words("attention") + QStringList{fixture("snapshot")} +
                       words("--prompt Hm? --layers 0,-1 --max-new-tokens 3 --device cpu "
                             "--threads 1") +
                       QStringList{QStringLiteral("--audio"), fixture("audio/float16k.wav"),
                                   QStringLiteral("--out"), file} +
                       more);
            return result.status == 0 ? load_arrays(file.toStdString()) : Arrays{};
        };
        Arrays plain = arrays("plain.safetensors", {});
        Arrays with = arrays("rows.safetensors", words("--rows 5:12"));
        QVERIFY(!plain.empty());
        QCOMPARE(with.size(), plain.size() + 2);
        for (const auto& [name, array] : plain) {
            QVERIFY2(with[name].values == array.values, name.c_str());
        }
        const auto width = plain["input_ids"].shape[1];
        const Array& rows = with["attention_rows.-1"];
        QCOMPARE(rows.shape, (std::vector<std::int64_t>{1, 6, 7, width}));
        double sum = 0;
        for (std::size_t key = 0; key < static_cast<std::size_t>(width); ++key) {
            sum += rows.values[key];
            QVERIFY(key <= 5 || rows.values[key] == 0);
        }
        QVERIFY(std::abs(sum - 1) < 1e-5);
    }

    void costs_areToldBeforeTheRun() {
        const QTemporaryDir out;
        const QStringList rest = words("--prompt Hm? --device cpu --threads 1 --audio") +
                                 QStringList{fixture("audio/float16k.wav")};
        const CliResult saliency = runCli(words("saliency") + QStringList{fixture("snapshot")} +
                                          rest + words("--max-new-tokens 1 --method integrated:4"));
        QCOMPARE(saliency.status, 0);
        QVERIFY2(saliency.err.contains("saliency: 6 passes, about 0"), saliency.err.constData());
        QVERIFY(saliency.err.contains("MB\n"));
        const CliResult forward =
            runCli(words("forward") + QStringList{fixture("snapshot")} + rest +
                   words("--probe layers:0-1@audio:0 --probe lm_head --out") +
                   QStringList{out.filePath(QStringLiteral("a.safetensors"))});
        QCOMPARE(forward.status, 0);
        Arrays arrays = load_arrays(out.filePath(QStringLiteral("a.safetensors")).toStdString());
        std::size_t bytes = 0;
        for (const auto& [name, array] : arrays) {
            bytes += name.starts_with("probe.") ? array.values.size() * 4 : 0;
        }
        const QByteArray line = "probes keep " +
                                QByteArray::number(static_cast<double>(bytes) / 1000, 'f', 1) +
                                " kB in 3 tensors";
        QVERIFY2(forward.err.contains(line), (forward.err + line).constData());
    }
};

QTEST_GUILESS_MAIN(TestCliCosts)
#include "tst_cli_costs.moc"
