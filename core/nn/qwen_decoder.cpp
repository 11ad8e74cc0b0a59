#include "core/nn/qwen_decoder.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

namespace earscope {
namespace {

at::Tensor rotate_half(const at::Tensor& x) {
    const auto halves = x.chunk(2, -1);
    return at::cat({-halves[1], halves[0]}, -1);
}

/// x [B,H,L,Dh], tables [B or 1,L,Dh]
at::Tensor rotate(const at::Tensor& x, const RotaryTables& tables) {
    return x * tables.cos.unsqueeze(1) + rotate_half(x) * tables.sin.unsqueeze(1);
}

}  // namespace

KvCache::KvCache(std::int64_t layers, const at::Tensor& key_padding, std::int64_t expected_length)
    : layers_(static_cast<std::size_t>(layers)), expected_length_(expected_length) {
    const at::Tensor padded = (key_padding == 0).sum(1, /*keepdim=*/true);
    if (padded.sum().item<std::int64_t>() > 0) {
        padding_ = padded;
    }
}

at::Tensor KvCache::allowed_keys(std::int64_t keys) const {
    if (!padding_.defined()) {
        return {};
    }
    const at::Tensor positions = at::arange(keys, padding_.options()).unsqueeze(0);
    return (positions >= padding_).view({-1, 1, 1, keys});
}

std::pair<at::Tensor, at::Tensor> KvCache::update(std::size_t layer, const at::Tensor& keys,
                                                  const at::Tensor& values) {
    Layer& held = layers_[layer];
    const std::int64_t count = keys.size(2);
    const std::int64_t needed = length_ + count;
    if (!held.keys.defined() || held.keys.size(2) < needed) {
        const std::int64_t capacity = held.keys.defined() ? std::max(needed, 2 * held.keys.size(2))
                                                          : std::max(needed, expected_length_);
        const std::vector<std::int64_t> shape{keys.size(0), keys.size(1), capacity, keys.size(3)};
        at::Tensor larger_keys = at::empty(shape, keys.options());
        at::Tensor larger_values = at::empty(shape, values.options());
        if (length_ > 0) {
            larger_keys.narrow(2, 0, length_).copy_(held.keys.narrow(2, 0, length_));
            larger_values.narrow(2, 0, length_).copy_(held.values.narrow(2, 0, length_));
        }
        held = {larger_keys, larger_values};
    }
    held.keys.narrow(2, length_, count).copy_(keys);
    held.values.narrow(2, length_, count).copy_(values);
    return {held.keys.narrow(2, 0, needed), held.values.narrow(2, 0, needed)};
}

RotaryEmbedding::RotaryEmbedding(std::string class_name, std::int64_t head_dim, double theta)
    : Module(std::move(class_name)) {
    const at::Tensor exponents =
        at::arange(0, head_dim, 2, at::kFloat) / static_cast<double>(head_dim);
    inverse_frequencies_ = 1.0 / at::pow(at::Scalar(theta), exponents);
}

RotaryTables RotaryEmbedding::forward(const at::Tensor& like, const at::Tensor& positions) {
    const at::Tensor angles =
        positions.unsqueeze(-1).to(at::kFloat) * inverse_frequencies_.to(positions.device());
    const at::Tensor both = at::cat({angles, angles}, -1);
    const at::Tensor cos =
        run(positions, [&](const at::Tensor&) { return both.cos().to(like.scalar_type()); });
    return {cos, both.sin().to(like.scalar_type())};
}

QwenAttention::QwenAttention(const DecoderConfig& config, const QwenVariant& variant,
                             std::size_t layer, Attention kind)
    : Module(variant.prefix + "Attention"),
      layer_(layer),
      head_dim_(config.head_dim),
      kind_(kind),
      q_proj_(config.hidden_size, config.heads * config.head_dim, variant.qkv_bias),
      k_proj_(config.hidden_size, config.kv_heads * config.head_dim, variant.qkv_bias),
      v_proj_(config.hidden_size, config.kv_heads * config.head_dim, variant.qkv_bias),
      o_proj_(config.heads * config.head_dim, config.hidden_size, false) {
    register_module("q_proj", q_proj_);
    register_module("k_proj", k_proj_);
    register_module("v_proj", v_proj_);
    register_module("o_proj", o_proj_);
    if (variant.head_norms) {
        const std::string name = variant.prefix + "RMSNorm";
        q_norm_ = std::make_unique<RmsNorm>(name, config.head_dim, config.rms_norm_eps);
        k_norm_ = std::make_unique<RmsNorm>(name, config.head_dim, config.rms_norm_eps);
        register_module("q_norm", *q_norm_);
        register_module("k_norm", *k_norm_);
    }
}

at::Tensor QwenAttention::forward(const at::Tensor& x, const DecoderContext& context) {
    return run(x, [&](const at::Tensor& input) { return attend_to(input, context); });
}

at::Tensor QwenAttention::attend_to(const at::Tensor& x, const DecoderContext& context) {
    const auto split = [&](const at::Tensor& t, RmsNorm* norm) {
        const at::Tensor heads = t.view({x.size(0), x.size(1), -1, head_dim_});
        return (norm != nullptr ? norm->forward(heads) : heads).transpose(1, 2);  // [B,H,L,Dh]
    };
    at::Tensor query = split(q_proj_.forward(x), q_norm_.get());
    at::Tensor key = split(k_proj_.forward(x), k_norm_.get());
    at::Tensor value = split(v_proj_.forward(x), nullptr);
    query = rotate(query, context.rotary);
    key = rotate(key, context.rotary);
    if (context.cache != nullptr) {
        std::tie(key, value) = context.cache->update(layer_, key, value);
    }
    if (context.observer != nullptr) {
        (*context.observer)(static_cast<std::int64_t>(layer_), query, key);
    }
    const double scale = 1.0 / std::sqrt(static_cast<double>(head_dim_));
    return o_proj_.forward(attend(query, key, value, context.mask, scale, kind_));
}

QwenDecoderLayer::QwenDecoderLayer(const DecoderConfig& config, const QwenVariant& variant,
                                   std::size_t layer, Attention kind)
    : Module(variant.prefix + "DecoderLayer"),
      layer_(layer),
      self_attn_(config, variant, layer, kind),
      mlp_(variant.prefix + "MLP",
           {config.hidden_size, config.intermediate_size, config.hidden_size}, "SiLUActivation"),
      input_layernorm_(variant.prefix + "RMSNorm", config.hidden_size, config.rms_norm_eps),
      post_attention_layernorm_(variant.prefix + "RMSNorm", config.hidden_size,
                                config.rms_norm_eps) {
    register_module("self_attn", self_attn_);
    register_module("mlp", mlp_);
    register_module("input_layernorm", input_layernorm_);
    register_module("post_attention_layernorm", post_attention_layernorm_);
    if (layer < variant.injected_layers) {
        pre_injection_ = std::make_unique<Identity>();
    }
}

at::Tensor QwenDecoderLayer::forward(const at::Tensor& x, const DecoderContext& context) {
    return run(x, [&](const at::Tensor& input) {
        const at::Tensor attended =
            input + self_attn_.forward(input_layernorm_.forward(input), context);
        at::Tensor out = attended + mlp_.forward(post_attention_layernorm_.forward(attended));
        if (pre_injection_) {
            out = pre_injection_->forward(out);
        }
        if (context.injection != nullptr && layer_ < context.injection->rows.size()) {
            const at::Tensor rows = context.injection->rows[layer_].to(out.scalar_type());
            out = out +
                  at::zeros_like(out).masked_scatter(context.injection->places.unsqueeze(-1), rows);
        }
        return out;
    });
}

QwenModel::QwenModel(const DecoderConfig& config, const QwenVariant& variant, Attention kind)
    : Module(variant.prefix + "Model"),
      embed_tokens_(config.vocab_size, config.hidden_size),
      norm_(variant.prefix + "RMSNorm", config.hidden_size, config.rms_norm_eps),
      rotary_emb_(variant.prefix + "RotaryEmbedding", config.head_dim, config.rope_theta) {
    register_module("embed_tokens", embed_tokens_);
    for (std::size_t i = 0; i < static_cast<std::size_t>(config.layers); ++i) {
        layers_.append(std::make_unique<QwenDecoderLayer>(config, variant, i, kind));
    }
    register_module("layers", layers_);
    register_module("norm", norm_);
    register_module("rotary_emb", rotary_emb_);
}

DecoderContext QwenModel::context_for(const at::Tensor& embeddings,
                                      const at::Tensor& attention_mask, KvCache* cache) {
    const std::int64_t past = cache != nullptr ? cache->length() : 0;
    const std::int64_t count = embeddings.size(1);
    at::Tensor positions =
        at::arange(past, past + count, embeddings.options().dtype(at::kLong)).unsqueeze(0);
    DecoderContext context;
    context.cache = cache;
    if (past > 0) {
        context.mask.allowed = cache->allowed_keys(past + count);
    } else {
        const bool padded = (attention_mask == 0).any().item<bool>();
        if (!padded) {
            context.mask.causal = true;
        } else {
            // Padded queries see themselves, so that their meaningless rows stay finite.
            const at::Tensor causal =
                at::ones({count, count}, attention_mask.options().dtype(at::kBool)).tril();
            const at::Tensor self = at::eye(count, attention_mask.options().dtype(at::kBool));
            const at::Tensor real = attention_mask.to(at::kBool).view({-1, 1, 1, count});
            context.mask.allowed = causal.logical_and(real).logical_or(self);  // [B,1,L,L]
        }
    }
    if (cache != nullptr && cache->padding().defined()) {
        positions =
            (positions - cache->padding()).clamp_min(0);  // numbered from the first real token
    }
    context.rotary = rotary_emb_.forward(embeddings, positions);
    return context;
}

at::Tensor QwenModel::forward(const at::Tensor& embeddings, const at::Tensor& attention_mask,
                              KvCache* cache, const Injection* injection,
                              const ForwardOptions& options, std::vector<at::Tensor>& hidden) {
    return run(embeddings, [&](const at::Tensor& input) {
        DecoderContext context = context_for(input, attention_mask, cache);
        context.injection = injection;
        context.observer = options.on_attention ? &options.on_attention : nullptr;
        at::Tensor out = run_layers(input, context, options, hidden);
        if (cache != nullptr) {
            cache->advance(input.size(1));
        }
        return out;
    });
}

at::Tensor QwenModel::run_layers(at::Tensor x, const DecoderContext& context,
                                 const ForwardOptions& options, std::vector<at::Tensor>& hidden) {
    hidden.assign(options.hidden_layers.size(), {});
    std::int64_t last_needed = options.stop_after_hidden ? 0 : layer_count();
    const auto keep = [&](std::int64_t layer, const at::Tensor& state) {
        for (std::size_t i = 0; i < hidden.size(); ++i) {
            if (options.hidden_layers[i] == layer) {
                hidden[i] = options.keep ? options.keep(state) : state;
            }
        }
    };
    for (const std::int64_t layer : options.hidden_layers) {
        last_needed = std::max(last_needed, layer);
    }
    last_needed = options.run_layers.value_or(last_needed);
    keep(0, x);
    for (std::int64_t i = 0; i < layer_count(); ++i) {
        if (i >= last_needed) {
            return {};
        }
        throw_if_stopped(options.stop);
        x = layers_[static_cast<std::size_t>(i)].forward(x, context);
        if (i + 1 < layer_count()) {
            keep(i + 1, x);
        }
        report(options.progress, Stage::Prefill, i + 1, layer_count());
    }
    if (options.run_layers.value_or(layer_count() + 1) <= layer_count()) {
        return {};
    }
    x = norm_.forward(x);
    keep(layer_count(), x);
    return x;
}

}  // namespace earscope
