// earscope-cli selfcheck: passes on what ships, says where a build differs, and with what status.
#include "resources/demo_paths.h"
#include "tests/app/cli/cli_process.h"

#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>

#include <filesystem>

using namespace earscope;
using namespace earscope::testing;
using nlohmann::json;

class TestCliSelfCheck : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void selfcheck_demo_passes_data() {
        QTest::addColumn<QString>("dtype");
        for (const char* dtype : {"float32", "bfloat16", "float16"}) {
            QTest::newRow(dtype) << QString::fromLatin1(dtype);
        }
    }
    void selfcheck_demo_passes() {
        QFETCH(QString, dtype);
        const CliResult result = runCli({QStringLiteral("selfcheck"), QStringLiteral("--device"),
                                         QStringLiteral("cpu"), QStringLiteral("--dtype"), dtype});
        QCOMPARE(result.status, 0);
        const json answer = json::parse(result.out.toStdString());
        QVERIFY(answer.at("passed").get<bool>());
        QCOMPARE(answer.at("dtype").get<std::string>(), dtype.toStdString());
        QCOMPARE(answer.at("models").size(), std::size_t{2});
        for (const json& model : answer.at("models")) {
            QVERIFY(model.at("stages").size() >= 8);
        }
    }

    void selfcheck_changedWeight_failsAndPrintsTheTable() {
        QTemporaryDir folder;
        const std::filesystem::path demo = folder.path().toStdString();
        for (const char* part : {"music-flamingo", "moss-music", "clips"}) {
            std::filesystem::copy(demo_folder() / part, demo / part,
                                  std::filesystem::copy_options::recursive);
        }
        const QString weights =
            QString::fromStdString((demo / "moss-music/model.safetensors").string());
        QFile file(weights);
        QVERIFY(file.open(QIODevice::ReadWrite));
        // A block in the middle of the weights, away from header and ends.
        QVERIFY(file.seek(file.size() / 2));
        QCOMPARE(file.write(QByteArray(4096, '\x3f')), qint64{4096});
        file.close();
        qputenv("EARSCOPE_DEMO", demo.c_str());
        const CliResult result = runCli({QStringLiteral("selfcheck")});
        qunsetenv("EARSCOPE_DEMO");
        QCOMPARE(result.status, 4);
        QVERIFY2(result.err.contains("self-check failed"), result.err);
        const json answer = json::parse(result.out.toStdString());
        QVERIFY(!answer.at("passed").get<bool>());
        QVERIFY(answer.at("models").at(0).at("passed").get<bool>());
        QVERIFY(!answer.at("models").at(1).at("passed").get<bool>());
    }
};

QTEST_GUILESS_MAIN(TestCliSelfCheck)
#include "tst_cli_selfcheck.moc"
