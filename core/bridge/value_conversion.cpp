#include "core/bridge/value_conversion.h"

#include "resources/demo_paths.h"

#include <ATen/ATen.h>
#include <QFile>

#include <algorithm>

namespace earscope {
namespace {

std::vector<double> toDoubles(const at::Tensor& tensor) {
    const at::Tensor plain = tensor.detach().to(at::kCPU, at::kDouble).contiguous();
    const double* begin = plain.const_data_ptr<double>();
    return {begin, begin + plain.numel()};
}

std::vector<int> toInts(const std::vector<std::int64_t>& numbers) {
    std::vector<int> result(numbers.size());
    std::transform(numbers.begin(), numbers.end(), result.begin(),
                   [](std::int64_t number) { return static_cast<int>(number); });
    return result;
}

std::vector<int> toInts(const at::Tensor& tensor) {
    const at::Tensor plain = tensor.detach().to(at::kCPU, at::kInt).contiguous();
    const int* begin = plain.const_data_ptr<int>();
    return {begin, begin + plain.numel()};
}

QStringList toStrings(const std::vector<std::string>& texts) {
    QStringList result;
    for (const std::string& text : texts) {
        result.append(QString::fromStdString(text));
    }
    return result;
}

/// Joins the valid frames of some rows of a mel input.
///
/// @param mel     [R,128,F]
/// @param first   first row of the source
/// @param frames  valid frames of each of its rows
/// @return        [128, sum of frames]
TensorValue joinedMel(const at::Tensor& mel, std::int64_t first,
                      const std::vector<std::int64_t>& frames) {
    std::int64_t total = 0;
    for (const std::int64_t count : frames) {
        total += count;
    }
    const std::int64_t bins = mel.size(1);
    auto data = std::make_shared<std::vector<float>>(static_cast<std::size_t>(bins * total));
    std::int64_t offset = 0;
    for (std::size_t r = 0; r < frames.size(); ++r) {
        const at::Tensor part = mel.select(0, first + static_cast<std::int64_t>(r))
                                    .narrow(1, 0, frames[r])
                                    .detach()
                                    .to(at::kCPU, at::kFloat)
                                    .contiguous();  // [128,frames]
        const float* row = part.const_data_ptr<float>();
        for (std::int64_t bin = 0; bin < bins; ++bin, row += frames[r]) {
            std::copy_n(row, frames[r], data->begin() + bin * total + offset);
        }
        offset += frames[r];
    }
    return {{bins, total}, std::move(data)};
}

QString pathOf(const RequestValue& request, std::int64_t audioIndex) {
    return request.audioPaths.value(static_cast<int>(audioIndex));
}

}  // namespace

TensorValue toTensorValue(const at::Tensor& tensor) {
    if (!tensor.defined()) {
        return {};
    }
    const at::Tensor plain = tensor.detach().to(at::kCPU, at::kFloat).contiguous();
    const float* begin = plain.const_data_ptr<float>();
    return {{plain.sizes().begin(), plain.sizes().end()},
            std::make_shared<const std::vector<float>>(begin, begin + plain.numel())};
}

TensorValue sourceMel(const PreparedBatch& batch, std::size_t a) {
    if (!batch.inputs.mel.defined()) {
        return {};
    }
    if (batch.inputs.feature_lengths.defined()) {  // MOSS-Music: one row per source
        const auto row = static_cast<std::int64_t>(a);
        return joinedMel(batch.inputs.mel, row,
                         {batch.inputs.feature_lengths[row].item<std::int64_t>()});
    }
    std::int64_t first = 0;
    for (std::size_t before = 0; before < a; ++before) {
        first += batch.slots[before].windows;
    }
    return joinedMel(batch.inputs.mel, first, batch.slots[a].window_frames);
}

PreparedSource toPreparedSource(const AudioSlot& slot, const RequestValue& request) {
    PreparedSource source;
    source.path = pathOf(request, slot.audio_index);
    source.tokens = static_cast<int>(slot.token_count);
    source.secondsPerToken = slot.seconds_per_token;
    source.durationSeconds = slot.duration_seconds;
    source.windowTokens = toInts(slot.window_tokens);
    source.chunkFrames = toInts(slot.chunks);
    source.tokenPositions = toInts(slot.token_positions);
    source.tokenSeconds = toDoubles(slot.time_s);
    source.notices = toStrings(slot.notices);
    return source;
}

PreparedValue toPreparedValue(const PreparedBatch& batch, const RequestValue& request,
                              const Session& session) {
    PreparedValue value;
    value.promptWithMarkers = QString::fromStdString(batch.prompt_with_markers.at(0));
    value.expandedPrompt = QString::fromStdString(batch.expanded_prompt.at(0));
    value.promptTokens = static_cast<int>(batch.prompt_tokens.at(0));
    value.contextLength = static_cast<int>(session.context_length());
    value.tokens = promptRows(batch, session.processor());
    for (std::size_t a = 0; a < batch.slots.size(); ++a) {
        PreparedSource source = toPreparedSource(batch.slots[a], request);
        source.mel = sourceMel(batch, a);
        value.audioTokens += source.tokens;
        value.sources.push_back(std::move(source));
    }
    return value;
}

EmbeddingsValue toEmbeddingsValue(const std::vector<AudioEmbedding>& embeddings,
                                  const PreparedBatch& batch, const RequestValue& request) {
    EmbeddingsValue value;
    for (std::size_t a = 0; a < embeddings.size(); ++a) {
        const AudioEmbedding& embedding = embeddings[a];
        SourceEmbeddings source;
        source.path = pathOf(request, embedding.audio_index);
        source.raw = toTensorValue(embedding.raw);
        source.projected = toTensorValue(embedding.projected);
        for (const at::Tensor& stream : embedding.deepstack_raw) {
            source.deepstackRaw.push_back(toTensorValue(stream));
        }
        for (const at::Tensor& stream : embedding.deepstack_projected) {
            source.deepstackProjected.push_back(toTensorValue(stream));
        }
        source.tokenSeconds = toDoubles(batch.slots.at(a).time_s);
        source.secondsPerToken = batch.slots[a].seconds_per_token;
        value.sources.push_back(std::move(source));
    }
    return value;
}

LoadOptions toLoadOptions(const LoadJob& job) {
    LoadOptions options;
    options.device = job.device.toStdString();
    if (job.dtype == QLatin1String("float32")) {
        options.dtype = at::kFloat;
    } else if (job.dtype == QLatin1String("bfloat16")) {
        options.dtype = at::kBFloat16;
    } else if (job.dtype == QLatin1String("float16")) {
        options.dtype = at::kHalf;
    } else {
        throw RequestError("dtype '" + job.dtype.toStdString() +
                           "' does not exist; there are float32, bfloat16 and float16");
    }
    if (job.attention == QLatin1String("sdpa")) {
        options.attention = Attention::Sdpa;
    } else if (job.attention == QLatin1String("eager")) {
        options.attention = Attention::Eager;
    } else {
        throw RequestError("attention '" + job.attention.toStdString() +
                           "' does not exist; there are sdpa and eager");
    }
    if (job.chunkPadding == QLatin1String("independent")) {
        options.chunk_padding = ChunkPadding::Independent;
    } else if (job.chunkPadding != QLatin1String("reference")) {
        throw RequestError("chunk padding '" + job.chunkPadding.toStdString() +
                           "' does not exist; there are reference and independent");
    }
    return options;
}

std::filesystem::path toSnapshotFolder(const QString& given) {
    return demo_snapshot(given.toStdString()).value_or(toPath(given));
}

std::filesystem::path toPath(const QString& path) {
    return QFile::encodeName(path).toStdString();
}

Request toRequest(const RequestValue& request) {
    // Half a surrogate pair becomes U+FFFD here; left to the UTF-8 conversion it would be a
    // question mark, which nobody could tell from one that was written.
    Request result{QString::fromStdU32String(request.prompt.toStdU32String()).toStdString(), {}};
    for (const QString& path : request.audioPaths) {
        result.audios.emplace_back(toPath(path));
    }
    return result;
}

}  // namespace earscope
