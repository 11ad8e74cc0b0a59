#pragma once
#include "app/cli/options.h"
#include "app/cli/progress_bar.h"

#include <functional>
#include <stop_token>
#include <string>

namespace earscope::cli {

/// What a command may use beside its options.
struct Context {
    const Options& options;
    std::stop_token stop;
    ProgressBar& progress;
    /// Writes to stdout at once (streaming). A failure ends the run.
    std::function<void(std::string_view)> write_now;
    /// Writes one line to stderr at once.
    std::function<void(std::string_view)> tell;
};

/// What a command gives: stdout is written only when it has succeeded.
struct CommandResult {
    std::string output;  ///< for stdout
    std::string note;    ///< one line for stderr, may be empty
};

// Each throws the exceptions of core; main turns them into the exit status.
CommandResult run_inspect(Context& context);
CommandResult run_modules(Context& context);
CommandResult run_prepare(Context& context);
CommandResult run_generate(Context& context);
CommandResult run_compare(Context& context);
CommandResult run_extract(Context& context);
CommandResult run_forward(Context& context);
CommandResult run_lens(Context& context);
CommandResult run_attention(Context& context);
CommandResult run_saliency(Context& context);
CommandResult run_alternatives(Context& context);
CommandResult run_tokenize(Context& context);
CommandResult run_frontend(Context& context);
CommandResult run_selfcheck(Context& context);

}  // namespace earscope::cli
