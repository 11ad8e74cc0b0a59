#pragma once
#include "core/compare/run_record.h"
#include "core/session.h"

#include <string>
#include <vector>

namespace earscope {

/// What a record holds beside what session, batch and result know.
struct RunNotes {
    std::string weights_digest;      ///< of weights_digest.h
    std::vector<std::string> edits;  ///< in force during the run, as given to --edit
};

/// The record of one request of a finished generation.
///
/// @param batch    what `result` was generated from, with these `options`
/// @param request  index into the batch
/// A changed copy of a profile is called "generic_sampled (changed)".
/// Thread: the one that uses the session. Copies everything, on the CPU; nothing of the session is
/// kept.
RunRecord record_run(const Session& session, const PreparedBatch& batch, std::size_t request,
                     const GenerateOptions& options, const GenerateResult& result,
                     const RunNotes& notes = {});

}  // namespace earscope
