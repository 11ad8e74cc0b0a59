#include "core/bridge/instrument_export.h"

#include "core/base/atomic_file.h"
#include "core/base/errors.h"
#include "core/bridge/instrument_jobs.h"
#include "core/instruments/result_tensors.h"

#include <ATen/ATen.h>

namespace earscope {
namespace {

/// The tensor, on the CPU. One of float32 shares the memory of the window's value.
at::Tensor shared(const at::Tensor& tensor, const TensorValue& value) {
    if (tensor.scalar_type() != at::kFloat || !value.data ||
        tensor.numel() != static_cast<std::int64_t>(value.data->size()) || tensor.numel() == 0) {
        return tensor.cpu();
    }
    // Nobody writes through it: the export reads.
    auto* const data = const_cast<float*>(value.data->data());
    return at::from_blob(
        data, tensor.sizes(), [held = value.data](void*) {}, at::kFloat);
}

/// One matrix per head as [1,H,rows,keys].
at::Tensor stacked(const std::vector<TensorValue>& heads) {
    std::vector<at::Tensor> parts;
    parts.reserve(heads.size());
    for (const TensorValue& head : heads) {
        parts.push_back(at::from_blob(const_cast<float*>(head.data->data()),
                                      {head.rows(), head.columns()}, at::kFloat));
    }
    return at::stack(parts).unsqueeze(0);
}

nlohmann::json manifestOf(const InstrumentRequest& on, const InstrumentRun& run,
                          nlohmann::json extra) {
    if (!on.edits.isEmpty()) {
        extra["edits"] = edit_texts(toEdits(on.edits));
    }
    return make_manifest(run.session, run.batch, extra);
}

/// What decides an answer, where one was generated.
nlohmann::json answerOf(const InstrumentRequest& on) {
    return {{"profile", on.profile.toStdString()},
            {"generation", {{"max_new_tokens", on.maxNewTokens}, {"seed", on.seed}}}};
}

std::vector<std::int64_t> toLong(const std::vector<int>& numbers) {
    return {numbers.begin(), numbers.end()};
}

std::function<std::vector<NamedTensor>()> always(std::vector<NamedTensor> tensors) {
    return [tensors = std::move(tensors)] { return tensors; };
}

std::vector<NamedTensor> joined(std::vector<NamedTensor> first,
                                const std::vector<NamedTensor>& more) {
    first.insert(first.end(), more.begin(), more.end());
    return first;
}

nlohmann::json statisticsOf(const Capture& capture) {
    const Statistics& s = capture.statistics;
    return {{"shape", capture.full_shape},
            {"norm", s.norm()},
            {"mean", s.mean},
            {"min", s.minimum},
            {"max", s.maximum},
            {"kurtosis", s.kurtosis()},
            {"nan", s.nan_count},
            {"infinite", s.infinity_count},
            {"calls", s.calls}};
}

}  // namespace

QStringList tensorNames(const std::vector<NamedTensor>& tensors) {
    QStringList names;
    for (const NamedTensor& named : tensors) {
        names.append(QString::fromStdString(named.name));
    }
    return names;
}

KeptResult keptProbes(const ProbeJob& job, const InstrumentRun& run, const CaptureResult& result,
                      const ProbesValue& value) {
    nlohmann::json extra = result.answer ? answerOf(job.on) : nlohmann::json::object();
    for (const QString& probe : job.probes) {
        extra["probes"].push_back(probe.toStdString());
    }
    std::vector<Capture> captures = result.captures;
    for (std::size_t i = 0; i < captures.size(); ++i) {
        extra["statistics"][captures[i].name] = statisticsOf(captures[i]);
        if (captures[i].values.defined()) {
            captures[i].values = shared(captures[i].values, value.captures[i].values);
        }
    }
    const std::vector<NamedTensor> kept = probe_tensors(captures);
    KeptResult made{0, {}, manifestOf(job.on, run, extra), {}};
    if (!kept.empty()) {
        made.tensors = always(joined(position_tensors(run.batch), kept));
    }
    return made;
}

KeptResult keptLens(const LensJob& job, const InstrumentRun& run, const LensResult& result) {
    return {0,
            always(joined(position_tensors(run.batch), lens_tensors(result, toLong(job.layers)))),
            manifestOf(job.on, run, nlohmann::json::object()),
            {}};
}

KeptResult keptAttention(const AttentionJob& job, const InstrumentRun& run,
                         const AttentionResult& result, const AttentionValue& value) {
    nlohmann::json extra = job.firstRow < 0 ? answerOf(job.on) : nlohmann::json::object();
    extra["heads"] = job.heads;  // empty: all
    if (job.firstRow >= 0) {
        extra["rows"] = {job.firstRow, job.endRow};
    }
    auto tensors = [weights = value.weights, ids = result.generated_ids, job,
                    slots = run.batch.slots, positions = position_tensors(run.batch)] {
        AttentionResult again;
        again.generated_ids = ids;
        for (const auto& heads : weights) {
            (job.firstRow < 0 ? again.weights : again.row_weights).push_back(stacked(heads));
        }
        return joined(positions, attention_tensors(again, slots, toLong(job.layers)));
    };
    return {0, std::move(tensors), manifestOf(job.on, run, extra), {}};
}

KeptResult keptSaliency(const SaliencyJob& job, const InstrumentRun& run,
                        const SaliencyResult& result) {
    nlohmann::json extra = answerOf(job.on);
    extra["saliency"] = {
        {"token", job.token},        {"id", result.id},   {"method", job.method.toStdString()},
        {"logprob", result.logprob}, {"sum", result.sum}, {"share", result.share}};
    if (result.logprob_silence) {
        extra["saliency"]["logprob_silence"] = *result.logprob_silence;
    }
    return {0,
            always(joined(position_tensors(run.batch), {{"saliency.mel", result.mel}})),
            manifestOf(job.on, run, extra),
            {}};
}

KeptResult keptAlternatives(const AlternativesJob& job, const InstrumentRun& run,
                            const AlternativesResult& result) {
    KeptResult kept;
    nlohmann::ordered_json out = alternatives_json(
        run.session.processor(), parse_profile(job.on.profile.toStdString()), result);
    if (job.continueToken >= 0) {
        out["continue_with"] = {{"token", job.continueToken}, {"id", job.continueId}};
    }
    out["earscope"] = manifestOf(job.on, run, answerOf(job.on));
    kept.document =
        out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
    return kept;
}

KeptResult keptLayers(const LayersJob& job, const InstrumentRun& run, const LayerViews& views,
                      const LayersValue& value) {
    LayerViews kept = views;
    for (std::size_t i = 0; i < kept.states.size(); ++i) {
        kept.states[i] = shared(kept.states[i], value.states[i]);
    }
    return {0,
            always(joined(position_tensors(run.batch), layer_tensors(kept, toLong(job.layers)))),
            manifestOf(job.on, run, nlohmann::json::object()),
            {}};
}

QStringList writeKept(const KeptResult& kept, const std::filesystem::path& file,
                      const std::stop_token& stop, const ProgressCallback& progress) {
    if (!kept.document.empty()) {
        if (file.extension() != ".json") {
            throw ExportError("cannot write " + file.string() + ": the ending must be .json");
        }
        AtomicFile target(file);
        target.expect(kept.document.size());
        throw_if_stopped(stop);
        target.write(kept.document.data(), kept.document.size());
        target.commit();
        return {};
    }
    if (!kept.tensors) {
        throw RequestError("only statistics were kept, there is no tensor to write");
    }
    check_export_target(file);
    const std::vector<NamedTensor> tensors = kept.tensors();
    export_tensors(file, tensors, kept.manifest, stop, progress);
    return tensorNames(tensors);
}

}  // namespace earscope
