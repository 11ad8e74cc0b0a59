#include "core/bridge/instrument_jobs.h"

#include "core/bridge/instrument_export.h"
#include "core/bridge/value_conversion.h"
#include "core/compare/record_run.h"
#include "core/instruments/alternatives.h"
#include "core/instruments/attention_maps.h"
#include "core/instruments/capture.h"
#include "core/instruments/layer_views.h"
#include "core/instruments/lens.h"
#include "core/instruments/saliency_cost.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace earscope {
namespace {

constexpr double kSecondsPerFrame = 0.01;  // of the mel
/// What measuring a pass may take from whoever waits for the model.
constexpr double kMeasuredSeconds = 1;
constexpr std::int64_t kMeasuredBytes = std::int64_t{1} << 30;

std::vector<std::int64_t> toLong(const std::vector<int>& numbers) {
    return {numbers.begin(), numbers.end()};
}

std::vector<int> positionsOf(const at::Tensor& positions) {
    const at::Tensor plain = positions.to(at::kCPU, at::kInt).contiguous();
    return {plain.const_data_ptr<int>(), plain.const_data_ptr<int>() + plain.numel()};
}

std::vector<std::string> toTexts(const QStringList& list) {
    std::vector<std::string> texts;
    for (const QString& text : list) {
        texts.push_back(text.toStdString());
    }
    return texts;
}

GenerateOptions toGenerateOptions(const InstrumentRequest& on, const InstrumentRun& run) {
    GenerateOptions options;
    options.profile = parse_profile(on.profile.toStdString());
    options.max_new_tokens = on.maxNewTokens;
    options.seed = on.seed;
    options.stop = run.call.stop;
    options.progress = run.call.progress;
    options.on_token = run.onToken;
    return options;
}

/// Prompt and answer.
std::vector<TokenValue> allRows(const InstrumentRun& run,
                                const std::vector<TokenValue>& generated) {
    std::vector<TokenValue> rows = promptRows(run.batch, run.session.processor());
    rows.insert(rows.end(), generated.begin(), generated.end());
    return rows;
}

std::vector<TokenValue> answerRows(const InstrumentRun& run, const GenerateResult& answer) {
    return generatedRows(answer.ids.at(0), answer.prompt_width, run.session.processor().tokenizer);
}

RunPointer toRecord(const InstrumentRun& run, const InstrumentRequest& on,
                    const GenerateOptions& options, const GenerateResult& answer) {
    return std::make_shared<const RunRecord>(record_run(
        run.session, run.batch, 0, options, answer, {run.weights, edit_texts(toEdits(on.edits))}));
}

TensorStatistics toStatistics(const Statistics& from) {
    TensorStatistics to;
    to.norm = from.norm();
    to.mean = from.mean;
    to.minimum = from.minimum;
    to.maximum = from.maximum;
    to.kurtosis = from.kurtosis();
    to.nanCount = from.nan_count;
    to.infinityCount = from.infinity_count;
    to.calls = from.calls;
    return to;
}

/// One row per position in the language model; elsewhere the last dimension is the width.
at::Tensor asRows(const at::Tensor& values, bool scoped, bool language) {
    if (scoped) {
        return values.flatten(1);
    }
    if (language && values.dim() > 2) {
        return values.flatten(0, 1).flatten(1);
    }
    return values.dim() > 1 ? values.flatten(0, -2) : values.reshape({1, -1});
}

ProbeCapture toCapture(const Capture& capture, std::int64_t elementBytes) {
    ProbeCapture value;
    value.name = QString::fromStdString(capture.name);
    value.fullShape.assign(capture.full_shape.begin(), capture.full_shape.end());
    value.bytes = std::accumulate(capture.full_shape.begin(), capture.full_shape.end(),
                                  elementBytes, std::multiplies<>());
    value.statistics = toStatistics(capture.statistics);
    const bool scoped = capture.positions.defined();
    const bool language = in_language_model(capture.name.substr(0, capture.name.find('@')));
    if (scoped) {
        value.positions = positionsOf(capture.positions);
    } else if (language && capture.full_shape.size() > 1) {
        value.positions.resize(static_cast<std::size_t>(capture.full_shape[1]));
        std::iota(value.positions.begin(), value.positions.end(), 0);
    }
    if (capture.values.defined()) {
        value.values = toTensorValue(asRows(capture.values, scoped, language));
    }
    return value;
}

std::int64_t elementBytes(Session& session) {
    return static_cast<std::int64_t>(
        session.model().named_parameters().front().second.element_size());
}

LensChoice toChoice(PieceReader& reader, std::int64_t id, double logprob) {
    return {id, reader.piece(id), static_cast<float>(logprob)};
}

/// @return [n][k]
std::vector<std::vector<LensChoice>> toChoices(const TopChoices& choices, PieceReader& reader) {
    const at::Tensor ids = choices.ids.contiguous();
    const at::Tensor logprobs = choices.logprobs.contiguous();
    const std::int64_t k = ids.size(1);
    std::vector<std::vector<LensChoice>> rows(static_cast<std::size_t>(ids.size(0)));
    for (std::size_t n = 0; n < rows.size(); ++n) {
        const auto first = static_cast<std::int64_t>(n) * k;
        for (std::int64_t i = first; i < first + k; ++i) {
            rows[n].push_back(toChoice(reader, ids.const_data_ptr<std::int64_t>()[i],
                                       static_cast<double>(logprobs.const_data_ptr<float>()[i])));
        }
    }
    return rows;
}

/// Sum of one source's map, and where it is farthest from 0.
void addTotals(SaliencyValue& value, const TensorValue& map) {
    double sum = 0;
    std::size_t largest = 0;
    for (std::size_t i = 0; !map.isEmpty() && i < map.data->size(); ++i) {
        sum += static_cast<double>((*map.data)[i]);
        largest = std::abs((*map.data)[i]) > std::abs((*map.data)[largest]) ? i : largest;
    }
    const auto frames = static_cast<std::size_t>(std::max<qint64>(1, map.columns()));
    value.sums.push_back(sum);
    value.largestAt.push_back(static_cast<double>(largest % frames) * kSecondsPerFrame);
}

}  // namespace

