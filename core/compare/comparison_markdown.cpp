#include "core/compare/comparison.h"
#include "core/compare/markdown_text.h"
#include "core/compare/run_text.h"
#include "core/compare/token_diff.h"

#include <algorithm>

namespace earscope {
namespace {

/// Equal stretches longer than twice this are shown by their ends, and the rest is counted.
constexpr std::int64_t kShownEqualTokens = 12;

std::string pieces(const RunRecord& run, std::int64_t begin, std::int64_t end) {
    std::string text;
    for (std::int64_t i = begin; i < end; ++i) {
        text += run.tokens[static_cast<std::size_t>(i)].piece;
    }
    return text;
}

std::string count_text(std::int64_t count) {
    return std::to_string(count) + (count == 1 ? " token" : " tokens");
}

/// "tokens 5 to 7", counted from 0 as everywhere.
std::string range_text(std::int64_t begin, std::int64_t end) {
    if (begin == end) {
        return "–";
    }
    return end - begin == 1 ? std::to_string(begin)
                            : std::to_string(begin) + "–" + std::to_string(end - 1);
}

std::string token_text(const RunRecord& run, std::int64_t index) {
    if (index >= static_cast<std::int64_t>(run.tokens.size())) {
        return "nothing, it ended before";
    }
    const RunToken& token = run.tokens[static_cast<std::size_t>(index)];
    return "“" + markdown_line(token.piece) + "” (id " + std::to_string(token.id) + ")";
}

std::string divergence_text(const RunRecord& a, const RunRecord& b, const Comparison& comparison) {
    if (!comparison.first_divergence) {
        return "Both answers have the same " +
               count_text(static_cast<std::int64_t>(a.tokens.size())) + ".\n";
    }
    const std::int64_t step = *comparison.first_divergence;
    return "First divergence at token " + std::to_string(step) + " (counted from 0): A has " +
           token_text(a, step) + ", B has " + token_text(b, step) + ".\n";
}

std::string parameter_table(const Comparison& comparison) {
    std::string table = "| | A | B | |\n| --- | --- | --- | --- |\n";
    for (const ComparedParameter& line : comparison.parameters) {
        if (line.a.empty() && line.b.empty()) {
            continue;
        }
        const std::string mark = line.differs ? "**" : "";
        table += "| " + mark + markdown_line(line.name) + mark + " | " + markdown_line(line.a) +
                 " | " + markdown_line(line.b) + " | " + (line.differs ? "≠" : "") + " |\n";
    }
    return table;
}

std::string answer(const char* column, const RunRecord& run) {
    const std::string marks = std::string(run.edits.empty() ? "" : ", edited") +
                              (run.continued ? ", continued from another choice" : "");
    return std::string("## Answer ") + column + marks + "\n\n" + markdown_quote(run.text) + "\n" +
           count_text(static_cast<std::int64_t>(run.tokens.size())) + ", ended by " +
           (run.finish == "eos" ? "a stop token" : "the budget") + ", " +
           measured_text(run.tokens_per_second) + " tokens/s.\n\n";
}

/// An equal stretch: all of it, or its ends and how much is left out.
std::string equal_text(const RunRecord& run, const DiffBlock& block) {
    const std::int64_t count = block.a_end - block.a_begin;
    if (count <= 2 * kShownEqualTokens) {
        return markdown_line(pieces(run, block.a_begin, block.a_end));
    }
    return markdown_line(pieces(run, block.a_begin, block.a_begin + kShownEqualTokens)) + " *(" +
           count_text(count - 2 * kShownEqualTokens) + " more)* " +
           markdown_line(pieces(run, block.a_end - kShownEqualTokens, block.a_end));
}

std::string diff_table(const RunRecord& a, const RunRecord& b, const Comparison& comparison) {
    std::string table =
        "| | tokens of A | tokens of B | A | B |\n| --- | --- | --- | --- | --- |\n";
    for (const DiffBlock& block : diff_blocks(comparison.diff)) {
        table += std::string("| ") + (block.equal ? "=" : "≠") + " | " +
                 range_text(block.a_begin, block.a_end) + " | " +
                 range_text(block.b_begin, block.b_end) + " | ";
        if (block.equal) {
            table += equal_text(a, block) + " | 〃 |\n";
        } else {
            table += markdown_line(pieces(a, block.a_begin, block.a_end)) + " | " +
                     markdown_line(pieces(b, block.b_begin, block.b_end)) + " |\n";
        }
    }
    return table;
}

}  // namespace

std::string comparison_markdown(const RunRecord& a, const RunRecord& b,
                                const Comparison& comparison) {
    std::string text = "# Two runs side by side\n\n**" + precondition_line(comparison) + "**\n\n";
    text += divergence_text(a, b, comparison) + "\n";
    text += parameter_table(comparison) + "\n";
    text += answer("A", a) + answer("B", b);
    text += "## Token difference\n\n" + diff_table(a, b, comparison);
    return text;
}

}  // namespace earscope
