#include "core/models/moss_music.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

namespace earscope {
namespace {

constexpr std::int64_t kStemRows = 16;  // 128 mel bands after three strides

std::int64_t tokens_of(std::int64_t frames) {
    return (frames + kMossFramesPerToken - 1) / kMossFramesPerToken;
}

GatedMlp::Widths adapter_widths(const MossMusicConfig& config) {
    return {config.audio.output_size, config.adapter_size, config.text.hidden_size};
}

QwenVariant qwen3(const MossMusicConfig& config) {
    return {"Qwen3", /*qkv_bias=*/false, /*head_norms=*/true,
            static_cast<std::size_t>(config.injected_streams)};
}

}  // namespace

SinusoidPositions::SinusoidPositions(std::int64_t width) : Module("SinusoidsPositionEmbedding") {
    const std::int64_t half = width / 2;
    const double step = std::log(10'000.0) / static_cast<double>(half - 1);
    inverse_timescales_ = at::exp(at::arange(half, at::kFloat) * -step);
}

at::Tensor SinusoidPositions::forward(std::int64_t count, c10::Device device) {
    const at::Tensor positions = at::arange(count, at::TensorOptions(device).dtype(at::kFloat));
    return run(positions, [&](const at::Tensor& places) {
        const at::Tensor angles = places.unsqueeze(1) * inverse_timescales_.to(device).unsqueeze(0);
        return at::cat({angles.sin(), angles.cos()}, 1).unsqueeze(0);
    });
}

MossEncoder::MossEncoder(const MossEncoderConfig& config, Attention kind, ChunkPadding padding)
    : Module("MossMusicEncoder"),
      config_(config),
      padding_(padding),
      gelu_(Activation::Kind::Gelu, "GELU"),
      conv1_(1, config.stem_channels),
      conv2_(config.stem_channels, config.stem_channels),
      conv3_(config.stem_channels, config.stem_channels),
      stem_proj_(config.stem_channels * kStemRows, config.hidden_size, true),
      embed_positions_(config.hidden_size),
      layer_norm_(config.hidden_size, config.layer_norm_eps) {
    register_module("gelu", gelu_);
    register_module("conv1", conv1_);
    register_module("conv2", conv2_);
    register_module("conv3", conv3_);
    register_module("stem_proj", stem_proj_);
    register_module("embed_positions", embed_positions_);
    for (std::int64_t i = 0; i < config.layers; ++i) {
        layers_.append(std::make_unique<WhisperEncoderLayer>(
            "Whisper", config.hidden_size, config.heads, config.intermediate_size, kind));
    }
    register_module("layers", layers_);
    register_module("layer_norm", layer_norm_);
    if (config.output_size != config.hidden_size) {
        out_proj_ = std::make_unique<Linear>(config.hidden_size, config.output_size, false);
        register_module("out_proj", *out_proj_);
    } else {
        register_module("out_proj", no_projection_);
    }
}

std::vector<MossEncoder::Chunk> MossEncoder::cut(const std::vector<std::int64_t>& lengths) const {
    std::vector<Chunk> chunks;
    for (std::size_t a = 0; a < lengths.size(); ++a) {
        for (std::int64_t begin = 0; begin < lengths[a]; begin += config_.chunk_frames) {
            chunks.push_back({static_cast<std::int64_t>(a), begin,
                              std::min(config_.chunk_frames, lengths[a] - begin)});
        }
    }
    return chunks;
}

at::Tensor MossEncoder::stack(const at::Tensor& mel, const std::vector<Chunk>& chunks,
                              std::size_t begin, std::size_t end, std::int64_t frames) const {
    std::vector<at::Tensor> rows;
    for (std::size_t i = begin; i < end; ++i) {
        const at::Tensor row =
            mel.select(0, chunks[i].source).narrow(1, chunks[i].begin, chunks[i].frames);
        rows.push_back(at::constant_pad_nd(row, {0, frames - chunks[i].frames}));
    }
    return at::stack(rows);
}

at::Tensor MossEncoder::project(const at::Tensor& x) {
    return out_proj_ ? out_proj_->forward(x) : no_projection_.forward(x);
}

void MossEncoder::encode(const at::Tensor& chunks, const std::vector<std::int64_t>& tokens,
                         const std::stop_token& stop,
                         std::vector<std::vector<at::Tensor>>& streams) {
    at::Tensor x = gelu_.forward(conv1_.forward(chunks.unsqueeze(1)));  // [N,C,64,T/2]
    x = gelu_.forward(conv2_.forward(x));
    x = gelu_.forward(conv3_.forward(x));
    x = stem_proj_.forward(x.permute({0, 3, 1, 2}).flatten(2));  // [N,T/8,C]
    const std::int64_t longest = *std::max_element(tokens.begin(), tokens.end());
    x = x.narrow(1, 0, longest);
    x = x + embed_positions_.forward(longest, x.device()).to(x.scalar_type());
    at::Tensor allowed;
    if (*std::min_element(tokens.begin(), tokens.end()) < longest) {
        const at::Tensor lengths = at::tensor(tokens, at::kLong).to(x.device());
        allowed = (at::arange(longest, lengths.options()).unsqueeze(0) < lengths.unsqueeze(1))
                      .view({x.size(0), 1, 1, longest});
    }
    const auto keep = [&](std::size_t stream, const at::Tensor& states) {
        for (std::size_t n = 0; n < tokens.size(); ++n) {
            streams[stream].push_back(
                states.select(0, static_cast<std::int64_t>(n)).narrow(0, 0, tokens[n]));
        }
    };
    for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
        throw_if_stopped(stop);
        x = layers_[layer].forward(x, allowed);
        for (std::size_t k = 0; k < config_.deepstack_layers.size(); ++k) {
            if (config_.deepstack_layers[k] == static_cast<std::int64_t>(layer)) {
                keep(k + 1,
                     out_proj_ ? out_proj_->forward(x) : x);  // not normalised, as the reference
            }
        }
    }
    keep(0, project(layer_norm_.forward(x)));
}

void MossEncoder::encode_trimmed(const at::Tensor& mel, const std::vector<Chunk>& chunks,
                                 std::int64_t longest, const ForwardOptions& options,
                                 std::vector<std::vector<at::Tensor>>& streams) {
    const std::size_t at_once =
        mel.is_cuda() ? static_cast<std::size_t>(config_.chunks_at_once) : 8;
    const auto count = static_cast<std::int64_t>(chunks.size());
    for (std::size_t begin = 0; begin < chunks.size();) {
        throw_if_stopped(options.stop);
        report(options.progress, Stage::Encode, static_cast<std::int64_t>(begin), count);
        std::size_t end = begin + 1;
        while (end < chunks.size() && end - begin < at_once &&
               chunks[end].frames == chunks[begin].frames) {
            ++end;
        }
        // The stem reaches up to the next multiple of 8 frames; the reference's padding ends
        // earlier where the longest chunk of the call does.
        const std::int64_t tokens = tokens_of(chunks[begin].frames);
        std::int64_t frames = tokens * kMossFramesPerToken;
        if (padding_ == ChunkPadding::Reference) {
            frames = std::min(frames, longest);
        }
        encode(stack(mel, chunks, begin, end, frames),
               std::vector<std::int64_t>(end - begin, tokens), options.stop, streams);
        begin = end;
    }
    report(options.progress, Stage::Encode, count, count);
}

void MossEncoder::encode_padded(const at::Tensor& mel, const std::vector<Chunk>& chunks,
                                std::int64_t longest, const ForwardOptions& options,
                                std::vector<std::vector<at::Tensor>>& streams) {
    const auto at_once = static_cast<std::size_t>(config_.chunks_at_once);
    const std::int64_t frames =
        padding_ == ChunkPadding::Reference ? longest : tokens_of(longest) * kMossFramesPerToken;
    for (std::size_t begin = 0; begin < chunks.size(); begin += at_once) {
        throw_if_stopped(options.stop);
        const std::size_t end = std::min(chunks.size(), begin + at_once);
        std::vector<std::int64_t> tokens;
        for (std::size_t i = begin; i < end; ++i) {
            tokens.push_back(tokens_of(chunks[i].frames));
        }
        encode(stack(mel, chunks, begin, end, frames), tokens, options.stop, streams);
    }
}

MossStreams MossEncoder::forward(const at::Tensor& mel, const std::vector<std::int64_t>& lengths,
                                 const ForwardOptions& options) {
    MossStreams out;
    const at::Tensor flat = run(mel, [&](const at::Tensor& input) {
        const std::vector<Chunk> chunks = cut(lengths);
        std::int64_t longest = 0;
        for (const Chunk& chunk : chunks) {
            longest = std::max(longest, chunk.frames);
        }
        std::vector<std::vector<at::Tensor>> streams(config_.deepstack_layers.size() + 1);
        any_hook_below() ? encode_padded(input, chunks, longest, options, streams)
                         : encode_trimmed(input, chunks, longest, options, streams);
        for (std::size_t k = 1; k < streams.size(); ++k) {
            out.deepstack.push_back(at::cat(streams[k]));
        }
        return at::cat(streams[0]).unsqueeze(0);  // [1,U,C], the reference's shape
    });
    out.final_norm = flat.squeeze(0);
    return out;
}

MossMusicModel::MossMusicModel(const MossMusicConfig& config, Attention kind, ChunkPadding padding)
    : CausalModel("MossMusicModel", config.text),
      config_(config),
      audio_encoder_(config.audio, kind, padding),
      language_model_(config.text, qwen3(config), kind),
      audio_adapter_("GatedMLP", adapter_widths(config), "SiLU") {
    register_module("audio_encoder", audio_encoder_);
    register_module("language_model", language_model_);
    register_module("audio_adapter", audio_adapter_);
    for (std::int64_t k = 0; k < config.injected_streams; ++k) {
        deepstack_audio_merger_list_.append(
            std::make_unique<GatedMlp>("GatedMLP", adapter_widths(config), "SiLU"));
    }
    register_module("deepstack_audio_merger_list", deepstack_audio_merger_list_);
    register_module("lm_head", lm_head_);
}

AudioFeatures MossMusicModel::encode_audio(const ModelInputs& inputs,
                                           const ForwardOptions& options) {
    if (!inputs.mel.defined() || inputs.mel.size(0) == 0) {
        return {};
    }
    const at::Tensor counts = inputs.feature_lengths.cpu();
    const std::int64_t* first = counts.const_data_ptr<std::int64_t>();
    const at::ScalarType dtype = lm_head_.named_parameters().front().second.scalar_type();
    const MossStreams streams = audio_encoder_.forward(
        inputs.mel.to(dtype), std::vector<std::int64_t>(first, first + counts.numel()), options);
    AudioFeatures features;
    features.raw = streams.final_norm;
    features.projected = audio_adapter_.forward(streams.final_norm.unsqueeze(0)).squeeze(0);
    for (std::size_t k = 0; k < deepstack_audio_merger_list_.size(); ++k) {
        features.deepstack_raw.push_back(streams.deepstack[k]);
        features.deepstack_projected.push_back(
            deepstack_audio_merger_list_[k].forward(streams.deepstack[k].unsqueeze(0)).squeeze(0));
    }
    return features;
}

at::Tensor MossMusicModel::run_decoder(const ModelInputs& inputs, KvCache* cache,
                                       const ForwardOptions& options,
                                       std::vector<at::Tensor>& hidden) {
    at::Tensor embeddings = language_model_.embed(inputs.input_ids);  // [B,L,D]
    const AudioFeatures audio = encode_audio(inputs, options);
    Injection injection;
    if (audio.projected.defined()) {
        injection.places = audio_places(inputs, config_.audio_token_id);
        injection.rows = audio.deepstack_projected;
        TORCH_CHECK(injection.places.sum().item<std::int64_t>() == audio.projected.size(0),
                    "audio tokens and audio features differ in number");
        embeddings = embeddings.masked_scatter(injection.places.unsqueeze(-1),
                                               audio.projected.to(embeddings.scalar_type()));
    }
    return language_model_.forward(embeddings, inputs.attention_mask, cache,
                                   audio.projected.defined() ? &injection : nullptr, options,
                                   hidden);
}

bool MossMusicModel::decoder_hooked() const {
    return language_model_.any_hook_below();
}

}  // namespace earscope
