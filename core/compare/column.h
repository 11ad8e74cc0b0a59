#pragma once
#include "core/compare/record_run.h"
#include "core/compare/run_record.h"
#include "core/instruments/edits.h"
#include "core/session.h"

#include <cstdint>
#include <vector>

namespace earscope {

/// Embeddings and hidden states of the prompts of a batch, all on the CPU.
struct ColumnStates {
    PreparedBatch batch;                      ///< what they belong to, without mel and samples
    std::vector<AudioEmbedding> embeddings;   ///< A
    std::vector<std::int64_t> layers;         ///< as asked
    std::vector<ContextualEmbedding> hidden;  ///< A, by layer as asked
};

/// One column of a comparison.
struct ColumnOptions {
    GenerateOptions generate;
    RunNotes notes;
    EditSet* edits = nullptr;          ///< in force, if any; their noise begins anew for the states
    bool states = false;               ///< also what follows
    std::vector<std::int64_t> layers;  ///< of the hidden states; the model must have them
};

struct Column {
    std::vector<RunRecord> runs;  ///< B
    ColumnStates states;          ///< empty when not asked for
};

/// Answers a batch as `Session::generate` does and keeps what a comparison shows of it. Nothing in
/// the result refers to the session, its weights or its device, so that the session can be let go
/// before the next column's is loaded.
Column run_column(Session& session, const PreparedBatch& batch, const ColumnOptions& options);

/// Those of the numbers that are a hidden state of a model of `count` decoder layers: 0..count, or
/// -1..-(count+1) from the end. As asked, each number once.
std::vector<std::int64_t> layers_there(const std::vector<std::int64_t>& asked, std::int64_t count);

}  // namespace earscope
