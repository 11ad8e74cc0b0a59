#include "core/models/generation.h"

#include "core/models/sampler.h"
#include "core/nn/qwen_decoder.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace earscope {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// One row's answer while it grows.
struct Row {
    std::vector<std::int64_t> ids;
    std::string text;
    StreamDecoder decoder;
    bool ended = false;
};

class Run {
public:
    Run(const Processor& processor, std::size_t rows, const GenerateOptions& options)
        : processor_(processor), options_(options) {
        for (std::size_t i = 0; i < rows; ++i) {
            rows_.push_back({{}, {}, StreamDecoder(processor.tokenizer), false});
        }
    }

    bool all_ended() const {
        return std::all_of(rows_.begin(), rows_.end(), [](const Row& row) { return row.ended; });
    }

    /// Takes the chosen ids of one step. @return what the model gets next: padding for rows that
    /// ended
    at::Tensor take(const at::Tensor& chosen) {
        at::Tensor host = chosen.cpu().clone();
        std::int64_t* ids = host.mutable_data_ptr<std::int64_t>();
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            if (rows_[i].ended) {
                ids[i] = processor_.pad_token_id;
            } else {
                add(i, ids[i]);
            }
        }
        return host.to(chosen.device());
    }

    GenerateResult result() {
        GenerateResult out;
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            Row& row = rows_[i];
            const std::string rest = row.decoder.finish();
            if (!rest.empty()) {
                row.text += rest;
                emit(i, row.ids.empty() ? 0 : row.ids.back(), rest);
            }
            out.finish.push_back(row.ended ? Finish::Eos : Finish::Length);
            out.texts.push_back(std::move(row.text));
            out.ids.push_back(std::move(row.ids));
        }
        return out;
    }

private:
    void add(std::size_t index, std::int64_t id) {
        Row& row = rows_[index];
        row.ids.push_back(id);
        const std::string text = row.decoder.push(id);
        row.text += text;
        row.ended = std::find(processor_.eos_token_ids.begin(), processor_.eos_token_ids.end(),
                              id) != processor_.eos_token_ids.end();
        emit(index, id, text);
    }

    void emit(std::size_t index, std::int64_t id, const std::string& text) {
        if (options_.on_token) {
            options_.on_token({static_cast<std::int64_t>(index), id, text,
                               static_cast<std::int64_t>(rows_[index].ids.size())});
        }
    }

    const Processor& processor_;
    const GenerateOptions& options_;
    std::vector<Row> rows_;
};

/// Names a parameter that holds NaN or infinity, or says that none does.
std::string non_finite_cause(const Model& model) {
    for (const auto& [name, parameter] : model.named_parameters()) {
        if (!at::isfinite(parameter).all().item<bool>()) {
            return "the tensor " + name + " of the snapshot holds NaN or infinity";
        }
    }
    return "all weights are finite, so the values overflowed; try float32 or bfloat16";
}

void check_finite(const at::Tensor& logits, const Model& model, std::int64_t step) {
    const at::Tensor good = at::isfinite(logits).all(1).cpu();
    if (!good.all().item<bool>()) {
        const std::int64_t row = good.logical_not().to(at::kLong).argmax().item<std::int64_t>();
        throw Error("logits of request " + std::to_string(row) + " at step " +
                    std::to_string(step) + " are not finite: " + non_finite_cause(model));
    }
}

/// Whether the token that is to be replaced can exist at all.
/// @throws RequestError
void check_replacement(const TokenReplacement& replacement, std::int64_t rows, std::int64_t budget,
                       std::int64_t vocabulary) {
    if (rows != 1) {
        throw RequestError("an answer is continued for one request at a time, this call has " +
                           std::to_string(rows));
    }
    if (replacement.index < 0 || replacement.index >= budget) {
        throw RequestError("there is no token " + std::to_string(replacement.index) +
                           " to continue from: the budget is " + std::to_string(budget));
    }
    if (replacement.id < 0 || replacement.id >= vocabulary) {
        throw RequestError("there is no token id " + std::to_string(replacement.id) +
                           ": this model has ids 0 to " + std::to_string(vocabulary - 1));
    }
}

