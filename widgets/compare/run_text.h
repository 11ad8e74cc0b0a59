#pragma once
// A finished run in the user's words and locale.
#include "core/compare/run_record.h"

#include <QString>

namespace earscope {

/// "#3 · demo model · paper_reference", with what was done to the run behind it, for lists to
/// choose from.
QString runTitle(int number, const RunRecord& run);
/// "ended by the model" or "ended because the budget is used up".
QString finishText(const RunRecord& run);
/// "24 tokens" with the number in the user's locale.
QString tokenCountText(const RunRecord& run);
/// "35.1", with two decimals below ten; a dash where a single token gives no rate.
QString speedText(double tokensPerSecond);
/// "greedy" or "sampled: temperature 0.7, top-p 0.8, top-k 20, seed 3407".
QString samplingText(const RunRecord& run);
/// "1: drums.wav, 250 tokens (10.0 s)" per source, one per line; "no audio" without any.
QString sourcesText(const RunRecord& run);
/// Hours, minutes and seconds of the end of the run, in local time.
QString clockText(const RunRecord& run);
/// What was done to a run, in a few words: "2 edits", "continued", "2 edits, continued"; empty for
/// one that was left alone.
QString changesText(const RunRecord& run);
/// The same in full, a line each: "EDITED · made under: …", "Continued from token 3 with “ B”: …".
QString changesInFull(const RunRecord& run);
/// How a run was made, on a few lines, without what `changesInFull` says.
QString runConditions(const RunRecord& run);
/// Everything about a run on a few lines, for tooltips and for what stands beside its text.
QString runFacts(const RunRecord& run);

}  // namespace earscope
