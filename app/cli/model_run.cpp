#include "app/cli/model_run.h"

#include "app/cli/output.h"
#include "resources/demo_paths.h"

#include <unistd.h>

namespace earscope::cli {

namespace {

/// float32 on the CPU, bfloat16 on a GPU, unless the user or the request file chose.
at::ScalarType choose_dtype(const Options& options, const RequestFile& request) {
    if (options.dtype) {
        return *options.dtype;
    }
    if (request.dtype) {
        if (const auto dtype = parse_dtype(*request.dtype)) {
            return *dtype;
        }
        throw RequestError(options.request_file->string() + ": dtype: '" + *request.dtype +
                           "' is none of float32, bfloat16, float16");
    }
    const bool cpu =
        options.device == "cpu" || (options.device == "auto" && available_devices().size() < 2);
    return cpu ? at::kFloat : at::kBFloat16;
}

RequestFile read_request(const Options& options) {
    if (options.request_file) {
        return read_request_file(*options.request_file);
    }
    RequestFile file;
    Request request{options.prompt.value_or(""), {}};
    for (const std::string& audio : options.audio) {
        request.audios.emplace_back(std::filesystem::path(audio));
    }
    file.requests.push_back(std::move(request));
    return file;
}

}  // namespace

std::filesystem::path snapshot_folder(const std::string& given) {
    if (given != "demo" && given != "demo-moss") {
        return given;
    }
    std::filesystem::path folder =
        demo_folder() / (given == "demo" ? "music-flamingo" : "moss-music");
    if (!std::filesystem::is_directory(folder)) {
        throw SnapshotError("the built-in demonstration model '" + given + "' is not in " +
                            folder.string());
    }
    return folder;
}

ModelRun start_model_run(Context& context) {
    const Options& options = context.options;
    if (options.out) {
        check_writable(*options.out);
    }
    ModelRun run;
    run.request = read_request(options);
    LoadOptions load;
    load.device = options.device;
    load.dtype = choose_dtype(options, run.request);
    load.attention = options.attention;
    load.chunk_padding = options.chunk_padding;
    load.stop = context.stop;
    load.progress = context.progress.callback();
    run.session = load_model(snapshot_folder(options.snapshot), load);
    return run;
}

CallOptions call_options(Context& context) {
    CallOptions options;
    options.stop = context.stop;
    options.progress = context.progress.callback();
    return options;
}

std::string device_note(const Session& session) {
    return "device " + session.device_name() + ", " +
           std::string(dtype_text(session.options().dtype));
}

std::vector<AskedLayer> asked_layers(const LayerSelection& selection, const Model& model) {
    const std::int64_t last = model.layer_count();
    std::vector<AskedLayer> layers;
    if (selection.all) {
        for (std::int64_t layer = 0; layer <= last; ++layer) {
            layers.push_back({layer, layer});
        }
        return layers;
    }
    for (const std::int64_t asked : selection.layers) {
        const std::int64_t layer = asked < 0 ? asked + last + 1 : asked;
        if (layer < 0 || layer > last) {
            throw RequestError("there is no layer " + std::to_string(asked) +
                               ": this model has layers 0 (decoder input) to " +
                               std::to_string(last) + ", or -1 to " + std::to_string(-last - 1) +
                               " from the end");
        }
        layers.push_back({asked, layer});
    }
    return layers;
}

nlohmann::json instrument_manifest(const Options& options) {
    nlohmann::json manifest = nlohmann::json::object();
    for (const Edit& edit : options.edits) {
        manifest["edits"].push_back(edit_text(edit));
    }
    if (!options.probes.empty()) {
        manifest["probes"] = options.probes;
    }
    if (options.gradients) {
        manifest["gradient_loss"] =
            options.gradients->loss == GradientLoss::Audio ? "audio" : "contextual";
    }
    return manifest;
}

std::vector<NamedTensor> position_tensors(const PreparedBatch& batch) {
    std::vector<NamedTensor> chosen;
    for (NamedTensor& entry : prepared_tensors(batch)) {
        const std::string& name = entry.name;
        if (name == "input_ids" || name == "attention_mask" ||
            name.starts_with("token_positions.") || name.starts_with("time_s.")) {
            chosen.push_back(std::move(entry));
        }
    }
    return chosen;
}

std::vector<NamedTensor> probe_tensors(
    const std::vector<std::pair<std::string, at::Tensor>>& captured) {
    std::vector<NamedTensor> tensors;
    tensors.reserve(captured.size());
    for (const auto& [module, output] : captured) {
        tensors.push_back({"probe." + module, output});
    }
    return tensors;
}

}  // namespace earscope::cli
