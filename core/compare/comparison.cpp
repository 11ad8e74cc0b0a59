#include "core/compare/comparison.h"

#include "core/base/text.h"
#include "core/compare/run_text.h"
#include "core/compare/token_diff.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace earscope {
namespace {

constexpr std::string_view kNotUsed = "not used";

enum class Sameness { Same, Other, Unknown };

/// The parts of a weights digest, see weights_digest.h.
struct WeightsParts {
    std::string_view layout;
    std::string_view files;
    std::string_view contents;
};

WeightsParts split_digest(std::string_view digest) {
    WeightsParts parts;
    for (std::string_view* part : {&parts.layout, &parts.files, &parts.contents}) {
        const std::size_t end = std::min(digest.find('/'), digest.size());
        *part = digest.substr(0, end);
        digest.remove_prefix(std::min(end + 1, digest.size()));
    }
    return parts;
}

Sameness compare_weights(const std::string& a, const std::string& b) {
    if (a.empty() || b.empty()) {
        return Sameness::Unknown;
    }
    const WeightsParts one = split_digest(a);
    const WeightsParts other = split_digest(b);
    if (one.layout != other.layout) {
        return Sameness::Other;
    }
    if (one.files == other.files) {
        return Sameness::Same;
    }
    // "all-HASH" or "5-HASH": of all tensors or of the first five in the order of their names.
    const auto depth = [](std::string_view contents) {
        return contents.substr(0, contents.find('-'));
    };
    if (one.contents.empty() || depth(one.contents) != depth(other.contents)) {
        return Sameness::Unknown;
    }
    if (one.contents != other.contents) {
        return Sameness::Other;
    }
    return depth(one.contents) == "all" ? Sameness::Same : Sameness::Unknown;
}

bool same_token(const RunToken& a, const RunToken& b) {
    return a.id == b.id && a.piece == b.piece;
}

bool same_samples(const std::vector<RunSource>& a, const std::vector<RunSource>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const RunSource& x, const RunSource& y) { return x.digest == y.digest; });
}

std::string joined(const std::vector<std::string>& texts) {
    std::string line;
    for (const std::string& text : texts) {
        line += (line.empty() ? "" : ", ") + text;
    }
    return line;
}

std::string continued_text(const RunContinuation& continued) {
    return "token " + std::to_string(continued.token) + ": \"" + continued.put.piece + "\" (id " +
           std::to_string(continued.put.id) + ")";
}

/// The lines of the table, for one run; the same names in the same order for every run.
std::vector<std::pair<std::string, std::string>> lines_of(const RunRecord& run,
                                                          std::size_t sources) {
    const auto sampled = [&run](std::string value) {
        return run.sample ? std::move(value) : std::string(kNotUsed);
    };
    std::vector<std::pair<std::string, std::string>> lines{
        {"snapshot", run.snapshot},
        {"folder", run.folder},
        {"family", run.family},
        {"device", run.device},
        {"dtype", run.dtype},
        {"attention", run.attention},
        {"chunk_padding", run.chunk_padding},
        {"edits", joined(run.edits)},
        {"continued", run.continued ? continued_text(*run.continued) : ""},
        {"prompt", run.prompt},
        {"profile", run.profile},
        {"sample", run.sample ? "true" : "false"},
        {"temperature", sampled(number_text(run.temperature))},
        {"top_p", sampled(number_text(run.top_p))},
        {"top_k", sampled(std::to_string(run.top_k))},
        {"seed", sampled(std::to_string(run.seed))},
        {"max_new_tokens", std::to_string(run.max_new_tokens)},
        {"batch_size", std::to_string(run.batch_size)},
        {"prompt_tokens", std::to_string(run.input_ids.size())},
        {"prompt_width", std::to_string(run.prompt_width)},
        {"budget", std::to_string(run.budget)},
    };
    for (std::size_t i = 0; i < sources; ++i) {
        const bool there = i < run.sources.size();
        const RunSource source = there ? run.sources[i] : RunSource{};
        const std::string end = "." + std::to_string(i);
        lines.emplace_back("audio" + end, source.name);
        lines.emplace_back("audio_tokens" + end, there ? std::to_string(source.tokens) : "");
        lines.emplace_back("duration_s" + end, there ? number_text(source.duration_seconds) : "");
    }
    lines.emplace_back("generated_tokens", std::to_string(run.tokens.size()));
    lines.emplace_back("finish", run.finish);
    lines.emplace_back("prefill_seconds", measured_text(run.prefill_seconds));
    lines.emplace_back("tokens_per_second", measured_text(run.tokens_per_second));
    lines.emplace_back("time", run.time_utc);
    return lines;
}

std::vector<ComparedParameter> compare_parameters(const RunRecord& a, const RunRecord& b) {
    const std::size_t sources = std::max(a.sources.size(), b.sources.size());
    auto lines_a = lines_of(a, sources);
    auto lines_b = lines_of(b, sources);
    std::vector<ComparedParameter> parameters;
    for (std::size_t i = 0; i < lines_a.size(); ++i) {
        const bool differs = lines_a[i].second != lines_b[i].second;
        parameters.push_back({std::move(lines_a[i].first), std::move(lines_a[i].second),
                              std::move(lines_b[i].second), differs});
    }
    return parameters;
}

}  // namespace

std::string measured_text(double value) {
    std::array<char, 32> text{};
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value,
                                       std::chars_format::general, 4)
                             .ptr};
}

Comparison compare_runs(const RunRecord& a, const RunRecord& b) {
    Comparison comparison;
    comparison.same_input_ids = a.input_ids == b.input_ids;
    comparison.same_audio = same_samples(a.sources, b.sources);
    const Sameness weights = compare_weights(a.weights_digest, b.weights_digest);
    comparison.same_weights = weights == Sameness::Same;
    comparison.weights_compared = weights != Sameness::Unknown;
    comparison.edited = !a.edits.empty() || !b.edits.empty();
    comparison.same_edits = a.edits == b.edits;
    comparison.parameters = compare_parameters(a, b);
    comparison.diff = token_diff(a.tokens, b.tokens);
    const auto [end_a, end_b] = std::mismatch(a.tokens.begin(), a.tokens.end(), b.tokens.begin(),
                                              b.tokens.end(), same_token);
    if (end_a != a.tokens.end() || end_b != b.tokens.end()) {
        comparison.first_divergence = end_a - a.tokens.begin();
    }
    return comparison;
}

std::string precondition_line(const Comparison& comparison) {
    const auto is_audio = [](const ComparedParameter& line) {
        return line.name.starts_with("audio.");
    };
    const bool audio =
        std::any_of(comparison.parameters.begin(), comparison.parameters.end(), is_audio);
    std::string line = comparison.same_input_ids ? "same input ids" : "other input ids";
    line += audio ? comparison.same_audio ? " · same audio" : " · other audio" : " · no audio";
    if (comparison.weights_compared) {
        line += comparison.same_weights ? " · same weights" : " · other weights";
    } else {
        line += " · weights not compared (other files of the same layout)";
    }
    if (comparison.edited) {
        line += comparison.same_edits ? " · same edits" : " · other edits";
    }
    return line;
}

}  // namespace earscope
