#include "app/cli/options.h"

#include "app/cli/exit_status.h"
#include "app/cli/option_values.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <sstream>

namespace earscope::cli {

namespace {

/// What CLI11 fills before the values are looked at.
struct RawOptions {
    std::string prompt, request, dtype, attention = "sdpa", chunk_padding = "reference", profile;
    std::string layers, grad, wrt, out, path, seed;
    std::string positions, top_k, heads, rows, token, method, continue_with;
    std::vector<std::string> edits, files;
    std::string snapshot_b, profile_b, seed_b;
    double temperature_b = 0, top_p_b = 0;
    std::int64_t top_k_b = 0, max_new_tokens_b = 0;
    std::vector<std::string> outs;
    int threads = 0;
    std::int64_t max_new_tokens = 0;
};

/// A parser of core on an option's text: what it refuses is wrong use here.
template <typename Parse>
auto parse_option(const std::string& option, Parse&& parse) -> decltype(parse()) {
    try {
        return parse();
    } catch (const RequestError& error) {
        throw UsageError(option + ": " + error.what());
    }
}

/// The options of one command; each add_* function declares a group of them.
class CommandLine {
public:
    CommandLine() {
        app_.require_subcommand(1);
        app_.set_version_flag("--version", std::string("earscope-cli ") + EARSCOPE_VERSION);
        app_.footer(
            "SNAPSHOT is a model folder, a Hugging Face cache entry (models--org--name) or "
            "'demo'.\nResults go to stdout, everything else to stderr. Exit status: 0 done, "
            "2 wrong use, 3 refused\ninput, 4 failed while running, 130 cancelled.");
        add_inspect_and_modules();
        add_prepare();
        add_generate();
        add_compare();
        add_extract();
        add_forward();
        add_lens();
        add_attention();
        add_saliency();
        add_alternatives();
        add_tokenize();
        add_frontend();
        add_selfcheck();
    }

    /// @throws CLI::ParseError, UsageError, RequestError
    Options parse(std::vector<std::string> arguments) {
        check_command(arguments);
        std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
        app_.parse(std::move(arguments));
        for (const auto& [name, command] : commands_) {
            if (name->parsed()) {
                options_.command = command;
                finish(*name);
            }
        }
        return options_;
    }

    CLI::App& app() { return app_; }

private:
    CLI::App& add(Command command, const std::string& name, const std::string& description) {
        CLI::App* sub = app_.add_subcommand(name, description);
        commands_[sub] = command;
        return *sub;
    }

    void add_snapshot(CLI::App& sub) {
        sub.add_option("SNAPSHOT", options_.snapshot, "model folder, cache entry or 'demo'")
            ->required();
    }

    void add_threads(CLI::App& sub) {
        sub.add_option("--threads", raw_.threads, "CPU threads for the computation")
            ->check(CLI::Range(1, 1024));
    }

    void add_device(CLI::App& sub, const std::string& default_dtype) {
        sub.add_option("--device", options_.device, "cpu, cuda:N or auto (default): CUDA if any");
        sub.add_option("--dtype", raw_.dtype, "default: " + default_dtype)
            ->check(CLI::IsMember({"float32", "bfloat16", "float16"}));
        sub.add_option("--attention", raw_.attention, "sdpa (default) or eager")
            ->check(CLI::IsMember({"sdpa", "eager"}));
        add_threads(sub);
    }

    void add_session(CLI::App& sub) {
        add_snapshot(sub);
        add_device(sub, "the request file's, else float32 on the CPU, bfloat16 on CUDA");
        sub.add_option("--chunk-padding", raw_.chunk_padding,
                       "MOSS-Music, sources under 4 s: reference (default) or independent")
            ->check(CLI::IsMember({"reference", "independent"}));
    }

    void add_request(CLI::App& sub) {
        add_session(sub);
        auto* request = sub.add_option("--request", raw_.request, "request file (JSON)");
        sub.add_option("--prompt", raw_.prompt,
                       "the user's text; <audio> marks where an audio goes")
            ->excludes(request);
        sub.add_option("--audio", options_.audio, "up to five sound files, in order")
            ->excludes(request);
    }

    void add_edits(CLI::App& sub) {
        sub.add_option("--edit", raw_.edits,
                       "MODULE[@SCOPE]=OP, OP: zero, add:X, scale:X, noise:STD[:SEED], "
                       "from:FILE#TENSOR; SCOPE: all, audio:A, range:A:T0:T1, last, generated; "
                       "repeatable")
            ->allow_extra_args(false);
    }

