#include "app/cli/model_run.h"

#include "app/cli/output.h"
#include "core/models/dtype_text.h"
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

}  // namespace

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

namespace {

/// @param count    layers there are
/// @param meaning  of their numbers, for the message
std::vector<AskedLayer> numbered(const LayerSelection& selection, std::int64_t count,
                                 const std::string& meaning) {
    std::vector<AskedLayer> layers;
    if (selection.all) {
        for (std::int64_t layer = 0; layer < count; ++layer) {
            layers.push_back({layer, layer});
        }
    }
    for (const std::int64_t asked : selection.layers) {
        const std::int64_t layer = asked < 0 ? asked + count : asked;
        if (layer < 0 || layer >= count) {
            throw RequestError("there is no layer " + std::to_string(asked) +
                               ": this model has layers 0 to " + std::to_string(count - 1) +
                               meaning + ", or -1 to " + std::to_string(-count) + " from the end");
        }
        layers.push_back({asked, layer});
    }
    return layers;
}

}  // namespace

LoadOptions load_options(Context& context, const RequestFile& request) {
    const Options& options = context.options;
    LoadOptions load;
    load.device = options.device;
    load.dtype = choose_dtype(options, request);
    load.attention = options.attention;
    load.chunk_padding = options.chunk_padding;
    load.stop = context.stop;
    load.progress = context.progress.callback();
    return load;
}

std::filesystem::path snapshot_folder(const std::string& given) {
    const std::optional<std::filesystem::path> demo = demo_snapshot(given);
    if (demo && !std::filesystem::is_directory(*demo)) {
        throw SnapshotError("the built-in demonstration model '" + given + "' is not in " +
                            demo->string());
    }
    return demo.value_or(given);
}

ModelRun start_model_run(Context& context) {
    const Options& options = context.options;
    if (options.out) {
        check_writable(*options.out);
    }
    ModelRun run;
    run.request = read_request(options);
    run.session = load_model(snapshot_folder(options.snapshot), load_options(context, run.request));
    return run;
}

CallOptions call_options(Context& context) {
    CallOptions options;
    options.stop = context.stop;
    options.progress = context.progress.callback();
    return options;
}

GenerateOptions generate_options(Context& context, const RequestFile& request) {
    const Options& options = context.options;
    GenerateOptions generate;
    if (options.profile) {
        generate.profile = *options.profile;
    } else if (request.profile) {
        generate.profile = parse_profile(*request.profile);
    }
    generate.max_new_tokens =
        options.max_new_tokens ? options.max_new_tokens : request.max_new_tokens;
    generate.seed = options.seed.value_or(generate.seed);
    generate.stop = context.stop;
    generate.progress = context.progress.callback();
    return generate;
}

void check_instruments(Session& session, const Options& options) {
    check_edits(session.model(), options.edits);
    check_probes(session.model(), options.probes);
    for (const std::string& probe : options.probes) {
        if (parse_target(probe).scope.kind == Scope::Kind::Generated) {
            throw RequestError("probe '" + probe +
                               "': this command generates nothing; probe the prompt's positions");
        }
    }
}

std::string device_note(const Session& session) {
    return "device " + session.device_name() + ", " +
           std::string(dtype_text(session.options().dtype));
}

std::vector<AskedLayer> asked_layers(const LayerSelection& selection, const Model& model) {
    return numbered(
        selection, model.layer_count() + 1,
        " (0: decoder input, " + std::to_string(model.layer_count()) + ": after the final norm)");
}

std::vector<AskedLayer> asked_decoder_layers(const LayerSelection& selection, const Model& model) {
    return numbered(selection, model.layer_count(), " (decoder layers)");
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

std::vector<std::int64_t> asked_numbers(const std::vector<AskedLayer>& layers) {
    std::vector<std::int64_t> numbers;
    for (const AskedLayer& layer : layers) {
        numbers.push_back(layer.asked);
    }
    return numbers;
}

void tell_probe_sizes(Context& context, Session& session, const PreparedBatch& batch) {
    const auto sizes = probe_sizes(session.model(), context.options.probes, batch);
    if (sizes.empty()) {
        return;
    }
    std::int64_t bytes = 0;
    for (const ProbeSize& size : sizes) {
        bytes += size.bytes;
    }
    context.tell("probes keep " + byte_text(bytes) + " in " + std::to_string(sizes.size()) +
                 (sizes.size() == 1 ? " tensor" : " tensors"));
}

}  // namespace earscope::cli
