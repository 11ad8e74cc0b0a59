#pragma once
#include "core/base/progress.h"
#include "core/models/model.h"
#include "core/request.h"
#include "core/snapshot/snapshot.h"
#include "core/tokenizer/tokenizer.h"

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace earscope {

struct LoadOptions {
    std::string device =
        "cuda:0";  ///< "cpu", "cuda:N", or "auto": CUDA where there is one, else the CPU
    at::ScalarType dtype = at::kBFloat16;
    Attention attention = Attention::Sdpa;
    ChunkPadding chunk_padding = ChunkPadding::Reference;  ///< MOSS-Music only
    std::stop_token stop;
    ProgressCallback progress;
};

/// Where one source stands in a batch. Sources are numbered a = 0, 1, ... over the whole batch in
/// sample/source order.
struct AudioSlot {
    std::int64_t sample_index = 0;
    std::int64_t audio_index = 0;
    std::string name;              ///< file name, or "waveform"
    std::int64_t sample_rate = 0;  ///< of the source, Hz
    std::int64_t token_count = 0;  ///< U_i
    at::Tensor token_positions;    ///< int64 [U_i], indexes into the padded row
    at::Tensor time_s;  ///< float32 [U_i], second at which each token begins in its source
    double seconds_per_token = 0;
    double duration_seconds = 0;              ///< what the model is given
    std::int64_t windows = 0;                 ///< Music Flamingo: 30 s windows
    std::vector<std::int64_t> window_tokens;  ///< Music Flamingo: audio tokens of each window
    std::vector<std::int64_t> window_frames;  ///< Music Flamingo: valid mel frames of each window
    std::vector<std::int64_t> chunks;         ///< MOSS-Music: mel frames of each chunk
    std::vector<std::string> notices;         ///< English sentences: down-mixed, cut, ...
};

/// What `prepare` gives: the model's inputs and where everything in them comes from.
struct PreparedBatch {
    ModelInputs inputs;
    std::vector<AudioSlot> slots;                  ///< A
    std::vector<std::string> prompts;              ///< B, as given
    std::vector<std::string> prompt_with_markers;  ///< B
    std::vector<std::string> expanded_prompt;      ///< B
    std::vector<std::int64_t> prompt_tokens;       ///< B, ids without padding
    std::vector<at::Tensor> resampled;             ///< A, float32 [n] at 16 kHz, after the cap
};

struct AudioEmbedding {
    std::int64_t sample_index = 0;
    std::int64_t audio_index = 0;
    at::Tensor raw;        ///< [U_i,C] encoder output (Music Flamingo: before RoTE)
    at::Tensor projected;  ///< [U_i,D]
    std::vector<at::Tensor> deepstack_raw;        ///< MOSS-Music: 3 of [U_i,C]
    std::vector<at::Tensor> deepstack_projected;  ///< MOSS-Music: 3 of [U_i,D]
};

/// One source: requested layer (as asked, so -1 stays -1) -> [U_i,D].
using ContextualEmbedding = std::map<std::int64_t, at::Tensor>;

struct CallOptions {
    bool grad = false;  ///< record for autograd; nothing is detached
    std::stop_token stop;
    ProgressCallback progress;
};

enum class Profile { PaperReference, GenericSampled };
std::string_view profile_name(Profile profile);  ///< "paper_reference", "generic_sampled"
/// @throws RequestError names the two there are
Profile parse_profile(std::string_view name);

/// What a profile means for a family; a changed copy of one can be given to `generate`.
struct SamplingParameters {
    bool sample = false;
    double temperature = 1.0;
    double top_p = 1.0;
    std::int64_t top_k = 0;
    std::int64_t max_new_tokens = 16'384;
};
SamplingParameters sampling_parameters(Profile profile, Family family);

/// Text that came since the last event.
struct StreamEvent {
    std::int64_t sample_index = 0;
    std::int64_t token_id = 0;
    std::string text;
    std::int64_t tokens_done = 0;  ///< of this request
};

/// Another choice for one token of an answer.
struct TokenReplacement {
    std::int64_t index = 0;  ///< of the generated token
    std::int64_t id = 0;
};

struct GenerateOptions {
    Profile profile = Profile::PaperReference;
    std::optional<SamplingParameters> parameters;  ///< instead of the profile's
    std::optional<std::int64_t> max_new_tokens;
    std::uint64_t seed = 3407;
    std::stop_token stop;
    ProgressCallback progress;
    std::function<void(const StreamEvent&)> on_token;  ///< on the computing thread
    /// One request: the answer goes on with this id in the place of the token chosen there; what
    /// stands before stays, and sampling begins its seed's stream anew behind it.
    std::optional<TokenReplacement> replace;
    /// Sees, on the computing thread, the logits of each step, float32 [B,V] before temperature and
    /// cuts, and the ids chosen, int64 [B] (rows that ended: meaningless).
    std::function<void(const at::Tensor& logits, const at::Tensor& chosen)> on_logits;
};

enum class Finish { Eos, Length };
std::string_view finish_name(Finish finish);  ///< "eos", "length"

struct GenerateResult {
    std::vector<std::string> texts;              ///< B
    std::vector<std::vector<std::int64_t>> ids;  ///< B, the stop token included
    std::vector<Finish> finish;                  ///< B
    double prefill_seconds = 0;
    double decode_seconds = 0;
    double tokens_per_second = 0;  ///< all rows, decoding alone
    std::int64_t prompt_width = 0;
    std::int64_t budget = 0;
};

/// A loaded snapshot. Calls must not overlap: the second one is refused at once with BusyError,
/// also from a hook. All methods throw RequestError/AudioError for refused input, DeviceError for
/// memory and device faults, Cancelled when their stop token was used; afterwards the session is
/// usable as before.
class Session {
public:
    ~Session();

    Model& model();
    const Processor& processor() const;
    const Snapshot& snapshot() const;
    const LoadOptions& options() const;
    c10::Device device() const;
    std::string device_name() const;  ///< "cpu", "cuda:0"
    Family family() const;
    std::int64_t context_length() const;

    /// Reads the audio, expands the prompts, tokenizes, pads on the left. One bad request refuses
    /// the whole call before any audio is encoded. Runs no model.
    PreparedBatch prepare(const std::vector<Request>& requests, const CallOptions& options = {});

    /// Encoder and projector only. @return A entries in sample/source order
    std::vector<AudioEmbedding> extract_audio_embeddings(const PreparedBatch& batch,
                                                         const CallOptions& options = {});

    /// A causal prefill without cache, then the audio positions of the layers asked for (0: decoder
    /// input, N or -1: after the final norm). Stops after the last layer needed.
    /// @return A entries
    std::vector<ContextualEmbedding> extract_contextual_embeddings(
        const PreparedBatch& batch, const std::vector<std::int64_t>& layers = {-1},
        const CallOptions& options = {});

    /// @return logits [B,1,V]; with output_hidden_states N+1 of [B,L,D]
    ModelOutput forward(const PreparedBatch& batch, bool output_hidden_states = false,
                        const CallOptions& options = {});
    /// The same with everything that the model can be asked for (full logits, chosen layers).
    ModelOutput forward(const PreparedBatch& batch, const ForwardOptions& forward,
                        const CallOptions& options = {});

    GenerateResult generate(const std::vector<Request>& requests,
                            const GenerateOptions& options = {});
    GenerateResult generate(const PreparedBatch& batch, const GenerateOptions& options = {});

private:
    friend std::shared_ptr<Session> load_model(const std::filesystem::path&, const LoadOptions&);
    Session();
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

/// Loads a local snapshot. Missing or unexpected tensors fail; a device that is not there is an
/// error that names those that are.
/// @throws SnapshotError, DeviceError, Cancelled
std::shared_ptr<Session> load_model(const std::filesystem::path& snapshot,
                                    const LoadOptions& options = {});

/// "cpu" and each "cuda:N" of this machine.
std::vector<std::string> available_devices();

}  // namespace earscope