std::vector<Edit> toEdits(const QStringList& edits) {
    std::vector<Edit> parsed;
    for (const QString& text : edits) {
        parsed.push_back(parse_edit(text.toStdString()));
    }
    return parsed;
}

ProbesValue runProbes(const ProbeJob& job, const InstrumentRun& run) {
    ProbeOptions options;
    options.keep = !job.statisticsOnly;
    options.statistics = true;
    const CaptureResult result = capture(run.session, run.batch, toTexts(job.probes), options,
                                         toEdits(job.on.edits), toGenerateOptions(job.on, run));
    ProbesValue value;
    for (const Capture& one : result.captures) {
        value.captures.push_back(toCapture(one, elementBytes(run.session)));
    }
    value.edits = job.on.edits;
    if (run.kept != nullptr) {
        *run.kept = keptProbes(job, run, result, value);
    }
    return value;
}

ProbeEstimate estimateProbes(const ProbeJob& job, const InstrumentRun& run) {
    ProbeEstimate estimate;
    try {
        for (const ProbeSize& size : probe_sizes(run.session.model(), toTexts(job.probes),
                                                 run.batch, job.on.maxNewTokens)) {
            estimate.modules.append(QString::fromStdString(size.name));
            estimate.bytes += job.statisticsOnly ? 0 : size.bytes;
        }
        check_edits(run.session.model(), toEdits(job.on.edits));
    } catch (const RequestError& error) {
        estimate = {};
        estimate.problem = QString::fromUtf8(error.what());
    }
    return estimate;
}

LayersValue runLayers(const LayersJob& job, const InstrumentRun& run) {
    const LayerViews views =
        layer_views(run.session, run.batch, toLong(job.layers), toEdits(job.on.edits), run.call);
    LayersValue value;
    value.norm = toTensorValue(views.norm.select(1, 0));
    value.cosineToBefore = toTensorValue(views.cosine_to_before.select(1, 0));
    value.layers = job.layers;
    for (const at::Tensor& states : views.states) {
        value.states.push_back(toTensorValue(states.select(0, 0)));
    }
    value.tokens = promptRows(run.batch, run.session.processor());
    value.edits = job.on.edits;
    if (run.kept != nullptr) {
        *run.kept = keptLayers(job, run, views, value);
    }
    return value;
}

LensValue runLens(const LensJob& job, const InstrumentRun& run) {
    const LensOptions options{toLong(job.layers), parse_positions(job.positions.toStdString()),
                              job.topK};
    const LensResult result =
        logit_lens(run.session, run.batch, options, toEdits(job.on.edits), run.call);
    LensValue value;
    value.layers = job.layers;
    const std::vector<TokenValue> rows = promptRows(run.batch, run.session.processor());
    for (const int position : positionsOf(result.positions.select(1, 1))) {
        value.positions.push_back(rows.at(static_cast<std::size_t>(position)));
    }
    PieceReader reader(run.session.processor().tokenizer);
    for (const TopChoices& choices : result.choices) {
        value.choices.push_back(toChoices(choices, reader));
    }
    value.edits = job.on.edits;
    if (run.kept != nullptr) {
        *run.kept = keptLens(job, run, result);
    }
    return value;
}

