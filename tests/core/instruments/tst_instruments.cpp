#include "core/base/errors.h"
#include "core/instruments/edits.h"
#include "core/instruments/names.h"
#include "core/instruments/probes.h"

#include <ATen/ATen.h>
#include <QTest>

#include <array>

using namespace earscope;

namespace {

/// Doubles what it gets.
class Doubler : public Module {
public:
    Doubler() : Module("Doubler") {}
    at::Tensor forward(const at::Tensor& input) {
        return run(input, [](const at::Tensor& value) { return value * 2; });
    }
};

/// y = 2 (2 x): "inner.first" and "inner.second".
class Inner : public Module {
public:
    Inner() : Module("Inner") {
        register_module("first", first);
        register_module("second", second);
    }
    at::Tensor forward(const at::Tensor& input) {
        return run(input, [this](const at::Tensor& value) {
            return second.forward(first.forward(value));
        });
    }
    Doubler first, second;
};

class Tiny : public Module {
public:
    Tiny() : Module("Tiny") { register_module("inner", inner); }
    at::Tensor forward(const at::Tensor& input) {
        return run(input, [this](const at::Tensor& value) { return inner.forward(value); });
    }
    Inner inner;
};

std::vector<Edit> edits(std::initializer_list<const char*> texts) {
    std::vector<Edit> parsed;
    for (const char* text : texts) {
        parsed.push_back(parse_edit(text));
    }
    return parsed;
}

float first_value(const at::Tensor& tensor) {
    return tensor.flatten()[0].item<float>();
}

QByteArray refusal(const std::function<void()>& call) {
    try {
        call();
    } catch (const RequestError& error) {
        return error.what();
    }
    return {};
}

}  // namespace