/// The next ids: the sampler's, or the replacement where its turn has come.
/// @param last  float32 [B,V]
at::Tensor choose(Sampler& sampler, const at::Tensor& last, std::int64_t step,
                  const SamplingParameters& parameters, const GenerateOptions& options) {
    at::Tensor chosen = sampler.next(last);
    if (options.replace && options.replace->index == step) {
        chosen = at::full_like(chosen, options.replace->id);
        sampler = Sampler(parameters, options.seed, last.device());
    }
    if (options.on_logits) {
        options.on_logits(last, chosen);
    }
    return chosen;
}

/// All rows, decoding alone: the first token of each belongs to the prefill.
double decoding_speed(const GenerateResult& result) {
    std::int64_t decoded = 0;
    for (const auto& ids : result.ids) {
        decoded += static_cast<std::int64_t>(ids.size()) - 1;
    }
    return result.decode_seconds > 0 ? static_cast<double>(decoded) / result.decode_seconds : 0;
}

}  // namespace

std::int64_t generation_budget(std::int64_t prompt_width, std::int64_t max_new_tokens,
                               std::int64_t context) {
    if (max_new_tokens < 1) {
        throw RequestError("max_new_tokens is " + std::to_string(max_new_tokens) +
                           "; at least 1 is needed");
    }
    if (prompt_width >= context) {
        throw RequestError("no room for an answer: the prompt is " + std::to_string(prompt_width) +
                           " tokens wide, the budget is " + std::to_string(max_new_tokens) +
                           " and the model's context " + std::to_string(context) +
                           "; use shorter or fewer sources");
    }
    return std::min(max_new_tokens, context - prompt_width);
}

GenerateResult run_generation(Model& model, const Processor& processor, const PreparedBatch& batch,
                              const SamplingParameters& parameters,
                              const GenerateOptions& options) {
    const std::int64_t width = batch.inputs.input_ids.size(1);
    const std::int64_t budget =
        generation_budget(width, parameters.max_new_tokens, model.context_length());
    Sampler sampler(parameters, options.seed, batch.inputs.input_ids.device());
    if (options.replace) {
        check_replacement(*options.replace, batch.inputs.input_ids.size(0), budget,
                          model.vocab_size());
    }
    // A long budget is seldom used up; the cache doubles when it is.
    KvCache cache(model.layer_count(), batch.inputs.attention_mask,
                  width + std::min<std::int64_t>(budget, 256));
    Run run(processor, static_cast<std::size_t>(batch.inputs.input_ids.size(0)), options);

    ForwardOptions forward;
    forward.stop = options.stop;
    forward.progress = options.progress;
    const auto start = Clock::now();
    at::Tensor logits = model.prefill(batch.inputs, cache, forward);
    forward.progress = {};
    double prefill_seconds = 0;
    Clock::time_point decode_start;
    std::int64_t step = 0;
    while (true) {
        const at::Tensor last = logits.select(1, logits.size(1) - 1).to(at::kFloat);  // [B,V]
        check_finite(last, model, step);
        const at::Tensor next = run.take(choose(sampler, last, step, parameters, options));
        ++step;
        report(options.progress, Stage::Generate, step, budget);
        if (step == 1) {
            prefill_seconds = seconds_since(start);
            decode_start = Clock::now();
        }
        if (run.all_ended() || step >= budget) {
            break;
        }
        throw_if_stopped(options.stop);
        logits = model.decode_step(next, cache, forward);
    }
    if (options.replace && options.replace->index >= step) {
        throw RequestError("there is no token " + std::to_string(options.replace->index) +
                           " to continue from: the answer has " + std::to_string(step));
    }
    GenerateResult result = run.result();
    result.prefill_seconds = prefill_seconds;
    result.decode_seconds = seconds_since(decode_start);
    result.tokens_per_second = decoding_speed(result);
    result.prompt_width = width;
    result.budget = budget;
    return result;
}

}  // namespace earscope
