#pragma once
#include "core/compare/run_record.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace earscope {

/// One line of the table of two runs. Numbers as text in the C locale. Names are those of the JSON
/// members and options ("max_new_tokens"); those of a source end in its number ("audio_tokens.0").
struct ComparedParameter {
    std::string name;
    std::string a;
    std::string b;
    bool differs = false;
};

enum class DiffKind { Equal, OnlyA, OnlyB };

/// One step of the token difference. `a` and `b` are indexes into the runs' tokens, -1 where the
/// token stands in the other run alone.
struct DiffStep {
    DiffKind kind = DiffKind::Equal;
    std::int64_t a = -1;
    std::int64_t b = -1;
};

/// Two runs side by side.
struct Comparison {
    bool same_input_ids = false;
    bool same_audio = false;  ///< the same samples in the same order
    bool same_weights = false;
    /// False: the files are not the same ones, their headers are, and nobody has compared what they
    /// hold; `same_weights` is false then and means nothing.
    bool weights_compared = true;
    bool edited = false;     ///< one of them or both ran under edits
    bool same_edits = true;  ///< the same ones in the same order
    std::vector<ComparedParameter> parameters;
    std::vector<DiffStep> diff;  ///< by token ids, in order
    /// First generated token (index) at which the runs part; none when the ids are equal. Where one
    /// answer is the beginning of the other, its length. Tokens of two vocabularies are equal when
    /// id and piece are.
    std::optional<std::int64_t> first_divergence;
};

/// Any two runs; takes up to 0.25 s for two answers of 16,384 tokens.
Comparison compare_runs(const RunRecord& a, const RunRecord& b);

/// "same input ids · same audio · other weights": the line above two columns. Also "no audio" and
/// "weights not compared (other files of the same layout)"; where there are edits, whether they are
/// the same.
std::string precondition_line(const Comparison& comparison);

/// The whole comparison with both runs, as JSON text or as a Markdown document (CommonMark with
/// tables). Members of the JSON: `preconditions`, `parameters`, `first_divergence` (null or step
/// and both tokens), `diff` (blocks of half-open ranges of token indexes), `a` and `b`. In the
/// Markdown, nothing that the model or the user wrote acts as markup.
std::string comparison_json(const RunRecord& a, const RunRecord& b, const Comparison& comparison);
std::string comparison_markdown(const RunRecord& a, const RunRecord& b,
                                const Comparison& comparison);

}  // namespace earscope
