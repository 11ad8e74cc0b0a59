#include "core/base/utc_time.h"
#include "core/export/tensor_export.h"
#include "core/models/dtype_text.h"

#include <ATen/ATen.h>

namespace earscope {
namespace {

/// Version of the manifest's own layout.
constexpr int kManifestFormat = 1;

nlohmann::json requests_of(const PreparedBatch& batch) {
    nlohmann::json requests = nlohmann::json::array();
    for (std::size_t b = 0; b < batch.prompts.size(); ++b) {
        nlohmann::json audios = nlohmann::json::array();
        for (const AudioSlot& slot : batch.slots) {
            if (slot.sample_index == static_cast<std::int64_t>(b)) {
                audios.push_back({{"name", slot.name},
                                  {"sample_rate", slot.sample_rate},
                                  {"duration_s", slot.duration_seconds}});
            }
        }
        nlohmann::json request = {{"prompt", batch.prompts[b]}, {"audios", std::move(audios)}};
        if (b < batch.prompt_with_markers.size()) {
            request["prompt_with_markers"] = batch.prompt_with_markers[b];
        }
        if (b < batch.prompt_tokens.size()) {
            request["prompt_tokens"] = batch.prompt_tokens[b];
        }
        requests.push_back(std::move(request));
    }
    return requests;
}

nlohmann::json slots_of(const PreparedBatch& batch, Family family) {
    nlohmann::json slots = nlohmann::json::array();
    for (const AudioSlot& slot : batch.slots) {
        nlohmann::json entry = {
            {"sample_index", slot.sample_index},   {"audio_index", slot.audio_index},
            {"n_tokens", slot.token_count},        {"seconds_per_token", slot.seconds_per_token},
            {"duration_s", slot.duration_seconds}, {"notices", slot.notices}};
        if (family == Family::MusicFlamingo) {
            entry["windows"] = slot.windows;
            entry["window_tokens"] = slot.window_tokens;
        } else {
            entry["chunks"] = slot.chunks;
        }
        slots.push_back(std::move(entry));
    }
    return slots;
}

nlohmann::json conventions_of(Family family) {
    const bool flamingo = family == Family::MusicFlamingo;
    nlohmann::json conventions = {
        {"sources", "numbered over the whole batch in sample/source order"},
        {"layers",
         "0 is the decoder input, l the output of decoder layer l-1, the last one is after the "
         "final norm; negative numbers count from the end"},
        {"raw", flamingo ? "encoder output after its final norm, before the rotary time embedding"
                         : "encoder output after its final norm"},
        {"projected",
         flamingo ? "after rotary time embedding and projector" : "after the audio adapter"},
        {"token_positions", "indexes into the padded row of input_ids"},
        {"time_s", "second in its source at which each audio token begins"},
        {"pooling", "none"},
        {"normalization", "none"},
    };
    if (!flamingo) {
        conventions["hidden"] = "language layers after the addition of DeepStack";
    }
    return conventions;
}

}  // namespace

nlohmann::json make_manifest(const Session& session, const PreparedBatch& batch,
                             const nlohmann::json& extra) {
    const Snapshot& snapshot = session.snapshot();
    const LoadOptions& options = session.options();
    nlohmann::json manifest = {
        {"format", kManifestFormat},
        {"version", EARSCOPE_VERSION},
        {"snapshot", snapshot.name},
        {"family", family_name(session.family())},
        {"dtype", dtype_text(options.dtype)},
        {"device", session.device_name()},
        {"attention", options.attention == Attention::Sdpa ? "sdpa" : "eager"},
        {"context_length", session.context_length()},
        {"requests", requests_of(batch)},
        {"slots", slots_of(batch, session.family())},
        {"conventions", conventions_of(session.family())},
        {"profile", nullptr},
        {"time", utc_time()},
    };
    if (session.family() == Family::MossMusic) {
        manifest["chunk_padding"] =
            options.chunk_padding == ChunkPadding::Reference ? "reference" : "independent";
    }
    if (extra.is_object()) {
        manifest.update(extra);
    }
    return manifest;
}

}  // namespace earscope
