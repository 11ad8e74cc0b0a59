#pragma once
#include "core/models/model.h"
#include "core/nn/attention.h"
#include "core/nn/layers.h"
#include "core/snapshot/config.h"

#include <memory>
#include <optional>
#include <vector>

namespace earscope {

/// Keys and values of all decoder layers, preallocated and enlarged by doubling where a run gets
/// longer.
class KvCache {
public:
    /// @param key_padding  int64 attention mask [B,L] of the prompt; kept only where there is
    /// padding
    KvCache(std::int64_t layers, const at::Tensor& key_padding, std::int64_t expected_length);

    /// Appends [B,G,n,Dh] of one layer. @return all keys and values of the layer so far
    std::pair<at::Tensor, at::Tensor> update(std::size_t layer, const at::Tensor& keys,
                                             const at::Tensor& values);
    /// Positions held by every layer.
    std::int64_t length() const { return length_; }
    void advance(std::int64_t positions) { length_ += positions; }
    /// bool [B,1,1,keys], or undefined where no row is padded.
    at::Tensor allowed_keys(std::int64_t keys) const;
    /// Number of padded positions of each row, int64 [B,1]; undefined where none is.
    const at::Tensor& padding() const { return padding_; }

private:
    struct Layer {
        at::Tensor keys;
        at::Tensor values;
    };
    std::vector<Layer> layers_;
    at::Tensor padding_;
    std::int64_t expected_length_;
    std::int64_t length_ = 0;
};

/// cos and sin of the rotary position embedding, one row per position.
struct RotaryTables {
    at::Tensor cos;  ///< [B or 1,L,Dh]
    at::Tensor sin;
};

/// Rows added to the outputs of the first layers (DeepStack).
struct Injection {
    at::Tensor places;             ///< bool [B,L], the audio positions
    std::vector<at::Tensor> rows;  ///< one [U,D] per layer, in the order of the places
};

/// What all layers of one forward share.
struct DecoderContext {
    RotaryTables rotary;
    AttentionMask mask;
    KvCache* cache = nullptr;
    const Injection* injection = nullptr;
    const AttentionObserver* observer = nullptr;
};

class RotaryEmbedding : public Module {
public:
    RotaryEmbedding(std::string class_name, std::int64_t head_dim, double theta);
    /// @param like       its dtype and device are those of the result
    /// @param positions  int64 [B or 1,L]
    RotaryTables forward(const at::Tensor& like, const at::Tensor& positions);

private:
    at::Tensor inverse_frequencies_;  // float32 [Dh/2], on the CPU
};

/// What tells a Qwen2 decoder from a Qwen3 one.
struct QwenVariant {
    std::string prefix = "Qwen2";  ///< of the class names
    bool qkv_bias = true;
    bool head_norms = false;          ///< RMS norm of every query and key head
    std::size_t injected_layers = 0;  ///< first layers that get DeepStack rows
};

class QwenAttention : public Module {
public:
    QwenAttention(const DecoderConfig& config, const QwenVariant& variant, std::size_t layer,
                  Attention kind);
    at::Tensor forward(const at::Tensor& x, const DecoderContext& context);

private:
    at::Tensor attend_to(const at::Tensor& x, const DecoderContext& context);

    std::size_t layer_;
    std::int64_t head_dim_;
    Attention kind_;
    Linear q_proj_;
    Linear k_proj_;
    Linear v_proj_;
    Linear o_proj_;
    std::unique_ptr<RmsNorm> q_norm_;
    std::unique_ptr<RmsNorm> k_norm_;
};

/// Where DeepStack is added, ordinary hooks see the state after the addition; the state before it
/// has the observation point "NAME#pre".
class QwenDecoderLayer : public Module {
public:
    QwenDecoderLayer(const DecoderConfig& config, const QwenVariant& variant, std::size_t layer,
                     Attention kind);
    at::Tensor forward(const at::Tensor& x, const DecoderContext& context);
    Module* before_injection() const override { return pre_injection_.get(); }

private:
    std::size_t layer_;
    QwenAttention self_attn_;
    GatedMlp mlp_;
    RmsNorm input_layernorm_;
    RmsNorm post_attention_layernorm_;
    std::unique_ptr<Identity> pre_injection_;
};

/// Qwen2 or Qwen3 decoder without its output head.
class QwenModel : public Module {
public:
    QwenModel(const DecoderConfig& config, const QwenVariant& variant, Attention kind);

    at::Tensor embed(const at::Tensor& ids) { return embed_tokens_.forward(ids); }
    std::int64_t layer_count() const { return static_cast<std::int64_t>(layers_.size()); }
    /// The final norm without its hooks.
    at::Tensor normalised(const at::Tensor& states) const { return norm_.apply(states); }

    /// Runs the layers on [B,L,D].
    ///
    /// @param attention_mask  int64 [B,L]; looked at without a cache or when the cache is empty
    /// @param injection       may be null
    /// @param hidden          receives one entry per options.hidden_layers
    /// @return                [B,L,D] after the final norm; undefined when it stopped before
    at::Tensor forward(const at::Tensor& embeddings, const at::Tensor& attention_mask,
                       KvCache* cache, const Injection* injection, const ForwardOptions& options,
                       std::vector<at::Tensor>& hidden);

private:
    at::Tensor run_layers(at::Tensor x, const DecoderContext& context,
                          const ForwardOptions& options, std::vector<at::Tensor>& hidden);
    DecoderContext context_for(const at::Tensor& embeddings, const at::Tensor& attention_mask,
                               KvCache* cache);

    Embedding embed_tokens_;
    ModuleList<QwenDecoderLayer> layers_;
    RmsNorm norm_;
    RotaryEmbedding rotary_emb_;
};

}  // namespace earscope
