#include "core/instruments/result_tensors.h"

#include "core/instruments/answer.h"

#include <ATen/ATen.h>

namespace earscope {

namespace {

nlohmann::ordered_json token_json(const Processor& processor, const TokenAlternatives& token) {
    nlohmann::ordered_json top = nlohmann::ordered_json::array();
    for (const TokenChoice& choice : token.top) {
        top.push_back({{"id", choice.id},
                       {"text", token_text(processor, choice.id)},
                       {"logprob", choice.logprob}});
    }
    return {{"id", token.id},
            {"text", token_text(processor, token.id)},
            {"logprob", token.logprob},
            {"entropy", token.entropy},
            {"top", std::move(top)}};
}

}  // namespace

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

std::vector<NamedTensor> probe_tensors(const std::vector<Capture>& captures) {
    std::vector<NamedTensor> tensors;
    for (const Capture& capture : captures) {
        if (capture.values.defined()) {
            tensors.push_back({"probe." + capture.name, capture.values});
        }
    }
    return tensors;
}

std::vector<NamedTensor> lens_tensors(const LensResult& result,
                                      const std::vector<std::int64_t>& layers) {
    std::vector<NamedTensor> tensors{{"lens_positions", result.positions}};
    for (std::size_t i = 0; i < layers.size(); ++i) {
        const std::string layer = std::to_string(layers[i]);
        tensors.push_back({"lens_ids." + layer, result.choices[i].ids});
        tensors.push_back({"lens_logprobs." + layer, result.choices[i].logprobs});
    }
    return tensors;
}

std::vector<NamedTensor> attention_tensors(const AttentionResult& result,
                                           const std::vector<AudioSlot>& slots,
                                           const std::vector<std::int64_t>& layers) {
    std::vector<NamedTensor> tensors;
    if (result.generated_ids.defined()) {
        tensors.push_back({"generated_ids", result.generated_ids});
    }
    for (std::size_t i = 0; i < layers.size(); ++i) {
        const std::string layer = std::to_string(layers[i]);
        if (!result.weights.empty()) {
            tensors.push_back({"attention." + layer, result.weights[i]});
            for (std::size_t a = 0; a < slots.size(); ++a) {
                tensors.push_back({"attention_audio." + layer + "." + std::to_string(a),
                                   attention_to_source(result.weights[i], slots[a])});
            }
        }
        if (!result.row_weights.empty()) {
            tensors.push_back({"attention_rows." + layer, result.row_weights[i]});
        }
    }
    return tensors;
}

std::vector<NamedTensor> layer_tensors(const LayerViews& views,
                                       const std::vector<std::int64_t>& layers) {
    std::vector<NamedTensor> tensors{{"hidden_norm", views.norm},
                                     {"hidden_cosine_to_before", views.cosine_to_before}};
    for (std::size_t i = 0; i < layers.size(); ++i) {
        tensors.push_back({"hidden." + std::to_string(layers[i]), views.states[i]});
    }
    return tensors;
}

std::vector<std::string> finish_names(const GenerateResult& result) {
    std::vector<std::string> names;
    for (const Finish finish : result.finish) {
        names.emplace_back(finish_name(finish));
    }
    return names;
}

nlohmann::ordered_json alternatives_json(const Processor& processor, Profile profile,
                                         const AlternativesResult& result) {
    nlohmann::ordered_json tokens = nlohmann::ordered_json::array();
    for (const auto& row : result.tokens) {
        nlohmann::ordered_json list = nlohmann::ordered_json::array();
        for (const TokenAlternatives& token : row) {
            list.push_back(token_json(processor, token));
        }
        tokens.push_back(std::move(list));
    }
    return {{"profile", profile_name(profile)},
            {"tokens", std::move(tokens)},
            {"texts", result.answer.texts},
            {"finish", finish_names(result.answer)}};
}

}  // namespace earscope
