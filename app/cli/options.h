#pragma once
#include "core/instruments/attention_maps.h"
#include "core/instruments/edits.h"
#include "core/instruments/gradients.h"
#include "core/instruments/positions.h"
#include "core/instruments/saliency.h"
#include "core/session.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace earscope::cli {

/// Wrong use of the command line (exit status 2).
class UsageError : public Error {
public:
    using Error::Error;
};

enum class Command {
    Inspect,
    Modules,
    Prepare,
    Generate,
    Compare,
    Extract,
    Forward,
    Lens,
    Attention,
    Saliency,
    Alternatives,
    Tokenize,
    Frontend,
    SelfCheck
};

/// `--layers`: numbers as the user wrote them, negative ones count from the end.
struct LayerSelection {
    bool all = false;
    std::vector<std::int64_t> layers;
};

/// `--grad` and `--wrt`.
struct GradientSelection {
    GradientLoss loss = GradientLoss::Audio;
    std::vector<std::string> names;
};

/// What `compare` does otherwise in its second column.
struct ColumnChanges {
    std::optional<Profile> profile;
    std::optional<double> temperature;
    std::optional<double> top_p;
    std::optional<std::int64_t> top_k;
    std::optional<std::int64_t> max_new_tokens;
    std::optional<std::uint64_t> seed;

    bool sampling() const { return temperature || top_p || top_k || seed; }
};

/// Which of the two log-mels `frontend` computes.
enum class FeaturePath { Torch, Numpy };

/// The command line. What was not given is empty, so that a request file's values and defaults that
/// depend on the device can be told apart from the user's.
struct Options {
    Command command = Command::Inspect;
    std::string snapshot;  ///< folder, "demo" or "demo-moss"

    std::optional<std::filesystem::path> request_file;
    std::optional<std::string> prompt;
    std::vector<std::string> audio;

    std::string device = "auto";
    std::optional<at::ScalarType> dtype;
    Attention attention = Attention::Sdpa;
    ChunkPadding chunk_padding = ChunkPadding::Reference;
    std::optional<int> threads;

    std::optional<Profile> profile;
    std::optional<std::int64_t> max_new_tokens;
    std::optional<std::uint64_t> seed;
    bool stream = false;

    std::optional<std::string> snapshot_b;  ///< of `compare`
    ColumnChanges column_b;
    std::vector<std::filesystem::path> outs;  ///< of `compare`; their endings were checked

    std::optional<LayerSelection> layers;
    bool full_logits = false;
    std::vector<std::string> probes;
    std::vector<Edit> edits;
    std::optional<GradientSelection> gradients;

    Positions positions = Positions::Audio;
    std::int64_t top_k = 5;
    std::vector<std::int64_t> heads;  ///< empty: all
    std::optional<PositionSpan> rows;
    std::int64_t token = 0;
    SaliencyMethod method;
    std::optional<TokenReplacement> continue_with;

    FeaturePath feature_path = FeaturePath::Torch;
    std::vector<std::filesystem::path> files;  ///< of `frontend`

    std::optional<std::filesystem::path> out;  ///< its ending was checked
};

/// What main does after parsing: run `options`, or print `text` (help, version, a complaint) and
/// end.
struct ParsedLine {
    std::optional<Options> options;
    std::string text;
    int status = 0;
};

ParsedLine parse_command_line(const std::vector<std::string>& arguments);

/// "all" or whole numbers with commas.
/// @throws UsageError
LayerSelection parse_layers(const std::string& text);

/// "float32", "bfloat16" or "float16"; nothing for any other text.
std::optional<at::ScalarType> parse_dtype(std::string_view text);

}  // namespace earscope::cli
