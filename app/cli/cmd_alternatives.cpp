#include "app/cli/commands.h"
#include "app/cli/model_run.h"
#include "app/cli/output.h"
#include "core/instruments/alternatives.h"
#include "core/instruments/answer.h"
#include "core/instruments/top_choices.h"

namespace earscope::cli {

namespace {

nlohmann::ordered_json token_json(const Processor& processor, const TokenAlternatives& token) {
    nlohmann::ordered_json top = nlohmann::ordered_json::array();
    for (const TokenChoice& choice : token.top) {
        top.push_back({{"id", choice.id},
                       {"text", token_text(processor, choice.id)},
                       {"logprob", choice.logprob}});
    }
    return {{"id", token.id},
            {"text", token_text(processor, token.id)},
            {"logprob", token.logprob},
            {"entropy", token.entropy},
            {"top", std::move(top)}};
}

}  // namespace

CommandResult run_alternatives(Context& context) {
    const Options& options = context.options;
    const ModelRun run = start_model_run(context);
    if (options.continue_with && run.request.requests.size() != 1) {
        throw RequestError(
            "--continue-with: an answer is continued for one request at a time, "
            "there are " +
            std::to_string(run.request.requests.size()));
    }
    Session& session = *run.session;
    check_instruments(session, options);
    check_top_k(options.top_k, session.model().vocab_size());

    const PreparedBatch batch = session.prepare(run.request.requests, call_options(context));
    GenerateOptions generate = generate_options(context, run.request);
    generate.replace = options.continue_with;
    const AlternativesResult result =
        token_alternatives(session, batch, options.top_k, generate, options.edits);
    nlohmann::ordered_json tokens = nlohmann::ordered_json::array();
    for (const auto& row : result.tokens) {
        nlohmann::ordered_json list = nlohmann::ordered_json::array();
        for (const TokenAlternatives& token : row) {
            list.push_back(token_json(session.processor(), token));
        }
        tokens.push_back(std::move(list));
    }
    const nlohmann::ordered_json out{{"profile", profile_name(generate.profile)},
                                     {"tokens", std::move(tokens)},
                                     {"texts", result.answer.texts},
                                     {"finish", finish_names(result.answer)}};
    return {json_text(out), device_note(session)};
}

}  // namespace earscope::cli
