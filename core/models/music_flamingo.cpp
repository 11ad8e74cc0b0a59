#include "core/models/music_flamingo.h"

#include <ATen/ATen.h>

#include <numbers>

namespace earscope {
namespace {

const char* const kEncoderPrefix = "AudioFlamingo3";
constexpr double kTokenFrames = 4;  // mel frames per token: strided convolution, then pooling

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
    return a / b - (a % b != 0 && (a % b < 0) != (b < 0) ? 1 : 0);
}

/// Windows that are encoded together: on the CPU one fills the cores, a GPU wants several.
std::int64_t windows_at_once(const at::Tensor& mel) {
    return mel.is_cuda() ? 8 : 1;
}

/// Rotates adjacent pairs of the first columns in float64, as the reference does; the rest passes.
at::Tensor apply_rotary_time(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin) {
    const std::int64_t rotated = cos.size(-1);
    const at::Tensor wide = x.to(at::kDouble);
    const at::Tensor head = wide.narrow(-1, 0, rotated);
    const at::Tensor rest = wide.narrow(-1, rotated, x.size(-1) - rotated);
    std::vector<std::int64_t> paired = head.sizes().vec();
    paired.back() = rotated / 2;
    paired.push_back(2);
    const at::Tensor pairs = head.reshape(paired);
    const at::Tensor turned =
        at::stack({-pairs.select(-1, 1), pairs.select(-1, 0)}, -1).flatten(-2);
    const at::Tensor out = head * cos.to(at::kDouble) + turned * sin.to(at::kDouble);
    return at::cat({out, rest}, -1).to(x.scalar_type());
}

}  // namespace

std::int64_t conv_length(std::int64_t frames) {
    return floor_divide(frames - 1, 2) + 1;
}

std::int64_t window_token_count(std::int64_t frames) {
    return floor_divide(conv_length(frames) - 2, 2) + 1;
}

std::string music_flamingo_disk_name(const std::string& parameter) {
    const std::string model = "model.";
    const std::string language = "model.language_model.";
    if (parameter.starts_with(language)) {
        return "language_model.model." + parameter.substr(language.size());
    }
    if (parameter.starts_with(model)) {
        return parameter.substr(model.size());
    }
    return "language_model." + parameter;
}

MusicFlamingoEncoder::MusicFlamingoEncoder(const AudioEncoderConfig& config, Attention kind)
    : Module(std::string(kEncoderPrefix) + "Encoder"),
      conv1_(config.mel_bins, config.hidden_size, 1),
      conv2_(config.hidden_size, config.hidden_size, 2),
      embed_positions_(config.max_source_positions, config.hidden_size),
      layer_norm_(config.hidden_size) {
    register_module("conv1", conv1_);
    register_module("conv2", conv2_);
    register_module("embed_positions", embed_positions_);
    for (std::int64_t i = 0; i < config.layers; ++i) {
        layers_.append(std::make_unique<WhisperEncoderLayer>(
            kEncoderPrefix, config.hidden_size, config.heads, config.intermediate_size, kind));
    }
    register_module("layers", layers_);
    register_module("layer_norm", layer_norm_);
    register_module("avg_pooler", avg_pooler_);
}

at::Tensor MusicFlamingoEncoder::finish(at::Tensor x) {
    const at::Tensor pooled = avg_pooler_.forward(x.transpose(1, 2)).transpose(1, 2);
    return layer_norm_.forward(pooled);
}

at::Tensor MusicFlamingoEncoder::forward_valid(const at::Tensor& mel, std::int64_t frames,
                                               const std::stop_token& stop) {
    const std::int64_t positions = conv_length(frames);
    // conv1 sees one frame, conv2 two positions beyond the last that counts.
    const std::int64_t needed = std::min(kWindowFrames, 2 * positions + 1);
    at::Tensor x = at::gelu(conv1_.forward(mel.narrow(2, 0, needed)));
    x = at::gelu(conv2_.forward(x)).narrow(2, 0, positions);  // [N,C,T]
    x = x.transpose(1, 2) +
        embed_positions_.forward(at::arange(positions, mel.options().dtype(at::kLong)));  // [N,T,C]
    for (auto& layer : layers_) {
        throw_if_stopped(stop);
        x = layer->forward(x, {});
    }
    return finish(x);
}

at::Tensor MusicFlamingoEncoder::forward_padded(const at::Tensor& mel, const at::Tensor& frames,
                                                const std::stop_token& stop) {
    return run(mel, [&](const at::Tensor& input) {
        const at::Tensor lengths = at::floor_divide(frames - 1, 2) + 1;  // [W]
        at::Tensor x = at::gelu(conv1_.forward(input));
        x = at::gelu(conv2_.forward(x)).transpose(1, 2);
        x = x + embed_positions_.forward(at::arange(x.size(1), lengths.options()));  // [W,1500,C]
        const at::Tensor allowed =
            (at::arange(x.size(1), lengths.options()).unsqueeze(0) < lengths.unsqueeze(1))
                .view({x.size(0), 1, 1, x.size(1)});
        for (auto& layer : layers_) {
            throw_if_stopped(stop);
            x = layer->forward(x, allowed);
        }
        return finish(x);
    });
}

