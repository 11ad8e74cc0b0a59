#include "core/selfcheck/selfcheck.h"

#include "core/base/errors.h"
#include "core/formats/json_file.h"
#include "core/formats/safetensors.h"
#include "core/instruments/saved_tensor.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace earscope {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

/// The request and the values of the reference.
struct Golden {
    std::filesystem::path file;
    std::map<std::string, at::Tensor> tensors;
    Request request;
    std::int64_t max_new_tokens = 0;

    const at::Tensor& at(const std::string& name) const {
        const auto found = tensors.find(name);
        if (found == tensors.end()) {
            throw SnapshotError(file.string() + ": the golden value '" + name + "' is missing");
        }
        return found->second;
    }
};

Golden read_golden(const std::filesystem::path& demo, const std::string& model) {
    Golden golden;
    golden.file = demo / model / "selfcheck.safetensors";
    const SafetensorsFile file = SafetensorsFile::open(golden.file);
    const auto text = file.metadata().find("selfcheck");
    if (text == file.metadata().end()) {
        throw SnapshotError(golden.file.string() + ": the metadata 'selfcheck' is missing");
    }
    try {
        const nlohmann::json facts = parse_json(text->second, golden.file.string());
        golden.request.prompt = facts.at("prompt").get<std::string>();
        golden.request.audios.emplace_back(demo / facts.at("audio").get<std::string>());
        golden.max_new_tokens = facts.at("max_new_tokens").get<std::int64_t>();
    } catch (const nlohmann::json::exception& error) {
        throw SnapshotError(golden.file.string() + ": metadata 'selfcheck': " + error.what());
    }
    for (const auto& [name, view] : file.tensors()) {
        golden.tensors[name] = load_saved_tensor(golden.file, name);
    }
    return golden;
}

enum class Part { Mel, Audio, Language };

/// Collects stages under the bounds of one dtype.
class Comparison {
public:
    Comparison(SelfCheckResult& result, at::ScalarType dtype) : result_(result), dtype_(dtype) {}

    void values(std::string name, Part part, const at::Tensor& got, const at::Tensor& want) {
        const bool whole = dtype_ == at::kFloat;
        SelfCheckStage stage{std::move(name), whole ? "largest" : "rms", kNever, bound(part)};
        const at::Tensor wanted = want.to(at::kDouble);
        if (leaves_range(part, wanted)) {
            stage.measure = "beyond float16";
            stage.bound = kNever;
        } else if (got.defined() && got.sizes() == want.sizes()) {
            const at::Tensor off = got.detach().cpu().to(at::kDouble) - wanted;
            const at::Tensor error =
                whole ? off.abs().max() / wanted.abs().max()
                      : off.square().mean().sqrt() / wanted.square().mean().sqrt();
            stage.error = finite(error.item<double>());
        }
        result_.stages.push_back(std::move(stage));
    }

    void ids(std::string name, const at::Tensor& got, const at::Tensor& want) {
        SelfCheckStage stage{std::move(name), "ids that differ", kNever, 0};
        if (got.sizes() == want.sizes()) {
            stage.error = static_cast<double>(got.ne(want).sum().item<std::int64_t>());
        }
        result_.stages.push_back(std::move(stage));
    }

private:
    bool leaves_range(Part part, const at::Tensor& wanted) {
        constexpr double kLargestHalf = 65504;
        const bool leaves = dtype_ == at::kHalf && wanted.abs().max().item<double>() > kLargestHalf;
        language_overflowed_ = language_overflowed_ || (leaves && part == Part::Language);
        return leaves || (language_overflowed_ && part == Part::Language);
    }

    static double finite(double error) { return std::isfinite(error) ? error : kNever; }

    double bound(Part part) const {
        switch (dtype_) {
            case at::kBFloat16:
                return part == Part::Language ? 7e-2 : 3e-2;
            case at::kHalf:
                return part == Part::Language ? 1e-2 : 5e-3;
            default:
                return part == Part::Mel ? 2e-4 : 1e-4;
        }
    }

    SelfCheckResult& result_;
    at::ScalarType dtype_;
    bool language_overflowed_ = false;  ///< all later stages of it are spoilt
};

/// The frames that the golden mel holds; Music Flamingo pads its window far beyond them.
at::Tensor first_frames(const at::Tensor& mel, const at::Tensor& like) {
    return mel.size(-1) > like.size(-1) ? mel.narrow(-1, 0, like.size(-1)) : mel;
}

void compare_audio(Session& session, const PreparedBatch& batch, const Golden& golden,
                   const CallOptions& call, Comparison& comparison) {
    const auto embeddings = session.extract_audio_embeddings(batch, call);
    const AudioEmbedding& source = embeddings.front();
    comparison.values("raw", Part::Audio, source.raw, golden.at("raw.0"));
    comparison.values("projected", Part::Audio, source.projected, golden.at("projected.0"));
    for (std::size_t k = 0; k < source.deepstack_projected.size(); ++k) {
        comparison.values("deepstack " + std::to_string(k), Part::Audio,
                          source.deepstack_projected[k],
                          golden.at("deepstack_projected." + std::to_string(k) + ".0"));
    }
}

void compare_language(Session& session, const PreparedBatch& batch, const Golden& golden,
                      const CallOptions& call, Comparison& comparison) {
    const ModelOutput output = session.forward(batch, true, call);
    for (std::size_t layer = 0; layer < output.hidden_states.size(); ++layer) {
        const std::string number = std::to_string(layer);
        comparison.values("hidden " + number, Part::Language, output.hidden_states[layer],
                          golden.at("hidden." + number));
    }
    comparison.values("logits", Part::Language, output.logits, golden.at("logits"));
}

void compare_answer(Session& session, const PreparedBatch& batch, const Golden& golden,
                    const CallOptions& call, Comparison& comparison) {
    GenerateOptions options;
    options.max_new_tokens = golden.max_new_tokens;
    options.stop = call.stop;
    options.progress = call.progress;
    const GenerateResult answer = session.generate(batch, options);
    comparison.ids("generated_ids", at::tensor(answer.ids.front(), at::kLong),
                   golden.at("generated_ids").reshape({-1}));
}

}  // namespace

bool SelfCheckResult::passed() const {
    return !stages.empty() &&
           std::all_of(stages.begin(), stages.end(),
                       [](const SelfCheckStage& stage) { return stage.passed(); });
}

SelfCheckResult self_check(const std::filesystem::path& demo, const std::string& model,
                           const LoadOptions& options) {
    const Golden golden = read_golden(demo, model);
    const auto session = load_model(demo / model, options);
    CallOptions call;
    call.stop = options.stop;
    call.progress = options.progress;

    SelfCheckResult result;
    result.model = model;
    result.family = std::string(family_name(session->family()));
    result.device = session->device_name();
    Comparison comparison(result, options.dtype);
    const PreparedBatch batch = session->prepare({golden.request}, call);
    comparison.ids("input_ids", batch.inputs.input_ids.cpu(), golden.at("input_ids"));
    const at::Tensor& mel = golden.at("mel");
    comparison.values("mel", Part::Mel, first_frames(batch.inputs.mel, mel), mel);
    compare_audio(*session, batch, golden, call, comparison);
    compare_language(*session, batch, golden, call, comparison);
    if (options.dtype == at::kFloat) {
        compare_answer(*session, batch, golden, call, comparison);
    }
    return result;
}

}  // namespace earscope
