#pragma once
#include "core/base/progress.h"
#include "core/nn/module.h"
#include "core/tokenizer/tokenizer.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace earscope {

enum class Attention { Sdpa, Eager };
/// How a MOSS-Music chunk shorter than its neighbours is padded (contract/interfaces).
enum class ChunkPadding { Reference, Independent };

/// What `Model::forward` takes. B requests, A sources, W windows, L padded prompt width, F mel
/// frames.
struct ModelInputs {
    at::Tensor input_ids;       ///< int64 [B,L], padded on the left
    at::Tensor attention_mask;  ///< int64 [B,L], 0 at padding
    at::Tensor
        mel;  ///< Music Flamingo [W,128,3000], MOSS-Music [A,128,F_max]; undefined without audio
    at::Tensor feature_mask;                       ///< Music Flamingo: int32 [W,3000]
    at::Tensor feature_lengths;                    ///< MOSS-Music: int64 [A]
    std::vector<std::int64_t> slot_lengths;        ///< A, audio tokens of each source
    std::vector<std::int64_t> windows_per_source;  ///< Music Flamingo: A
    std::vector<std::int64_t> group_sizes;         ///< B, sources of each request
    /// Where ids of an answer follow the prompt: positions from here on are ordinary tokens, also
    /// where one has the id of audio. 0: all is prompt.
    std::int64_t prompt_width = 0;
};

/// Sees the queries [B,H,Q,Dh] and keys [B,G,K,Dh] of a decoder layer as they meet: after head
/// norms and rotary positions, keys of earlier steps included.
using AttentionObserver =
    std::function<void(std::int64_t layer, const at::Tensor& query, const at::Tensor& key)>;

struct ForwardOptions {
    bool full_logits = false;                 ///< logits of all positions [B,L,V], not the last
    bool no_logits = false;                   ///< leave the output head out
    std::vector<std::int64_t> hidden_layers;  ///< hidden states to keep, 0..N
    /// End after the last layer of hidden_layers (then there are no logits), unless a hook waits
    /// further up.
    bool stop_after_hidden = false;
    /// What is kept of a hidden state [B,L,D]; all of it when empty.
    std::function<at::Tensor(const at::Tensor&)> keep;
    /// Run only so many decoder layers and end there (then there are no logits), whatever hooks
    /// wait further up. More than there are: all of them and the rest of the model.
    std::optional<std::int64_t> run_layers;
    AttentionObserver on_attention;
    std::stop_token stop;
    ProgressCallback progress;
};

struct ModelOutput {
    at::Tensor logits;  ///< [B,1,V] or [B,L,V], in the model's dtype
    std::vector<at::Tensor>
        hidden_states;  ///< one [B,L,D] per entry of hidden_layers, in its order
};

/// Flat audio streams of a batch, U tokens back to back in sample/source order.
struct AudioFeatures {
    at::Tensor raw;                               ///< [U,C]
    at::Tensor projected;                         ///< [U,D]
    std::vector<at::Tensor> deepstack_raw;        ///< [U,C] each
    std::vector<at::Tensor> deepstack_projected;  ///< [U,D] each
};

class KvCache;  // core/nn/qwen_decoder.h

/// Turns a prompt and its sources into ids, as the family does. Holds the tokenizer and the special
/// ids.
struct Processor {
    Tokenizer tokenizer;
    std::int64_t audio_token_id = 0;
    std::int64_t audio_begin_id = 0;
    std::int64_t audio_end_id = 0;
    std::vector<std::int64_t> eos_token_ids;
    std::int64_t pad_token_id = 0;
};

/// Either family, with the reference's module and parameter names. Evaluation mode only.
class Model : public Module {
public:
    using Module::Module;

    virtual std::int64_t layer_count() const = 0;  ///< decoder layers N
    virtual std::int64_t hidden_size() const = 0;  ///< D
    virtual std::int64_t audio_width() const = 0;  ///< C
    virtual std::int64_t vocab_size() const = 0;   ///< V
    virtual std::int64_t context_length() const = 0;
    virtual std::int64_t head_count() const = 0;  ///< H, query heads of a decoder layer
    virtual std::int64_t head_dim() const = 0;    ///< Dh

    /// Position of the first row of the forward in progress, for hooks: more than 0 in the steps of
    /// a generation.
    std::int64_t first_position() const { return first_position_; }
    /// The output head on any hidden states, without hooks.
    /// @param states      [n,D]
    /// @param normalised  whether they went through the final norm already
    /// @return            logits [n,V] in the model's dtype
    virtual at::Tensor read_out(const at::Tensor& states, bool normalised) = 0;

    /// Encoder and projector. `inputs.mel` may require grad.
    virtual AudioFeatures encode_audio(const ModelInputs& inputs,
                                       const ForwardOptions& options = {}) = 0;
    /// Audio (where there is any) and text through the decoder without a cache.
    virtual ModelOutput forward(const ModelInputs& inputs, const ForwardOptions& options = {}) = 0;
    /// First forward of a generation: fills `cache`; logits [B,1,V].
    virtual at::Tensor prefill(const ModelInputs& inputs, KvCache& cache,
                               const ForwardOptions& options) = 0;
    /// One more token per row. @param ids int64 [B]  @return logits [B,1,V]
    virtual at::Tensor decode_step(const at::Tensor& ids, KvCache& cache,
                                   const ForwardOptions& options) = 0;

protected:
    std::int64_t first_position_ = 0;
};

}  // namespace earscope
