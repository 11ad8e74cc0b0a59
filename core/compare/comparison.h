#pragma once
#include "core/compare/run_record.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace earscope {

/// One line of the table of two runs. Numbers as text in the C locale.
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
    std::vector<ComparedParameter> parameters;
    std::vector<DiffStep> diff;  ///< by token ids, in order
    /// First generated token (index) at which the runs part; none when the ids are equal.
    std::optional<std::int64_t> first_divergence;
};

Comparison compare_runs(const RunRecord& a, const RunRecord& b);

/// "same input ids · same audio · other weights": the line above two columns.
std::string precondition_line(const Comparison& comparison);

/// The whole comparison with both runs, as JSON text or as a Markdown document.
std::string comparison_json(const RunRecord& a, const RunRecord& b, const Comparison& comparison);
std::string comparison_markdown(const RunRecord& a, const RunRecord& b,
                                const Comparison& comparison);

}  // namespace earscope