class TestInstruments : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void parseEdit_everyForm_isReadAndWrittenBack_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("again");
        QTest::newRow("zero") << QByteArray("a.b=zero") << QByteArray("a.b=zero");
        QTest::newRow("add") << QByteArray("a.b=add:0.1") << QByteArray("a.b=add:0.1");
        QTest::newRow("negative") << QByteArray("a=scale:-1e-05") << QByteArray("a=scale:-1e-05");
        QTest::newRow("seed given") << QByteArray("a=noise:0.5:7") << QByteArray("a=noise:0.5:7");
        QTest::newRow("scope") << QByteArray("a.b@range:0:0.5:1=zero")
                               << QByteArray("a.b@range:0:0.5:1=zero");
        QTest::newRow("all") << QByteArray("a#pre@all=add:1") << QByteArray("a#pre=add:1");
        QTest::newRow("from") << QByteArray("layers:0-1@last=from:b=c.safetensors#probe.x#pre@last")
                              << QByteArray(
                                     "layers:0-1@last=from:b=c.safetensors#probe.x#pre@last");
        QTest::newRow("seed 3407") << QByteArray("a=noise:0.5") << QByteArray("a=noise:0.5:3407");
    }
    void parseEdit_everyForm_isReadAndWrittenBack() {
        QFETCH(const QByteArray, text);
        QFETCH(const QByteArray, again);
        QCOMPARE(QByteArray::fromStdString(edit_text(parse_edit(text.toStdString()))), again);
    }

    void parseEdit_malformed_throwsRequestError_data() {
        QTest::addColumn<QByteArray>("text");
        for (
            const char* text :
            {"",          "a",          "=zero",       "a=",           "a=double:2",    "a=zero:1",
             "a=add",     "a=add:",     "a=add:x",     "a=add:1x",     "a=add:inf",     "a=add:nan",
             "a=add:1:2", "a=noise:-1", "a=noise:1:x", "a=noise:1:-1", "a=noise:1:2:3", "a=from",
             "a=from:",   "a=from:f",   "a=from:f#",   "a=from:#t"}) {
            QTest::newRow(text) << QByteArray(text);
        }
    }
    void parseEdit_malformed_throwsRequestError() {
        QFETCH(const QByteArray, text);
        const QByteArray message = refusal([&] { parse_edit(text.toStdString()); });
        QVERIFY(message.contains("MODULE=add:NUMBER"));
        QVERIFY(message.contains(text));
    }

    void edit_eachOperation_replacesTheOutput() {
        Tiny model;
        const at::Tensor one = at::ones({2, 3});
        const auto with = [&](const char* text) {
            const EditSet set(model, edits({text}));
            return first_value(model.forward(one));
        };
        QCOMPARE(with("inner.first=zero"), 0.0F);
        QCOMPARE(with("inner.first=add:0.5"), 5.0F);
        QCOMPARE(with("inner.second=add:0.5"), 4.5F);
        QCOMPARE(with("inner.first=scale:0.5"), 2.0F);
        QCOMPARE(first_value(model.forward(one)), 4.0F);  // nothing stays behind
        QCOMPARE(model.any_hook_below(), false);
    }

    void edit_severalOfOneModule_actInTheOrderGiven() {
        Tiny model;
        const EditSet set(model, edits({"inner.first=add:1", "inner.first=scale:3"}));
        QCOMPARE(first_value(model.forward(at::ones({1}))), 18.0F);  // ((1*2)+1)*3*2
    }

    void edit_noise_isNewInEveryRowAndCallAndTheSameForASeed() {
        Tiny model;
        const at::Tensor input = at::zeros({50, 200});
        std::array<at::Tensor, 2> first;
        for (auto& result : first) {
            const EditSet set(model, edits({"inner.second=noise:0.5:7"}));
            result = model.forward(input);
            QVERIFY(!at::equal(result, model.forward(input)));
        }
        QVERIFY(at::equal(first[0], first[1]));
        QVERIFY(!at::equal(first[0][0], first[0][1]));
        // Six standard errors of the mean and of the deviation of 10,000 draws.
        QVERIFY(std::abs(first[0].mean().item<double>()) < 6 * 0.5 / 100);
        QVERIFY(std::abs(first[0].std().item<double>() / 0.5 - 1) < 6 / std::sqrt(2 * 10000.0));
        const EditSet other(model, edits({"inner.second=noise:0.5:8"}));
        QVERIFY(!at::equal(first[0], model.forward(input)));
    }

    void edit_noise_leavesTheDefaultGeneratorAlone() {
        Tiny model;
        at::manual_seed(5);
        const at::Tensor wanted = at::rand({4});
        at::manual_seed(5);
        const EditSet set(model, edits({"inner.second=noise:1"}));
        model.forward(at::zeros({8}));
        QVERIFY(at::equal(at::rand({4}), wanted));
    }

    void edit_bfloat16_keepsTheDtype() {
        Tiny model;
        const EditSet set(model, edits({"inner.first=noise:1", "inner.second=add:0.1"}));
        QCOMPARE(model.forward(at::ones({3}, at::kBFloat16)).scalar_type(), at::kBFloat16);
    }

    void edit_unknownModule_namesTheNearestAndLeavesNothing() {
        Tiny model;
        const QByteArray message = refusal([&] {
            EditSet(model, edits({"inner.second=zero", "inner.frist=zero"}));
        });
        QVERIFY2(message.contains("'inner.frist'") && message.contains("nearest: 'inner.first'"),
                 message.constData());
        QCOMPARE(model.any_hook_below(), false);
    }

    void probe_editedModule_seesTheEdit() {
        Tiny model;
        const EditSet set(model, edits({"inner.first=add:1"}));
        const std::vector<std::string> names{"inner.first", "inner", "inner.first"};
        const ProbeSet probes(model, names);
        model.forward(at::ones({2}));
        const auto captured = probes.captured();
        QCOMPARE(captured.size(), std::size_t{2});
        QCOMPARE(captured[0].name, names[0]);
        QCOMPARE(first_value(captured[0].values), 3.0F);
        QCOMPARE(first_value(captured[1].values), 6.0F);
    }

    void probe_tensorChangedLater_keepsItsCopy() {
        Tiny model;
        const std::vector<std::string> names{"inner"};
        const ProbeSet probes(model, names);
        model.forward(at::ones({2})).fill_(9);
        QCOMPARE(first_value(probes.captured()[0].values), 4.0F);
    }

    void probe_moduleThatDidNotRun_throwsRequestError() {
        Tiny model;
        const std::vector<std::string> names{"inner.second"};
        const ProbeSet probes(model, names);
        QVERIFY(refusal([&] { probes.captured(); }).contains("inner.second"));
    }

    void nearestNames_missingPrefix_comesFirst() {
        const std::vector<std::string> names{"", "model.layers.1", "model.language_model.layers.11",
                                             "model.language_model.layers.1", "layerz.1"};
        QCOMPARE(nearest_names("language_model.layers.1", names, 1).front(), names[3]);
        QCOMPARE(nearest_names("x", {""}).size(), std::size_t{0});
    }
};

QTEST_GUILESS_MAIN(TestInstruments)
#include "tst_instruments.moc"