RotaryTimeEmbedding::RotaryTimeEmbedding(const MusicFlamingoConfig& config)
    : Module("MusicFlamingoRotaryEmbedding"),
      frame_step_(config.audio_frame_step * kTokenFrames),
      positions_(config.rote_theta) {
    const auto dim = static_cast<std::int64_t>(static_cast<double>(config.audio.hidden_size) *
                                               config.rote_partial_factor);
    const at::Tensor exponents = at::arange(0, dim, 2, at::kFloat) / static_cast<double>(dim);
    inverse_frequencies_ = 1.0 / at::pow(at::Scalar(config.rote_theta), exponents);
    const at::Tensor places = at::arange(static_cast<std::int64_t>(positions_), at::kFloat) /
                              positions_ * (2 * std::numbers::pi);
    position_angles_ = at::repeat_interleave(places.unsqueeze(-1) * inverse_frequencies_, 2, -1);
}

at::Tensor RotaryTimeEmbedding::timestamps(const at::Tensor& windows, std::int64_t rows) const {
    const at::Tensor offsets = at::arange(rows, windows.options().dtype(at::kFloat)) * frame_step_;
    return windows.to(at::kLong).unsqueeze(1) * kWindowTokens * frame_step_ + offsets;
}

std::pair<at::Tensor, at::Tensor> RotaryTimeEmbedding::forward(const at::Tensor& windows,
                                                               std::int64_t rows) {
    const at::Tensor inverse = inverse_frequencies_.to(windows.device());
    const at::Tensor times = timestamps(windows, rows);  // [N,rows]
    const double window_seconds = frame_step_ * static_cast<double>(kWindowTokens);
    const at::Tensor places = at::round(times.select(1, 0) / window_seconds) / positions_;
    const at::Tensor window_angles =
        at::repeat_interleave(places.unsqueeze(-1) * inverse, 2, -1).unsqueeze(1);  // [N,1,dim]
    const at::Tensor time_angles =
        position_angles_.to(windows.device()).narrow(0, 0, rows).unsqueeze(0);  // [1,rows,dim]
    const std::vector<std::int64_t> shape{times.size(0), rows, inverse.numel() * 2};
    at::Tensor angles = at::cat({window_angles.expand(shape), time_angles.expand(shape)}, -1);
    angles = angles * (-times * 2 * std::numbers::pi).unsqueeze(-1);
    const at::Tensor cos = run(times, [&](const at::Tensor&) { return angles.cos(); });
    return {cos, angles.sin()};
}

MusicFlamingoProjector::MusicFlamingoProjector(const MusicFlamingoConfig& config)
    : Module("MusicFlamingoMultiModalProjector"),
      linear_1_(config.audio.hidden_size, config.text.hidden_size, config.projector_bias),
      act_(Activation::Kind::Gelu),
      linear_2_(config.text.hidden_size, config.text.hidden_size, config.projector_bias) {
    register_module("linear_1", linear_1_);
    register_module("act", act_);
    register_module("linear_2", linear_2_);
}

at::Tensor MusicFlamingoProjector::forward(const at::Tensor& x) {
    return run(x, [this](const at::Tensor& input) {
        return linear_2_.forward(act_.forward(linear_1_.forward(input)));
    });
}

MusicFlamingoBody::MusicFlamingoBody(const MusicFlamingoConfig& config, Attention kind)
    : Module("MusicFlamingoModel"),
      audio_token_id_(config.audio_token_id),
      audio_tower_(config.audio, kind),
      language_model_(config.text, QwenVariant{}, kind),
      multi_modal_projector_(config),
      pos_emb_(config) {
    register_module("audio_tower", audio_tower_);
    register_module("language_model", language_model_);
    register_module("multi_modal_projector", multi_modal_projector_);
    register_module("pos_emb", pos_emb_);
}

AudioFeatures MusicFlamingoBody::encode_audio(const ModelInputs& inputs,
                                              const ForwardOptions& options) {
    if (!inputs.mel.defined() || inputs.mel.size(0) == 0) {
        return {};
    }
    const at::Tensor counts = inputs.feature_mask.sum(1).to(at::kLong).cpu();
    const std::int64_t* first = counts.const_data_ptr<std::int64_t>();
    const std::vector<std::int64_t> frames(first, first + counts.numel());
    // The index restarts in every source; a window without tokens counts as one of its own source.
    std::vector<float> indexes;
    for (const std::int64_t windows : inputs.windows_per_source) {
        for (std::int64_t w = 0; w < windows; ++w) {
            indexes.push_back(static_cast<float>(w));
        }
    }
    TORCH_CHECK(indexes.size() == frames.size(),
                "windows per source do not sum to the windows of mel");
    const at::Tensor windows = at::tensor(indexes, at::kFloat).to(inputs.mel.device());
    const bool hooked = audio_tower_.any_hook_below() || multi_modal_projector_.any_hook_below() ||
                        pos_emb_.any_hook_below();
    return hooked ? encode_padded(inputs, frames, windows, options)
                  : encode_valid(inputs, frames, windows, options);
}

