#include "core/models/prepare.h"

#include "audio/decode.h"
#include "audio/resample.h"
#include "core/features/log_mel.h"
#include "core/models/music_flamingo.h"
#include "core/models/prompt.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>

namespace earscope {
namespace {

constexpr std::int64_t kMaxSamples = kMaxWindows * kWindowSamples;

/// A source at 16 kHz after the cap, with what the slot says about it.
struct HeardSource {
    AudioSlot slot;
    at::Tensor samples;  // float32 [n]
    at::Tensor mel;      // Music Flamingo [W,128,3000], MOSS-Music [128,F]
};

std::string plain_seconds(double seconds) {
    std::ostringstream text;
    text << seconds;
    return text.str();
}

Waveform read_source(const AudioSource& source, AudioSlot& slot, const CallOptions& options) {
    Waveform waveform;
    if (const auto* path = std::get_if<std::filesystem::path>(&source)) {
        DecodedAudio decoded = decode_file(*path, options.stop, options.progress);
        slot.name = path->filename().string();
        slot.notices = std::move(decoded.notices);
        waveform = std::move(decoded.waveform);
    } else {
        slot.name = "waveform";
        waveform = std::get<Waveform>(source);
    }
    check_waveform(waveform, slot.name);
    slot.sample_rate = waveform.sample_rate;
    return waveform;
}

/// Resamples, caps and keeps the samples as a tensor.
void hear(HeardSource& source, const Waveform& waveform, Family family,
          const CallOptions& options) {
    AudioSlot& slot = source.slot;
    std::vector<float> samples = resample_poly(waveform.samples, waveform.sample_rate,
                                               kModelSampleRate, options.stop, options.progress);
    if (waveform.sample_rate != kModelSampleRate) {
        slot.notices.push_back("resampled from " + std::to_string(waveform.sample_rate) +
                               " Hz to 16000 Hz");
    }
    if (family == Family::MusicFlamingo &&
        static_cast<std::int64_t>(samples.size()) > kMaxSamples) {
        slot.notices.push_back(
            "cut to the first 1200 s of " +
            plain_seconds(static_cast<double>(samples.size()) / kModelSampleRate) +
            " s: Music Flamingo hears no more of a source");
        samples.resize(static_cast<std::size_t>(kMaxSamples));
    }
    slot.duration_seconds =
        static_cast<double>(samples.size()) / static_cast<double>(kModelSampleRate);
    auto* held = new std::vector<float>(std::move(samples));  // owned by the tensor's deleter
    source.samples = at::from_blob(
        held->data(), {static_cast<std::int64_t>(held->size())}, [held](void*) { delete held; },
        at::kFloat);
}

std::span<const float> samples_of(const HeardSource& source) {
    return {source.samples.const_data_ptr<float>(),
            static_cast<std::size_t>(source.samples.numel())};
}

void cut_windows(HeardSource& source) {
    AudioSlot& slot = source.slot;
    const std::int64_t count = source.samples.numel();
    for (std::int64_t begin = 0; begin < count; begin += kWindowSamples) {
        const std::int64_t frames = valid_frames(std::min(kWindowSamples, count - begin));
        slot.window_frames.push_back(frames);
        slot.window_tokens.push_back(window_token_count(frames));
        slot.token_count += slot.window_tokens.back();
    }
    slot.windows = static_cast<std::int64_t>(slot.window_frames.size());
    slot.seconds_per_token = 0.04;
}

void cut_chunks(HeardSource& source) {
    constexpr std::int64_t kChunkFrames = 400;
    AudioSlot& slot = source.slot;
    const std::int64_t frames = source.samples.numel() / kHopSamples;
    for (std::int64_t begin = 0; begin < frames; begin += kChunkFrames) {
        slot.chunks.push_back(std::min(kChunkFrames, frames - begin));
    }
    slot.token_count = (frames + 7) / 8;
    slot.seconds_per_token = 0.08;
}

/// Seconds at which the tokens begin.
at::Tensor token_times(const AudioSlot& slot, Family family) {
    at::Tensor times = at::empty({slot.token_count}, at::kFloat);
    float* out = times.mutable_data_ptr<float>();
    if (family == Family::MossMusic) {
        for (std::int64_t i = 0; i < slot.token_count; ++i) {
            out[i] = static_cast<float>(static_cast<double>(i) * 0.08);
        }
        return times;
    }
    for (std::size_t w = 0; w < slot.window_tokens.size(); ++w) {
        for (std::int64_t i = 0; i < slot.window_tokens[w]; ++i) {
            *out++ =
                static_cast<float>(30.0 * static_cast<double>(w)) + static_cast<float>(i) * 0.04F;
        }
    }
    return times;
}

HeardSource hear_source(const AudioSource& given, Family family, const CallOptions& options) {
    HeardSource source;
    throw_if_stopped(options.stop);
    const Waveform waveform = read_source(given, source.slot, options);
    hear(source, waveform, family, options);
    family == Family::MusicFlamingo ? cut_windows(source) : cut_chunks(source);
    if (source.slot.token_count == 0) {
        throw RequestError("'" + source.slot.name + "' lasts " +
                           plain_seconds(source.slot.duration_seconds) +
                           " s, which is below one audio token; use a longer source");
    }
    throw_if_stopped(options.stop);
    source.mel = family == Family::MusicFlamingo ? log_mel_windows(samples_of(source))
                                                 : log_mel_source(samples_of(source));
    if (!at::isfinite(source.mel).all().item<bool>()) {
        throw AudioError("'" + source.slot.name +
                         "' is too loud: its mel spectrogram overflows (largest sample " +
                         plain_seconds(source.samples.abs().max().item<double>()) +
                         "); scale the samples to about -1..1");
    }
    source.slot.time_s = token_times(source.slot, family);
    return source;
}

/// Left-pads the rows and moves the slot positions along.
void fill_rows(PreparedBatch& batch, const std::vector<ExpandedPrompt>& rows, std::int64_t pad_id) {
    std::size_t width = 0;
    for (const auto& row : rows) {
        width = std::max(width, row.ids.size());
    }
    const std::vector<std::int64_t> shape{static_cast<std::int64_t>(rows.size()),
                                          static_cast<std::int64_t>(width)};
    at::Tensor ids = at::full(shape, pad_id, at::kLong);
    at::Tensor mask = at::zeros(shape, at::kLong);
    std::size_t slot = 0;
    for (std::size_t b = 0; b < rows.size(); ++b) {
        const std::size_t shift = width - rows[b].ids.size();
        std::copy(rows[b].ids.begin(), rows[b].ids.end(),
                  ids.mutable_data_ptr<std::int64_t>() + b * width + shift);
        mask.select(0, static_cast<std::int64_t>(b))
            .narrow(0, static_cast<std::int64_t>(shift),
                    static_cast<std::int64_t>(rows[b].ids.size()))
            .fill_(1);
        for (const auto& positions : rows[b].positions) {
            batch.slots[slot++].token_positions =
                at::tensor(positions, at::kLong) + static_cast<std::int64_t>(shift);
        }
        batch.prompt_tokens.push_back(static_cast<std::int64_t>(rows[b].ids.size()));
        batch.expanded_prompt.push_back(rows[b].text);
    }
    batch.inputs.input_ids = ids;
    batch.inputs.attention_mask = mask;
}

void fill_windows(ModelInputs& inputs, const std::vector<HeardSource>& sources) {
    std::vector<at::Tensor> mels;
    std::vector<std::int64_t> frames;
    mels.reserve(sources.size());
    for (const HeardSource& source : sources) {
        mels.push_back(source.mel);
        frames.insert(frames.end(), source.slot.window_frames.begin(),
                      source.slot.window_frames.end());
        inputs.windows_per_source.push_back(source.slot.windows);
    }
    inputs.mel = mels.size() == 1 ? mels.front() : at::cat(mels);
    const at::Tensor counts = at::tensor(frames, at::kLong).unsqueeze(1);
    inputs.feature_mask = (at::arange(kWindowFrames, at::kLong).unsqueeze(0) < counts).to(at::kInt);
}

void fill_sources(ModelInputs& inputs, const std::vector<HeardSource>& sources) {
    std::vector<std::int64_t> lengths;
    for (const HeardSource& source : sources) {
        lengths.push_back(source.mel.size(1));
    }
    const std::int64_t longest = *std::max_element(lengths.begin(), lengths.end());
    inputs.mel =
        at::zeros({static_cast<std::int64_t>(sources.size()), kMelBins, longest}, at::kFloat);
    for (std::size_t a = 0; a < sources.size(); ++a) {
        inputs.mel.select(0, static_cast<std::int64_t>(a))
            .narrow(1, 0, lengths[a])
            .copy_(sources[a].mel);
    }
    inputs.feature_lengths = at::tensor(lengths, at::kLong);
}

void move_inputs(ModelInputs& inputs, c10::Device device) {
    for (at::Tensor* tensor : {&inputs.input_ids, &inputs.attention_mask, &inputs.mel,
                               &inputs.feature_mask, &inputs.feature_lengths}) {
        if (tensor->defined()) {
            *tensor = tensor->to(device);
        }
    }
}

}  // namespace

PreparedBatch prepare_requests(const std::vector<Request>& requests, const Processor& processor,
                               Family family, c10::Device device, const CallOptions& options) {
    if (requests.empty()) {
        throw RequestError("no request was given; at least one is needed");
    }
    for (const Request& request : requests) {
        check_request(request, processor.tokenizer);
    }
    std::vector<HeardSource> sources;
    for (std::size_t b = 0; b < requests.size(); ++b) {
        for (std::size_t i = 0; i < requests[b].audios.size(); ++i) {
            sources.push_back(hear_source(requests[b].audios[i], family, options));
            sources.back().slot.sample_index = static_cast<std::int64_t>(b);
            sources.back().slot.audio_index = static_cast<std::int64_t>(i);
            report(options.progress, Stage::Mel, static_cast<std::int64_t>(sources.size()), 0);
        }
    }
    PreparedBatch batch;
    std::vector<ExpandedPrompt> rows;
    std::size_t first = 0;
    for (const Request& request : requests) {
        std::vector<std::int64_t> tokens;
        for (std::size_t i = 0; i < request.audios.size(); ++i) {
            tokens.push_back(sources[first + i].slot.token_count);
        }
        first += tokens.size();
        batch.prompts.push_back(request.prompt);
        batch.prompt_with_markers.push_back(
            prompt_with_markers(request.prompt, request.audios.size(), family));
        rows.push_back(expand_prompt(batch.prompt_with_markers.back(), tokens, processor, family));
        batch.inputs.group_sizes.push_back(static_cast<std::int64_t>(tokens.size()));
        batch.inputs.slot_lengths.insert(batch.inputs.slot_lengths.end(), tokens.begin(),
                                         tokens.end());
    }
    if (!sources.empty()) {
        family == Family::MusicFlamingo ? fill_windows(batch.inputs, sources)
                                        : fill_sources(batch.inputs, sources);
    }
    for (HeardSource& source : sources) {
        batch.slots.push_back(std::move(source.slot));
        batch.resampled.push_back(std::move(source.samples));
    }
    fill_rows(batch, rows, processor.pad_token_id);
    move_inputs(batch.inputs, device);
    return batch;
}

}  // namespace earscope