    void add_probes(CLI::App& sub) {
        sub.add_option(
               "--probe", options_.probes,
               "store a module's output, MODULE[@SCOPE]; * and layers:0-7 stand for several; "
               "repeatable")
            ->allow_extra_args(false);
    }

    void add_layers(CLI::App& sub) {
        sub.add_option("--layers", raw_.layers,
                       "hidden layers, e.g. -1,0 or all (0: decoder input)");
    }

    void add_generation(CLI::App& sub) {
        sub.add_option("--profile", raw_.profile, "paper_reference (default) or generic_sampled")
            ->check(CLI::IsMember({"paper_reference", "generic_sampled"}));
        sub.add_option("--max-new-tokens", raw_.max_new_tokens, "budget of the answer")
            ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40));
        sub.add_option("--seed", raw_.seed, "of sampling (default 3407)");
    }

    void add_top_k(CLI::App& sub) {
        sub.add_option("--top-k", raw_.top_k, "choices per token (default 5)");
    }

    CLI::Option* add_out(CLI::App& sub) {
        return sub.add_option("--out", raw_.out, "FILE.safetensors or FILE.npz");
    }

    void add_inspect_and_modules() {
        add_snapshot(add(Command::Inspect, "inspect", "what a snapshot is (JSON)"));
        add_snapshot(add(Command::Modules, "modules", "module names and classes"));
    }

    void add_prepare() {
        CLI::App& sub = add(Command::Prepare, "prepare", "expand a request (JSON)");
        add_request(sub);
        add_out(sub);
    }

    void add_generate() {
        CLI::App& sub = add(Command::Generate, "generate", "answer a request (JSON)");
        add_request(sub);
        add_generation(sub);
        sub.add_flag("--stream", options_.stream, "print the text as it comes instead of JSON");
        add_edits(sub);
    }