AudioFeatures MusicFlamingoBody::encode_valid(const ModelInputs& inputs,
                                              const std::vector<std::int64_t>& frames,
                                              const at::Tensor& windows,
                                              const ForwardOptions& options) {
    const at::ScalarType dtype = audio_tower_.named_parameters().front().second.scalar_type();
    const auto count = static_cast<std::int64_t>(frames.size());
    const std::int64_t at_once = windows_at_once(inputs.mel);
    std::vector<at::Tensor> raw;
    std::vector<at::Tensor> projected;
    for (std::int64_t begin = 0; begin < count;) {
        throw_if_stopped(options.stop);
        report(options.progress, Stage::Encode, begin, count);
        const std::int64_t valid = frames[static_cast<std::size_t>(begin)];
        std::int64_t end = begin + 1;
        while (end < count && end - begin < at_once &&
               frames[static_cast<std::size_t>(end)] == valid) {
            ++end;
        }
        if (window_token_count(valid) > 0) {
            const at::Tensor mel = inputs.mel.narrow(0, begin, end - begin).to(dtype);
            const at::Tensor rows =
                audio_tower_.forward_valid(mel, valid, options.stop);  // [N,U,C]
            const auto [cos, sin] =
                pos_emb_.forward(windows.narrow(0, begin, end - begin), rows.size(1));
            raw.push_back(rows.flatten(0, 1));
            projected.push_back(
                multi_modal_projector_.forward(apply_rotary_time(rows, cos, sin)).flatten(0, 1));
        }
        begin = end;
    }
    report(options.progress, Stage::Encode, count, count);
    return {at::cat(raw), at::cat(projected), {}, {}};
}

AudioFeatures MusicFlamingoBody::encode_padded(const ModelInputs& inputs,
                                               const std::vector<std::int64_t>& frames,
                                               const at::Tensor& windows,
                                               const ForwardOptions& options) {
    const at::ScalarType dtype = audio_tower_.named_parameters().front().second.scalar_type();
    const at::Tensor counts = inputs.feature_mask.sum(1).to(at::kLong);
    const at::Tensor rows = audio_tower_.forward_padded(inputs.mel.to(dtype), counts, options.stop);
    const auto [cos, sin] = pos_emb_.forward(windows, rows.size(1));
    const at::Tensor embedded = multi_modal_projector_.forward(apply_rotary_time(rows, cos, sin));
    std::vector<at::Tensor> raw;
    std::vector<at::Tensor> projected;
    for (std::size_t w = 0; w < frames.size(); ++w) {
        const std::int64_t tokens = window_token_count(frames[w]);
        const auto window = static_cast<std::int64_t>(w);
        raw.push_back(rows.select(0, window).narrow(0, 0, tokens));
        projected.push_back(embedded.select(0, window).narrow(0, 0, tokens));
    }
    const auto count = static_cast<std::int64_t>(frames.size());
    report(options.progress, Stage::Encode, count, count);
    return {at::cat(raw), at::cat(projected), {}, {}};
}

at::Tensor MusicFlamingoBody::embed(const ModelInputs& inputs, const ForwardOptions& options) {
    at::Tensor embeddings = language_model_.embed(inputs.input_ids);  // [B,L,D]
    const AudioFeatures audio = encode_audio(inputs, options);
    if (audio.projected.defined()) {
        const at::Tensor places = audio_places(inputs, audio_token_id_);
        TORCH_CHECK(places.sum().item<std::int64_t>() == audio.projected.size(0),
                    "audio tokens and audio features differ in number");
        embeddings = embeddings.masked_scatter(places.unsqueeze(-1),
                                               audio.projected.to(embeddings.scalar_type()));
    }
    return embeddings;
}

at::Tensor MusicFlamingoBody::forward(const ModelInputs& inputs, KvCache* cache,
                                      const ForwardOptions& options,
                                      std::vector<at::Tensor>& hidden) {
    return run(inputs.input_ids, [&](const at::Tensor& ids) {
        ModelInputs seen = inputs;
        seen.input_ids = ids;
        return language_model_.forward(embed(seen, options), inputs.attention_mask, cache, nullptr,
                                       options, hidden);
    });
}

MusicFlamingoModel::MusicFlamingoModel(const MusicFlamingoConfig& config, Attention kind)
    : CausalModel("MusicFlamingoForConditionalGeneration", config.text),
      audio_width_(config.audio.hidden_size),
      model_(config, kind) {
    register_module("model", model_);
    register_module("lm_head", lm_head_);
}

AudioFeatures MusicFlamingoModel::encode_audio(const ModelInputs& inputs,
                                               const ForwardOptions& options) {
    return model_.encode_audio(inputs, options);
}

at::Tensor MusicFlamingoModel::run_decoder(const ModelInputs& inputs, KvCache* cache,
                                           const ForwardOptions& options,
                                           std::vector<at::Tensor>& hidden) {
    return model_.forward(inputs, cache, options, hidden);
}

bool MusicFlamingoModel::decoder_hooked() const {
    return model_.language_model().any_hook_below() || model_.hook_count() > 0;
}

}  // namespace earscope
