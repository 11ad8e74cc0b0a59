#include "widgets/model/module_tree_model.h"

#include <QAbstractItemModelTester>
#include <QFile>
#include <QTest>
#include <QTreeView>

using namespace earscope;

namespace {

ModuleEntry entry(const char* name, const char* className, qint64 parameters = 0) {
    return {QString::fromLatin1(name), QString::fromLatin1(className), parameters};
}

std::vector<ModuleEntry> smallModel() {
    return {entry("", "Model", 500),
            entry("model", "Inner", 400),
            entry("model.audio_tower", "Encoder", 100),
            entry("model.audio_tower.layers", "ModuleList", 60),
            entry("model.audio_tower.layers.0", "EncoderLayer", 60),
            entry("model.audio_tower.layers.0.mlp", "MLP", 30),
            entry("model.language_model", "Decoder", 300),
            entry("model.language_model.layers", "ModuleList", 200),
            entry("model.language_model.layers.0", "DecoderLayer", 100),
            entry("model.language_model.layers.0.mlp", "MLP", 50),
            entry("model.language_model.layers.1", "DecoderLayer", 100),
            entry("model.language_model.layers.1.mlp", "MLP", 50),
            entry("lm_head", "Linear", 1'234'567)};
}

/// Every path of the model, depth first, everything fetched.
QStringList paths(ModuleTreeModel& model, const QModelIndex& parent = {}) {
    if (model.canFetchMore(parent)) {
        model.fetchMore(parent);
    }
    QStringList result;
    for (int row = 0; row < model.rowCount(parent); ++row) {
        const QModelIndex index = model.index(row, 0, parent);
        result << index.data(ModuleTreeModel::PathRole).toString();
        result << paths(model, index);
    }
    return result;
}

}  // namespace

class TestModuleTreeModel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() {
        QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not)")));
    }

    void model_anyUse_keepsTheRulesOfItemModels() {
        using Tester = QAbstractItemModelTester;
        ModuleTreeModel model;
        // One tester per state: during a reset it would open branches before it has noted the end
        // of the reset, and complain of itself.
        for (const QString& search : {QString(), QStringLiteral("mlp"), QStringLiteral("none")}) {
            model.setModules(smallModel());
            const int matches = model.setSearch(search);
            QCOMPARE(matches, search.isEmpty() ? 13 : search.size() == 3 ? 3 : 0);
            const Tester tester(&model, Tester::FailureReportingMode::QtTest);
            QVERIFY(paths(model).size() >= matches - 1);
        }
        model.setModules({});
        QCOMPARE(model.rowCount(), 0);
    }

    void branches_notOpened_areNotBuilt() {
        ModuleTreeModel model;
        model.setModules(smallModel());
        QCOMPARE(model.rowCount(), 2);
        const QModelIndex inner = model.index(0, 0);
        QVERIFY(model.hasChildren(inner));
        QCOMPARE(model.rowCount(inner), 0);
        QVERIFY(model.canFetchMore(inner));
        model.fetchMore(inner);
        QCOMPARE(model.rowCount(inner), 2);
    }

    void data_ofARow_isNameClassAndCount() {
        ModuleTreeModel model;
        model.setModules(smallModel());
        const QModelIndex head = model.index(1, 0);
        QCOMPARE(head.data().toString(), QStringLiteral("lm_head"));
        QCOMPARE(head.siblingAtColumn(ModuleTreeModel::ClassColumn).data().toString(),
                 QStringLiteral("Linear"));
        QCOMPARE(head.siblingAtColumn(ModuleTreeModel::ParametersColumn).data().toString(),
                 QStringLiteral("1.23 M"));
        QVERIFY(head.data(Qt::ToolTipRole).toString().contains(QStringLiteral("1,234,567")));
    }

    void search_finds_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("matches");
        QTest::newRow("part of a name") << QStringLiteral("audio_tower") << 4;
        QTest::newRow("case") << QStringLiteral("AUDIO_tower") << 4;
        QTest::newRow("class") << QStringLiteral("EncoderLayer") << 1;
        QTest::newRow("pattern") << QStringLiteral("model.*.layers.*.mlp") << 3;
        QTest::newRow("a star does not cross dots") << QStringLiteral("model.*.mlp") << 0;
        QTest::newRow("pattern over the whole path") << QStringLiteral("*.mlp") << 0;
        QTest::newRow("layer range") << QStringLiteral("layers:1-7") << 2;
        QTest::newRow("layer range in words") << QStringLiteral("layers 0-1") << 4;
        QTest::newRow("one layer") << QStringLiteral("layer 0") << 2;
        QTest::newRow("a dot is a dot") << QStringLiteral("layers.0.m*p") << 0;
        QTest::newRow("nothing") << QStringLiteral("nowhere") << 0;
        QTest::newRow("spaces only") << QStringLiteral("  ") << 13;
    }

    void search_finds() {
        QFETCH(QString, text);
        QFETCH(int, matches);
        ModuleTreeModel model;
        model.setModules(smallModel());
        QCOMPARE(model.setSearch(text), matches);
    }

    void search_match_isShownWithTheWayToIt() {
        ModuleTreeModel model;
        model.setModules(smallModel());
        model.setSearch(QStringLiteral("model.language_model.layers.1.m*"));
        const QStringList expected{QStringLiteral("model"), QStringLiteral("model.language_model"),
                                   QStringLiteral("model.language_model.layers"),
                                   QStringLiteral("model.language_model.layers.1"),
                                   QStringLiteral("model.language_model.layers.1.mlp")};
        QCOMPARE(paths(model), expected);
        // What lies on the way keeps its class.
        QCOMPARE(model.index(0, ModuleTreeModel::ClassColumn).data().toString(),
                 QStringLiteral("Inner"));
    }

    void realModel_allModules_appearOnceAndInOrder() {
        QFile file(QStringLiteral(EARSCOPE_FIXTURES "/mf-tiny/named_modules.txt"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        std::vector<ModuleEntry> modules;
        QStringList names;
        for (const QByteArray& line : file.readAll().split('\n')) {
            const QList<QByteArray> parts = line.split('\t');
            if (parts.size() == 2) {
                modules.push_back({QString::fromUtf8(parts[0]), QString::fromUtf8(parts[1]), 0});
                names << QString::fromUtf8(parts[0]);
            }
        }
        QVERIFY(modules.size() > 50);
        names.removeAll(QString());
        ModuleTreeModel model;
        model.setModules(modules);
        QCOMPARE(paths(model), names);
    }

    void large_thirtyThousandModules_areQuick() {
        std::vector<ModuleEntry> modules;
        for (int layer = 0; layer < 3'000; ++layer) {
            const QString name = QStringLiteral("model.layers.%1").arg(layer);
            modules.push_back({name, QStringLiteral("Layer"), 1});
            for (int part = 0; part < 9; ++part) {
                modules.push_back(
                    {QStringLiteral("%1.part%2").arg(name).arg(part), QStringLiteral("Linear"), 1});
            }
        }
        QElapsedTimer timer;
        timer.start();
        ModuleTreeModel model;
        model.setModules(modules);
        model.setSearch(QStringLiteral("layers.77"));
        model.setSearch(QString());
        QVERIFY2(timer.elapsed() < 500, qPrintable(QString::number(timer.elapsed())));
    }
};

QTEST_MAIN(TestModuleTreeModel)
#include "tst_module_tree_model.moc"
