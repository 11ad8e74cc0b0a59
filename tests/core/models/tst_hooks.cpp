// Hooks on every named module: seen, replaced, removed, misused (reliability R7).
#include "core/session.h"
#include "tests/support/tensor_compare.h"
#include "tests/support/tiny_model.h"

#include <QTest>

#include <fstream>

using namespace earscope;
using namespace earscope::testing;

class TestHooks : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        session_ = load_tiny();
        Request request{"Describe the track.", {clip("float16k.wav"), clip("mono11.wav")}};
        batch_ = session_->prepare({request});
        plain_ = session_->forward(batch_).logits;
    }

    void namedModules_areThoseOfTheReference() {
        std::ifstream file(tiny_folder() / "named_modules.txt");
        std::vector<std::string> wanted;
        for (std::string line; std::getline(file, line);) {
            wanted.push_back(line);
        }
        std::vector<std::string> got;
        for (const auto& [name, module] : session_->model().named_modules()) {
            got.push_back(name + "\t" + module->class_name());
            QCOMPARE(session_->model().find(name), module);
        }
        QCOMPARE(got, wanted);
        QVERIFY(session_->model().find("model.layers") == nullptr);
    }

    void everyModule_isSeenAndItsOutputReplaced() {
        for (const auto& [name, module] : session_->model().named_modules()) {
            if (module->class_name() == "ModuleList") {
                continue;  // containers are never called, as in the reference
            }
            int calls = 0;
            {
                const HookHandle handle = module->register_forward_hook(
                    [&calls](const Module&, const at::Tensor&, const at::Tensor& output) {
                        ++calls;
                        return output * 0.5;
                    });
                const at::Tensor edited = session_->forward(batch_).logits;
                QVERIFY2(calls > 0, name.c_str());
                QVERIFY2(largest_difference(edited, plain_) > 1e-6, name.c_str());
            }
            QCOMPARE(session_->model().any_hook_below(), false);
        }
        QVERIFY(close("after all hooks are gone", session_->forward(batch_).logits, plain_, 0));
    }

    void observing_changesNothing_alsoInTheAudioTower() {
        std::vector<std::int64_t> shape;
        const HookHandle handle =
            module("model.audio_tower")
                .register_forward_hook(
                    [&shape](const Module&, const at::Tensor&, const at::Tensor& output) {
                        shape = output.sizes().vec();
                        return at::Tensor();
                    });
        // Two windows at the reference's full width: the padded path is taken, within rounding.
        QVERIFY(close_relative("logits", session_->forward(batch_).logits, plain_));
        QCOMPARE(shape, (std::vector<std::int64_t>{2, 750, 64}));
    }

    void preHook_replacesTheInput() {
        const HookHandle handle = module("lm_head").register_forward_pre_hook(
            [](const Module&, const at::Tensor& input) { return at::zeros_like(input); });
        QVERIFY(
            close("logits of zeros", session_->forward(batch_).logits, at::zeros_like(plain_), 0));
    }

    void hooks_runInTheirOrder_prependedFirst() {
        std::vector<int> order;
        const auto note = [&order](int number) {
            return [&order, number](const Module&, const at::Tensor&, const at::Tensor&) {
                order.push_back(number);
                return at::Tensor();
            };
        };
        const HookHandle one = module("lm_head").register_forward_hook(note(1));
        const HookHandle two = module("lm_head").register_forward_hook(note(2));
        const HookHandle three = module("lm_head").register_forward_hook(note(3), /*prepend=*/true);
        session_->forward(batch_);
        QCOMPARE(order, (std::vector<int>{3, 1, 2}));
    }

    void hooks_alsoSeeEveryGeneratedStep() {
        int calls = 0;
        const HookHandle handle =
            module("model.language_model.layers.1")
                .register_forward_hook(
                    [&calls](const Module&, const at::Tensor&, const at::Tensor&) {
                        ++calls;
                        return at::Tensor();
                    });
        GenerateOptions options;
        options.max_new_tokens = 4;
        const auto ids = session_->generate(batch_, options).ids[0];
        QCOMPARE(static_cast<std::size_t>(calls), ids.size());
    }

    void laterHook_runsThoughOnlyAnEarlyLayerIsAsked() {
        int calls = 0;
        const HookHandle handle = module("lm_head").register_forward_hook(
            [&calls](const Module&, const at::Tensor&, const at::Tensor&) {
                ++calls;
                return at::Tensor();
            });
        session_->extract_contextual_embeddings(batch_, {1});
        QCOMPARE(calls, 1);
    }

    void throwingHook_namesItsModuleAndTheSessionGoesOn() {
        {
            const HookHandle handle =
                module("model.language_model.layers.2.mlp")
                    .register_forward_hook(
                        [](const Module&, const at::Tensor&, const at::Tensor&) -> at::Tensor {
                            throw std::runtime_error("from the test");
                        });
            try {
                session_->forward(batch_);
                QFAIL("the exception was lost");
            } catch (const RequestError& error) {
                const QByteArray text(error.what());
                QVERIFY2(text.contains("layers.2.mlp") && text.contains("from the test"),
                         error.what());
            }
        }
        QVERIFY(close("next call", session_->forward(batch_).logits, plain_, 0));
    }

    void wrongShape_isRefusedByName() {
        const HookHandle handle = module("model.multi_modal_projector")
                                      .register_forward_hook([](const Module&, const at::Tensor&,
                                                                const at::Tensor& output) {
                                          return output.narrow(-1, 0, 3);
                                      });
        try {
            session_->forward(batch_);
            QFAIL("a replacement of another shape was taken");
        } catch (const RequestError& error) {
            QVERIFY2(QByteArray(error.what()).contains("model.multi_modal_projector"),
                     error.what());
        }
    }

    void hookThatRemovesItselfOrAddsAnother_isSafe() {
        Module& head = module("lm_head");
        HookHandle self;
        std::vector<HookHandle> added;
        int own = 0;
        int other = 0;
        self = head.register_forward_hook([&](const Module&, const at::Tensor&, const at::Tensor&) {
            ++own;
            self.remove();
            added.push_back(head.register_forward_hook(
                [&other](const Module&, const at::Tensor&, const at::Tensor&) {
                    ++other;
                    return at::Tensor();
                }));
            return at::Tensor();
        });
        session_->forward(batch_);
        QCOMPARE(own, 1);
        QCOMPARE(other, 0);  // the new one counts from the next call on
        session_->forward(batch_);
        QCOMPARE(own, 1);
        QCOMPARE(other, 1);
        added.clear();
        QCOMPARE(head.hook_count(), std::size_t{0});
    }

    void handle_mayOutliveItsModel() {
        HookHandle handle;
        {
            const auto other = load_tiny();
            handle = other->model().register_forward_hook(
                [](const Module&, const at::Tensor&, const at::Tensor&) { return at::Tensor(); });
        }
        handle.remove();
    }

    // BL34: what a hook stored does not change later.
    void captured_staysWhatItWas() {
        std::vector<at::Tensor> captured;
        const HookHandle handle =
            module("model.language_model.layers.0")
                .register_forward_hook(
                    [&captured](const Module&, const at::Tensor&, const at::Tensor& output) {
                        captured.push_back(output);
                        return at::Tensor();
                    });
        const at::Tensor first = session_->forward(batch_, true).hidden_states[1].clone();
        session_->forward(batch_);
        QCOMPARE(captured.size(), std::size_t{2});
        QVERIFY(close("kept", captured[0], first, 0));
    }

    void floatingTypes_ofAReplacementAreConverted() {
        const HookHandle handle = module("lm_head").register_forward_hook(
            [](const Module&, const at::Tensor&, const at::Tensor& output) {
                return output.to(at::kDouble);
            });
        const at::Tensor logits = session_->forward(batch_).logits;
        QCOMPARE(logits.scalar_type(), at::kFloat);
        QVERIFY(close("same", logits, plain_, 0));
    }

private:
    Module& module(const std::string& name) { return *session_->model().find(name); }

    std::shared_ptr<Session> session_;
    PreparedBatch batch_;
    at::Tensor plain_;
};

QTEST_GUILESS_MAIN(TestHooks)
#include "tst_hooks.moc"
