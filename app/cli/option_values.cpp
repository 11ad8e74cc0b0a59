#include "app/cli/option_values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>

namespace earscope::cli {

namespace {

constexpr std::array<std::pair<std::string_view, at::ScalarType>, 3> kModelDtypes{
    {{"float32", at::kFloat}, {"bfloat16", at::kBFloat16}, {"float16", at::kHalf}}};

std::vector<std::string> split_commas(const std::string& text) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, ',');) {
        parts.push_back(part);
    }
    if (text.empty() || text.back() == ',') {
        parts.emplace_back();
    }
    return parts;
}

/// By hand, because CLI11 takes -1 as a very large number.
template <typename Number>
Number parse_whole(const std::string& option, const std::string& text,
                   const std::string& expected) {
    Number number{};
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, number);
    if (error != std::errc() || end != last) {
        throw UsageError(option + " " + text + ": expected " + expected);
    }
    return number;
}

}  // namespace

std::filesystem::path parse_out(const std::string& text) {
    std::filesystem::path file = text;
    if (file.extension() != ".safetensors" && file.extension() != ".npz") {
        throw UsageError("--out " + text + ": the ending must be .safetensors or .npz");
    }
    return file;
}

std::filesystem::path parse_comparison_out(const std::string& text) {
    std::filesystem::path file = text;
    const auto ending = file.extension();
    if (ending != ".json" && ending != ".md" && ending != ".safetensors" && ending != ".npz") {
        throw UsageError("--out " + text + ": the ending must be .json, .md, .safetensors or .npz");
    }
    return file;
}

std::uint64_t parse_seed(const std::string& text, const std::string& option) {
    return parse_whole<std::uint64_t>(option, text, "a whole number from 0 to 2^64 - 1");
}

std::vector<std::int64_t> parse_heads(const std::string& text) {
    std::vector<std::int64_t> heads;
    for (const std::string& part : split_commas(text)) {
        heads.push_back(
            parse_whole<std::int64_t>("--heads", part, "whole numbers with commas, such as 0,3"));
    }
    return heads;
}

TokenReplacement parse_continuation(const std::string& text) {
    const std::string expected = "G:ID, a token's index in the answer and the id to put there";
    const auto colon = text.find(':');
    if (colon == std::string::npos) {
        throw UsageError("--continue-with " + text + ": expected " + expected);
    }
    return {parse_whole<std::int64_t>("--continue-with", text.substr(0, colon), expected),
            parse_whole<std::int64_t>("--continue-with", text.substr(colon + 1), expected)};
}

std::int64_t parse_number(const std::string& option, const std::string& text) {
    return parse_whole<std::int64_t>(option, text, "a whole number");
}

GradientSelection parse_gradients(const std::string& loss, const std::string& names) {
    GradientSelection selection;
    selection.loss = loss == "audio" ? GradientLoss::Audio : GradientLoss::Contextual;
    selection.names = split_commas(names);
    for (const std::string& name : selection.names) {
        if (name.empty()) {
            throw UsageError("--wrt " + names + ": a name is empty");
        }
    }
    return selection;
}

std::optional<at::ScalarType> parse_dtype(std::string_view text) {
    for (const auto& [name, dtype] : kModelDtypes) {
        if (name == text) {
            return dtype;
        }
    }
    return std::nullopt;
}

LayerSelection parse_layers(const std::string& text) {
    LayerSelection selection;
    if (text == "all") {
        selection.all = true;
        return selection;
    }
    for (const std::string& part : split_commas(text)) {
        std::int64_t layer = 0;
        const char* const last = part.data() + part.size();
        const auto [end, error] = std::from_chars(part.data(), last, layer);
        if (error != std::errc() || end != last) {
            throw UsageError("--layers " + text + ": expected whole numbers with commas, or all");
        }
        const auto& known = selection.layers;
        if (std::find(known.begin(), known.end(), layer) == known.end()) {
            selection.layers.push_back(layer);
        }
    }
    return selection;
}

}  // namespace earscope::cli
