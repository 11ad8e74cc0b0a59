// Times Earscope stage by stage on the folders that the Python peer's benchmark made and timed, and
// prints rows of the same form: one JSON object a measurement.
//
// usage: earscope-bench SNAPSHOT AUDIO_FOLDER [--dtype float32] [--threads 2] [--repeats 5]
// [--new-tokens 64]
#include "core/nn/qwen_decoder.h"
#include "core/session.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <iostream>
#include <map>
#include <sys/resource.h>

using namespace earscope;

namespace {

struct Settings {
    std::string snapshot;
    std::filesystem::path audio;
    std::string dtype = "float32";
    int threads = 2;
    int repeats = 5;
    int new_tokens = 64;
    std::string stages = "load,prepare,embed,prefill,context,decode";
    std::string requests = "5s,30s";  // of the stages that run the model
};

const std::string kQuestion =
    "Describe the music, its genre, tempo, key, instruments, production style and the mood it "
    "creates.";

double wall() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

double cpu() {
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

double peak_rss_mb() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

class Bench {
public:
    explicit Bench(Settings settings) : settings_(std::move(settings)) {}

    void row(const std::string& stage, const std::string& request, nlohmann::json more) {
        nlohmann::json out = {
            {"impl", "earscope"},       {"family", family_}, {"threads", settings_.threads},
            {"dtype", settings_.dtype}, {"stage", stage},    {"request", request}};
        out.update(more);
        std::cout << out.dump() << std::endl;
    }

    /// One untimed call, then the best wall and the least CPU time of several.
    template <typename Call>
    double measure(const std::string& stage, const std::string& request, Call&& call) {
        call();
        std::vector<double> walls;
        std::vector<double> cpus;
        for (int i = 0; i < settings_.repeats; ++i) {
            const double w = wall();
            const double c = cpu();
            call();
            walls.push_back(wall() - w);
            cpus.push_back(cpu() - c);
        }
        std::sort(walls.begin(), walls.end());
        row(stage, request,
            {{"unit", "s"},
             {"best", walls.front()},
             {"median", walls[walls.size() / 2]},
             {"cpu_s_min", *std::min_element(cpus.begin(), cpus.end())}});
        return walls.front();
    }

    void memory(const std::string& stage) {
        row(stage, "", {{"unit", "MB"}, {"best", peak_rss_mb()}});
    }

    LoadOptions load_options() const {
        LoadOptions options;
        options.device = "cpu";
        options.dtype = settings_.dtype == "float32" ? at::kFloat : at::kBFloat16;
        return options;
    }

    /// Sources of these lengths. With MOSS-Music the whole row is the peer's: its system text is
    /// the family's own.
    Request request(const std::vector<int>& seconds) const {
        Request made{kQuestion, {}};
        if (moss()) {
            made.prompt.clear();
            for (std::size_t i = 1; i <= seconds.size(); ++i) {
                made.prompt +=
                    "audio " + std::to_string(i) + ": " + std::string(kAudioMarker) + "\n";
            }
            made.prompt += kQuestion;
        }
        for (std::size_t i = 0; i < seconds.size(); ++i) {
            made.audios.emplace_back(settings_.audio / ("a" + std::to_string(seconds[i]) + "-" +
                                                        std::to_string(i) + ".wav"));
        }
        return made;
    }

    /// The peer's benchmark gives Music Flamingo a shorter system text; the model stages run on
    /// its very prompt.
    static PreparedBatch with_peer_prompt(Session& session, PreparedBatch batch) {
        const Processor& processor = session.processor();
        auto ids = processor.tokenizer.encode(
            "<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n<|im_start|>user\n");
        ids.push_back(processor.audio_begin_id);
        const auto first = static_cast<std::int64_t>(ids.size());
        ids.insert(ids.end(), static_cast<std::size_t>(batch.slots[0].token_count),
                   processor.audio_token_id);
        ids.push_back(processor.audio_end_id);
        const auto rest =
            processor.tokenizer.encode("\n" + kQuestion + "<|im_end|>\n<|im_start|>assistant\n");
        ids.insert(ids.end(), rest.begin(), rest.end());
        batch.inputs.input_ids = at::tensor(ids, at::kLong).unsqueeze(0);
        batch.inputs.attention_mask = at::ones_like(batch.inputs.input_ids);
        batch.slots[0].token_positions =
            at::arange(first, first + batch.slots[0].token_count, at::kLong);
        return batch;
    }

    void decode(Session& session, const PreparedBatch& batch, const std::string& name,
                std::int64_t rows) {
        c10::NoGradGuard no_grad;
        ModelInputs inputs = batch.inputs;
        const std::int64_t width = inputs.input_ids.size(1);
        if (rows > 1) {
            inputs.input_ids = inputs.input_ids.repeat({rows, 1});
            inputs.attention_mask = inputs.attention_mask.repeat({rows, 1});
            inputs.mel = inputs.mel.repeat({rows, 1, 1});
            inputs.feature_mask = inputs.feature_mask.repeat({rows, 1});
            inputs.windows_per_source.assign(static_cast<std::size_t>(rows),
                                             inputs.windows_per_source[0]);
        }
        double best = 0;
        double cpu_best = 1e9;
        for (int repeat = 0; repeat < 3; ++repeat) {
            KvCache cache(session.model().layer_count(), inputs.attention_mask,
                          width + settings_.new_tokens + 1);
            at::Tensor logits = session.model().prefill(inputs, cache, {});
            const double w = wall();
            const double c = cpu();
            for (int i = 0; i < settings_.new_tokens; ++i) {
                const at::Tensor next = logits.select(1, 0).to(at::kFloat).argmax(-1);
                logits = session.model().decode_step(next, cache, {});
            }
            best = std::max(best, settings_.new_tokens * static_cast<double>(rows) / (wall() - w));
            cpu_best = std::min(cpu_best, (cpu() - c) / settings_.new_tokens);
        }
        row(rows == 1 ? "decode_greedy" : "decode_greedy_batch4", name,
            {{"unit", "token/s"}, {"best", best}, {"cpu_s_per_token_min", cpu_best}});
    }

    void model_stages(Session& session, const std::string& name, int seconds) {
        PreparedBatch batch = session.prepare({request({seconds})});
        if (!moss()) {
            batch = with_peer_prompt(session, std::move(batch));
        }
        if (wants("embed")) {
            measure("embed_raw+projected", name, [&] { session.extract_audio_embeddings(batch); });
        }
        if (wants("prefill")) {
            measure("prefill", name, [&] {
                c10::NoGradGuard no_grad;
                KvCache cache(session.model().layer_count(), batch.inputs.attention_mask,
                              batch.inputs.input_ids.size(1));
                session.model().prefill(batch.inputs, cache, {});
            });
        }
        if (wants("context")) {
            context(session, batch, name);
        }
        if (wants("decode")) {
            decode(session, batch, name, 1);
            if (seconds == 5 && !moss()) {  // the peer times batches of Music Flamingo alone
                decode(session, batch, "4x(5s)", 4);
            }
        }
    }

    void context(Session& session, const PreparedBatch& batch, const std::string& name) {
        measure("context_layer_1", name,
                [&] { session.extract_contextual_embeddings(batch, {1}); });
        measure("context_layer_-1", name,
                [&] { session.extract_contextual_embeddings(batch, {-1}); });
        std::vector<std::int64_t> layers;
        for (std::int64_t l = 0; l <= session.model().layer_count(); ++l) {
            layers.push_back(l);
        }
        measure("context_all_layers", name,
                [&] { session.extract_contextual_embeddings(batch, layers); });
    }

    bool moss() const { return family_ == "moss"; }
    bool wants(const std::string& stage) const { return listed(settings_.stages, stage); }
    static bool listed(const std::string& list, const std::string& item) {
        return ("," + list + ",").find("," + item + ",") != std::string::npos;
    }

    void run() {
        at::set_num_threads(settings_.threads);
        const double start = wall();
        auto session = load_model(settings_.snapshot, load_options());
        family_ = session->family() == Family::MossMusic ? "moss" : "mf";
        row("load_model_first", "", {{"unit", "s"}, {"best", wall() - start}});
        memory("peak_rss_after_load");
        if (wants("load")) {
            measure("load_model", "", [&] {
                session.reset();  // two at once would count the weights twice
                session = load_model(settings_.snapshot, load_options());
            });
        }
        const std::map<std::string, std::vector<int>> requests = {
            {"5s", {5}}, {"30s", {30}}, {"60s", {60}}, {"5x20s", {20, 20, 20, 20, 20}}};
        for (const auto& [name, seconds] : requests) {
            if (!wants("prepare")) {
                continue;
            }
            measure("prepare", name,
                    [&, wanted = seconds] { session->prepare({request(wanted)}); });
        }
        for (const auto& [name, seconds] : requests) {
            if (seconds.size() == 1 && listed(settings_.requests, name)) {
                model_stages(*session, name, seconds[0]);
            }
        }
        memory("peak_rss_end");
    }

private:
    Settings settings_;
    std::string family_;  // "mf" or "moss", as the peer's rows have it
};

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        std::cerr << "usage: earscope-bench SNAPSHOT AUDIO_FOLDER [--dtype D] [--threads N] "
                     "[--repeats N] "
                     "[--new-tokens N]\n";
        return 2;
    }
    Settings settings;
    settings.snapshot = argv[1];
    settings.audio = argv[2];
    for (int i = 3; i + 1 < argc; i += 2) {
        const std::string option = argv[i];
        const std::string value = argv[i + 1];
        if (option == "--dtype") {
            settings.dtype = value;
        } else if (option == "--threads") {
            settings.threads = std::stoi(value);
        } else if (option == "--repeats") {
            settings.repeats = std::stoi(value);
        } else if (option == "--stages") {
            settings.stages = value;
        } else if (option == "--requests") {
            settings.requests = value;
        } else if (option == "--new-tokens") {
            settings.new_tokens = std::stoi(value);
        }
    }
    try {
        Bench(settings).run();
    } catch (const std::exception& error) {
        std::cerr << error.what() << "\n";
        return 1;
    }
    return 0;
}
