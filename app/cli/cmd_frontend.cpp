#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "audio/decode.h"
#include "audio/resample.h"
#include "core/base/utc_time.h"
#include "core/features/log_mel.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace earscope::cli {

namespace {

/// Music Flamingo hears the first 1,200 s of a source, counted after resampling (contract).
constexpr std::int64_t kMusicFlamingoSamples = 1'200 * kModelSampleRate;

at::Tensor tensor_of(const std::vector<float>& samples) {
    return at::tensor(at::ArrayRef<float>(samples), at::kFloat);
}

/// What one sound file becomes; its tensors carry `.a`.
struct Source {
    std::vector<NamedTensor> tensors;
    nlohmann::json description;
};

Source read_source(const std::filesystem::path& file, std::size_t index, Context& context) {
    const ProgressCallback progress = context.progress.callback();
    DecodedAudio audio = decode_file(file, context.stop, progress);
    const std::string name = file.filename().string();
    check_waveform(audio.waveform, name);
    std::vector<float> resampled = resample_poly(audio.waveform.samples, audio.waveform.sample_rate,
                                                 kModelSampleRate, context.stop, progress);
    const bool torch_path = context.options.feature_path == FeaturePath::Torch;
    if (torch_path && std::ssize(resampled) > kMusicFlamingoSamples) {
        resampled.resize(static_cast<std::size_t>(kMusicFlamingoSamples));
        audio.notices.emplace_back("only the first 1,200 s are used");
    }
    throw_if_stopped(context.stop);
    const at::Tensor mel = torch_path ? log_mel_windows(resampled) : log_mel_source(resampled);
    const double seconds =
        static_cast<double>(resampled.size()) / static_cast<double>(kModelSampleRate);

    const std::string suffix = "." + std::to_string(index);
    Source source;
    source.tensors = {{"mono" + suffix, tensor_of(audio.waveform.samples)},
                      {"resampled" + suffix, tensor_of(resampled)},
                      {"mel" + suffix, mel}};
    source.description = {{"name", name},
                          {"format", audio.format},
                          {"sample_rate", audio.waveform.sample_rate},
                          {"channels", audio.channels},
                          {"duration_s", seconds},
                          {"notices", audio.notices}};
    return source;
}

}  // namespace

CommandResult run_frontend(Context& context) {
    const Options& options = context.options;
    check_writable(*options.out);
    std::vector<NamedTensor> tensors;
    nlohmann::json sources = nlohmann::json::array();
    for (const std::filesystem::path& file : options.files) {
        Source source = read_source(file, sources.size(), context);
        append(tensors, std::move(source.tensors));
        sources.push_back(std::move(source.description));
    }
    const std::string path = options.feature_path == FeaturePath::Torch ? "torch" : "numpy";
    const nlohmann::json manifest{
        {"version", EARSCOPE_VERSION}, {"path", path}, {"sources", sources}, {"time", utc_time()}};
    export_tensors(*options.out, tensors, manifest, context.stop, context.progress.callback());

    nlohmann::ordered_json out{{"path", path}, {"sources", sources}};
    out.update(file_summary(*options.out, tensors));
    return {json_text(out), {}};
}

}  // namespace earscope::cli