    void add_compare() {
        CLI::App& sub = add(Command::Compare, "compare",
                            "answer a request twice and put both answers side by side (JSON)");
        add_request(sub);
        sub.add_option("SNAPSHOT_B", raw_.snapshot_b,
                       "model of column B, loaded when that of column A is gone (default: the "
                       "same)");
        add_generation(sub);
        sub.add_option("--profile-b", raw_.profile_b,
                       "of column B; default: column A's if SNAPSHOT_B or an option below is "
                       "given, else the other one")
            ->check(CLI::IsMember({"paper_reference", "generic_sampled"}));
        sub.add_option("--temperature-b", raw_.temperature_b, "column B: above 0");
        sub.add_option("--top-p-b", raw_.top_p_b, "column B: above 0, at most 1");
        sub.add_option("--top-k-b", raw_.top_k_b, "column B: 0 for off");
        sub.add_option("--seed-b", raw_.seed_b, "column B");
        sub.add_option("--max-new-tokens-b", raw_.max_new_tokens_b, "column B")
            ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40));
        add_edits(sub);
        add_layers(sub);
        sub.add_option(
               "--out", raw_.outs,
               "FILE.json, FILE.md (both answers) or FILE.safetensors, FILE.npz (embeddings "
               "and --layers of a, b and difference); repeatable")
            ->allow_extra_args(false);
    }

    void add_extract() {
        CLI::App& sub =
            add(Command::Extract, "extract", "audio and contextual embeddings to a file");
        add_request(sub);
        add_layers(sub);
        add_edits(sub);
        add_probes(sub);
        add_out(sub)->required();
    }

    void add_forward() {
        CLI::App& sub =
            add(Command::Forward, "forward", "logits, hidden states, gradients to a file");
        add_request(sub);
        add_layers(sub);
        sub.add_flag("--full-logits", options_.full_logits, "logits of every position");
        add_edits(sub);
        add_probes(sub);
        auto* grad = sub.add_option("--grad", raw_.grad, "loss: audio or contextual")
                         ->check(CLI::IsMember({"audio", "contextual"}));
        auto* wrt = sub.add_option("--wrt", raw_.wrt, "mel and parameter names, with commas");
        grad->needs(wrt);
        wrt->needs(grad);
        add_out(sub)->required();
    }

    void add_lens() {
        CLI::App& sub =
            add(Command::Lens, "lens", "what the model would say at each position, layer by layer");
        add_request(sub);
        add_layers(sub);
        sub.add_option("--positions", raw_.positions, "audio (default), last or all");
        add_top_k(sub);
        add_edits(sub);
        add_out(sub);
    }

    void add_attention() {
        CLI::App& sub =
            add(Command::Attention, "attention", "what each generated token looked at, to a file");
        add_request(sub);
        sub.add_option("--layers", raw_.layers, "decoder layers, e.g. 0,-1 or all (default)");
        sub.add_option("--heads", raw_.heads, "query heads, e.g. 0,3 (default: all)");
        sub.add_option("--rows", raw_.rows,
                       "P0:P1, also the rows of these positions of the prompt (P1 not included, at "
                       "most 256), as attention_rows.LAYER [B,H,P1-P0,L]");
        add_generation(sub);
        add_edits(sub);
        add_out(sub)->required();
    }

    void add_saliency() {
        CLI::App& sub = add(Command::Saliency, "saliency",
                            "how a generated token depends on each point of the mel");
        add_request(sub);
        sub.add_option("--token", raw_.token, "index of the generated token (default 0)");
        sub.add_option("--method", raw_.method,
                       "gradient (default), gradient_x_input or integrated:STEPS");
        add_generation(sub);
        add_edits(sub);
        add_out(sub);
    }

    void add_alternatives() {
        CLI::App& sub = add(Command::Alternatives, "alternatives",
                            "answer a request and list what each token could have been (JSON)");
        add_request(sub);
        add_top_k(sub);
        sub.add_option("--continue-with", raw_.continue_with,
                       "G:ID: go on with this id in the place of generated token G");
        add_generation(sub);
        add_edits(sub);
    }

    void add_tokenize() {
        add_snapshot(add(Command::Tokenize, "tokenize",
                         "JSON lines on stdin, {\"text\":...} or {\"ids\":[...]}"));
    }

    void add_frontend() {
        CLI::App& sub = add(Command::Frontend, "frontend", "samples and mel without a model");
        sub.add_option("--path", raw_.path, "torch (Music Flamingo) or numpy (MOSS-Music)")
            ->check(CLI::IsMember({"torch", "numpy"}))
            ->required();
        sub.add_option("FILE", raw_.files, "sound files")->required();
        add_threads(sub);
        add_out(sub)->required();
    }

    void add_selfcheck() {
        add_device(add(Command::SelfCheck, "selfcheck",
                       "does this build compute what the reference does? (JSON)"),
                   "float32");
    }

    /// CLI11 would only say that a subcommand is missing.
    void check_command(const std::vector<std::string>& arguments) const {
        if (arguments.empty() || arguments.front().starts_with('-')) {
            return;
        }
        std::string known;
        for (const CLI::App* sub : app_.get_subcommands({})) {
            if (sub->get_name() == arguments.front()) {
                return;
            }
            known += (known.empty() ? "" : ", ") + sub->get_name();
        }
        throw UsageError("there is no command '" + arguments.front() + "'; there are " + known);
    }

    static bool given(CLI::App& sub, const std::string& name) {
        const CLI::Option* option = sub.get_option_no_throw(name);
        return option != nullptr && option->count() > 0;
    }

    /// Turns the raw texts of the command that was parsed into values.
    void finish(CLI::App& sub) {
        if (given(sub, "--prompt")) {
            options_.prompt = raw_.prompt;
        }
        if (given(sub, "--request")) {
            options_.request_file = raw_.request;
        }
        const bool takes_request = sub.get_option_no_throw("--request") != nullptr;
        if (takes_request && !options_.request_file && !options_.prompt && options_.audio.empty()) {
            throw UsageError(
                "a request is missing: --request FILE.json, or --prompt TEXT and "
                "--audio FILE...");
        }
        options_.dtype = parse_dtype(raw_.dtype);
        options_.attention = raw_.attention == "eager" ? Attention::Eager : Attention::Sdpa;
        options_.chunk_padding = raw_.chunk_padding == "independent" ? ChunkPadding::Independent
                                                                     : ChunkPadding::Reference;
        options_.feature_path = raw_.path == "numpy" ? FeaturePath::Numpy : FeaturePath::Torch;
        options_.files.assign(raw_.files.begin(), raw_.files.end());
        finish_numbers(sub);
        finish_instruments(sub);
        finish_compare(sub);
        if (!raw_.out.empty() || (raw_.outs.empty() && given(sub, "--out"))) {
            options_.out = parse_out(raw_.out);
        }
    }

    void finish_numbers(CLI::App& sub) {
        if (given(sub, "--threads")) {
            options_.threads = raw_.threads;
        }
        if (given(sub, "--profile")) {
            options_.profile = parse_profile(raw_.profile);
        }
        if (given(sub, "--max-new-tokens")) {
            options_.max_new_tokens = raw_.max_new_tokens;
        }
        if (given(sub, "--seed")) {
            options_.seed = parse_seed(raw_.seed);
        }
    }

    void finish_compare(CLI::App& sub) {
        ColumnChanges& b = options_.column_b;
        const auto take = [&](const char* name, auto& value, const auto& raw) {
            if (given(sub, name)) {
                value = raw;
            }
        };
        take("SNAPSHOT_B", options_.snapshot_b, raw_.snapshot_b);
        take("--temperature-b", b.temperature, raw_.temperature_b);
        take("--top-p-b", b.top_p, raw_.top_p_b);
        take("--top-k-b", b.top_k, raw_.top_k_b);
        take("--max-new-tokens-b", b.max_new_tokens, raw_.max_new_tokens_b);
        if (given(sub, "--profile-b")) {
            b.profile = parse_profile(raw_.profile_b);
        }
        if (given(sub, "--seed-b")) {
            b.seed = parse_seed(raw_.seed_b, "--seed-b");
        }
        bool tensors = false;
        for (const std::string& text : raw_.outs) {
            const auto file = parse_comparison_out(text);
            tensors = tensors || file.extension() == ".safetensors" || file.extension() == ".npz";
            options_.outs.push_back(file);
        }
        if (options_.command == Command::Compare && given(sub, "--layers") && !tensors) {
            throw UsageError("--layers needs --out FILE.safetensors or --out FILE.npz");
        }
    }

    void finish_instruments(CLI::App& sub) {
        if (given(sub, "--layers")) {
            options_.layers = parse_layers(raw_.layers);
        }
        if (given(sub, "--grad")) {
            options_.gradients = parse_gradients(raw_.grad, raw_.wrt);
        }
        for (const std::string& text : raw_.edits) {
            options_.edits.push_back(parse_option("--edit", [&] { return parse_edit(text); }));
        }
        for (const std::string& text : options_.probes) {
            parse_option("--probe", [&] { return parse_target(text); });
        }
        finish_views(sub);
    }

    void finish_views(CLI::App& sub) {
        if (given(sub, "--positions")) {
            options_.positions =
                parse_option("--positions", [&] { return parse_positions(raw_.positions); });
        }
        if (given(sub, "--top-k")) {
            options_.top_k = parse_number("--top-k", raw_.top_k);
        }
        if (given(sub, "--heads")) {
            options_.heads = parse_heads(raw_.heads);
        }
        if (given(sub, "--rows")) {
            options_.rows = parse_option("--rows", [&] { return parse_span(raw_.rows); });
        }
        if (given(sub, "--token")) {
            options_.token = parse_number("--token", raw_.token);
        }
        if (given(sub, "--method")) {
            options_.method =
                parse_option("--method", [&] { return parse_saliency_method(raw_.method); });
        }
        if (given(sub, "--continue-with")) {
            options_.continue_with = parse_continuation(raw_.continue_with);
        }
    }

    CLI::App app_{"Earscope without a window: looks inside music language models.", "earscope-cli"};
    std::map<CLI::App*, Command> commands_;
    Options options_;
    RawOptions raw_;
};

