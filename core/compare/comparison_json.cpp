#include "core/compare/comparison.h"
#include "core/compare/token_diff.h"

#include <nlohmann/json.hpp>

namespace earscope {
namespace {

using Json = nlohmann::ordered_json;

Json sources_json(const RunRecord& run) {
    Json sources = Json::array();
    for (const RunSource& source : run.sources) {
        sources.push_back({{"name", source.name},
                           {"n_tokens", source.tokens},
                           {"duration_s", source.duration_seconds},
                           {"sha256", source.digest}});
    }
    return sources;
}

Json continued_json(const RunRecord& run) {
    if (!run.continued) {
        return nullptr;
    }
    return {{"token", run.continued->token},
            {"id", run.continued->put.id},
            {"piece", run.continued->put.piece}};
}

Json run_json(const RunRecord& run) {
    std::vector<std::int64_t> ids;
    std::vector<std::string> pieces;
    for (const RunToken& token : run.tokens) {
        ids.push_back(token.id);
        pieces.push_back(token.piece);
    }
    return {{"snapshot", run.snapshot},
            {"folder", run.folder},
            {"family", run.family},
            {"weights", run.weights_digest},
            {"device", run.device},
            {"dtype", run.dtype},
            {"attention", run.attention},
            {"chunk_padding", run.chunk_padding.empty() ? Json() : Json(run.chunk_padding)},
            {"edits", run.edits},
            {"continued", continued_json(run)},
            {"prompt", run.prompt},
            {"sources", sources_json(run)},
            {"input_ids", run.input_ids},
            {"profile", run.profile},
            {"sample", run.sample},
            {"temperature", run.temperature},
            {"top_p", run.top_p},
            {"top_k", run.top_k},
            {"seed", run.seed},
            {"max_new_tokens", run.max_new_tokens},
            {"batch_size", run.batch_size},
            {"batch_index", run.batch_index},
            {"prompt_tokens", run.input_ids.size()},
            {"prompt_width", run.prompt_width},
            {"budget", run.budget},
            {"text", run.text},
            {"generated_ids", ids},
            {"pieces", pieces},
            {"finish", run.finish},
            {"prefill_seconds", run.prefill_seconds},
            {"tokens_per_second", run.tokens_per_second},
            {"time", run.time_utc}};
}

Json token_json(const RunRecord& run, std::int64_t index) {
    if (index >= static_cast<std::int64_t>(run.tokens.size())) {
        return nullptr;  // this answer ended before
    }
    const RunToken& token = run.tokens[static_cast<std::size_t>(index)];
    return {{"id", token.id}, {"piece", token.piece}};
}

const char* operation(const DiffBlock& block) {
    if (block.equal) {
        return "equal";
    }
    if (block.a_begin == block.a_end) {
        return "only_b";
    }
    return block.b_begin == block.b_end ? "only_a" : "differ";
}

Json diff_json(const Comparison& comparison) {
    Json blocks = Json::array();
    for (const DiffBlock& block : diff_blocks(comparison.diff)) {
        blocks.push_back({{"kind", operation(block)},
                          {"a", {block.a_begin, block.a_end}},
                          {"b", {block.b_begin, block.b_end}}});
    }
    return blocks;
}

}  // namespace

std::string comparison_json(const RunRecord& a, const RunRecord& b, const Comparison& comparison) {
    Json parameters = Json::array();
    for (const ComparedParameter& line : comparison.parameters) {
        parameters.push_back(
            {{"name", line.name}, {"a", line.a}, {"b", line.b}, {"differs", line.differs}});
    }
    Json divergence;
    if (comparison.first_divergence) {
        const std::int64_t step = *comparison.first_divergence;
        divergence = {{"step", step}, {"a", token_json(a, step)}, {"b", token_json(b, step)}};
    }
    const Json weights =
        comparison.weights_compared ? Json(comparison.same_weights) : Json(nullptr);
    const Json result{{"preconditions",
                       {{"same_input_ids", comparison.same_input_ids},
                        {"same_audio", comparison.same_audio},
                        {"same_weights", weights},
                        {"same_edits", comparison.same_edits},
                        {"line", precondition_line(comparison)}}},
                      {"parameters", std::move(parameters)},
                      {"first_divergence", std::move(divergence)},
                      {"diff", diff_json(comparison)},
                      {"a", run_json(a)},
                      {"b", run_json(b)}};
    return result.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace earscope
