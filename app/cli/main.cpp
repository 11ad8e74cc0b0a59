#include "app/cli/commands.h"
#include "app/cli/exit_status.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "core/base/errors.h"
#include "core/base/text.h"

#include <ATen/Parallel.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <new>
#include <unistd.h>

namespace earscope::cli {

namespace {

/// stdout is closed or full; what was asked for cannot be delivered.
class OutputError : public Error {
public:
    OutputError() : Error(std::string("stdout cannot be written: ") + std::strerror(errno)) {}
};

/// Always one line: file names in messages can hold line breaks.
void complain(std::string_view text) {
    constexpr std::size_t kLongest = 4000;
    write_all(STDERR_FILENO, "earscope-cli: " + one_line(text, kLongest) + "\n");
}

CommandResult run_command(Context& context) {
    switch (context.options.command) {
        case Command::Inspect:
            return run_inspect(context);
        case Command::Modules:
            return run_modules(context);
        case Command::Prepare:
            return run_prepare(context);
        case Command::Generate:
            return run_generate(context);
        case Command::Compare:
            return run_compare(context);
        case Command::Extract:
            return run_extract(context);
        case Command::Forward:
            return run_forward(context);
        case Command::Lens:
            return run_lens(context);
        case Command::Attention:
            return run_attention(context);
        case Command::Saliency:
            return run_saliency(context);
        case Command::Alternatives:
            return run_alternatives(context);
        case Command::Tokenize:
            return run_tokenize(context);
        case Command::Frontend:
            return run_frontend(context);
        case Command::SelfCheck:
            return run_selfcheck(context);
    }
    throw Error("unknown command");
}

void print(std::string_view text) {
    if (!write_all(STDOUT_FILENO, text)) {
        throw OutputError();
    }
}

void run(const Options& options, const Interrupt& interrupt, ProgressBar& progress) {
    if (options.threads) {
        at::set_num_threads(*options.threads);
    }
    const auto tell = [&progress](std::string_view text) {
        progress.clear();
        complain(text);
    };
    Context context{options, interrupt.token(), progress, print, tell};
    const CommandResult result = run_command(context);
    progress.clear();
    print(result.output);
    if (!result.note.empty()) {
        complain(result.note);
    }
}

/// @return the exit status
int run_and_report(const Options& options, const Interrupt& interrupt) {
    ProgressBar progress;
    const auto failed = [&](std::string_view message, int status) {
        progress.clear();
        complain(message);
        return status;
    };
    try {
        run(options, interrupt, progress);
        return kExitDone;
    } catch (const Cancelled& error) {
        return failed(error.what(), kExitCancelled);
    } catch (const UsageError& error) {
        return failed(error.what(), kExitWrongUse);
    } catch (const SnapshotError& error) {
        return failed(error.what(), kExitRefused);
    } catch (const RequestError& error) {
        return failed(error.what(), kExitRefused);
    } catch (const AudioError& error) {
        return failed(error.what(), kExitRefused);
    } catch (const std::bad_alloc&) {
        return failed("out of memory", kExitFailed);
    } catch (const std::exception& error) {
        return failed(error.what(), kExitFailed);
    } catch (...) {
        return failed("failed for an unknown reason", kExitFailed);
    }
}

int program(const std::vector<std::string>& arguments) {
    const Interrupt interrupt;  // first: torch's threads inherit the signal mask
    const ParsedLine line = parse_command_line(arguments);
    if (!line.options) {
        const int stream = line.status == kExitDone ? STDOUT_FILENO : STDERR_FILENO;
        return write_all(stream, line.text) ? line.status : kExitFailed;
    }
    return run_and_report(*line.options, interrupt);
}

}  // namespace

}  // namespace earscope::cli

int main(int argc, char** argv) {
    return earscope::cli::program({argv + 1, argv + argc});
}