AttentionValue runAttention(const AttentionJob& job, const InstrumentRun& run) {
    AttentionOptions options{toLong(job.layers), toLong(job.heads), toGenerateOptions(job.on, run)};
    AttentionValue value;
    value.firstRow = job.firstRow;
    if (job.firstRow >= 0) {
        options.rows = PositionSpan{job.firstRow, job.endRow};
        options.answer = false;
    }
    const AttentionResult result =
        attention_maps(run.session, run.batch, options, toEdits(job.on.edits));
    if (options.answer) {
        value.text = QString::fromStdString(result.answer.texts.at(0));
        value.generated = answerRows(run, result.answer);
        value.record = toRecord(run, job.on, options.generate, result.answer);
    }
    value.request = job.on.request;
    value.tokens = allRows(run, value.generated);
    value.layers = job.layers;
    value.heads = job.heads;
    if (value.heads.empty()) {
        value.heads.resize(static_cast<std::size_t>(run.session.model().head_count()));
        std::iota(value.heads.begin(), value.heads.end(), 0);
    }
    for (const at::Tensor& layer : options.answer ? result.weights : result.row_weights) {
        std::vector<TensorValue> heads;
        for (std::int64_t h = 0; h < layer.size(1); ++h) {
            heads.push_back(toTensorValue(layer.select(0, 0).select(0, h)));
        }
        value.weights.push_back(std::move(heads));
    }
    for (const AudioSlot& slot : run.batch.slots) {
        value.sources.push_back(toPreparedSource(slot, job.on.request));
    }
    value.edits = job.on.edits;
    if (run.kept != nullptr) {
        *run.kept = keptAttention(job, run, result, value);
    }
    return value;
}

SaliencyValue runSaliency(const SaliencyJob& job, const InstrumentRun& run) {
    const SaliencyOptions options{job.token, parse_saliency_method(job.method.toStdString()),
                                  toGenerateOptions(job.on, run)};
    const SaliencyResult result = saliency(run.session, run.batch, options, toEdits(job.on.edits));
    SaliencyValue value;
    value.token = job.token;
    value.method = job.method;
    value.answer = QString::fromStdString(result.answer.texts.at(0));
    value.piece = PieceReader(run.session.processor().tokenizer).piece(result.id);
    value.logProbability = result.logprob;
    value.logProbabilitySilence = result.logprob_silence.value_or(0);
    value.sum = result.sum;
    value.share = result.share;
    PreparedBatch map = run.batch;
    map.inputs.mel = result.mel;
    for (std::size_t a = 0; a < map.slots.size(); ++a) {
        value.maps.push_back(sourceMel(map, a));
        addTotals(value, value.maps.back());
    }
    value.edits = job.on.edits;
    if (run.kept != nullptr) {
        *run.kept = keptSaliency(job, run, result);
    }
    return value;
}

PassEstimate estimatePass(const PassJob& job, const InstrumentRun& run) {
    PassEstimate estimate;
    estimate.request = job.on.request;
    try {
        CallOptions quiet;  // who runs something else sees the progress of that
        quiet.stop = run.call.stop;
        const PassCost cost =
            measure_pass(run.session, run.batch, kMeasuredSeconds, kMeasuredBytes, quiet);
        estimate.forwardSeconds = cost.forward_seconds;
        estimate.seconds = cost.seconds;
        estimate.bytes = cost.bytes;
        estimate.measured = cost.measured;
    } catch (const RequestError& error) {
        estimate.problem = QString::fromUtf8(error.what());
    }
    return estimate;
}

AlternativesValue runAlternatives(const AlternativesJob& job, const InstrumentRun& run) {
    GenerateOptions options = toGenerateOptions(job.on, run);
    if (job.continueToken >= 0) {
        options.replace = TokenReplacement{job.continueToken, job.continueId};
    }
    const AlternativesResult result =
        token_alternatives(run.session, run.batch, job.topK, options, toEdits(job.on.edits));
    AlternativesValue value;
    value.text = QString::fromStdString(result.answer.texts.at(0));
    value.finish = QString::fromStdString(std::string(finish_name(result.answer.finish.at(0))));
    const std::vector<TokenValue> rows = answerRows(run, result.answer);
    PieceReader reader(run.session.processor().tokenizer);
    for (std::size_t g = 0; g < rows.size(); ++g) {
        const TokenAlternatives& token = result.tokens.at(0).at(g);
        AlternativeToken one{
            rows[g], static_cast<float>(token.logprob), static_cast<float>(token.entropy), {}};
        for (const TokenChoice& choice : token.top) {
            one.top.push_back(toChoice(reader, choice.id, choice.logprob));
        }
        value.tokens.push_back(std::move(one));
    }
    value.continueToken = job.continueToken;
    value.edits = job.on.edits;
    if (run.kept != nullptr) {
        *run.kept = keptAlternatives(job, run, result);
    }
    value.request = job.on.request;
    value.record = toRecord(run, job.on, options, result.answer);
    return value;
}

}  // namespace earscope