/// Gives CLI11 every value as a word of its own and unchanged: it reads `--name=` as if no value
/// was given, and takes an argument "[a,b]" of a list apart. A file of such a name is the same file
/// with "./" in front; a prompt is no list and stays as it is.
std::vector<std::string> plain_words(const std::vector<std::string>& arguments) {
    std::vector<std::string> words;
    bool options_ended = false;
    const auto push_value = [&](std::string value) {
        const bool looks_like_list = !value.empty() && value.front() == '[' && value.back() == ']';
        const bool is_prompt = !words.empty() && words.back() == "--prompt";
        words.push_back(looks_like_list && !is_prompt ? "./" + value : std::move(value));
    };
    for (const std::string& argument : arguments) {
        const auto equals = argument.find('=');
        const bool value_of_option = !words.empty() && words.back() == "--prompt";
        if (!options_ended && !value_of_option && argument.starts_with("--") &&
            equals != std::string::npos) {
            words.push_back(argument.substr(0, equals));
            push_value(argument.substr(equals + 1));
        } else {
            options_ended = options_ended || (argument == "--" && !value_of_option);
            push_value(argument);
        }
    }
    return words;
}

}  // namespace

ParsedLine parse_command_line(const std::vector<std::string>& arguments) {
    ParsedLine line;
    CommandLine parser;
    try {
        line.options = parser.parse(plain_words(arguments));
    } catch (const CLI::ParseError& error) {
        std::ostringstream out;
        std::ostringstream complaint;
        const bool asked = parser.app().exit(error, out, complaint) == 0;
        line.status = asked ? kExitDone : kExitWrongUse;
        line.text = asked ? out.str() : complaint.str();
    } catch (const UsageError& error) {
        line.status = kExitWrongUse;
        line.text = std::string(error.what()) + "\nRun with --help for more information.\n";
    }
    return line;
}

}  // namespace earscope::cli
