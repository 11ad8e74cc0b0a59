#pragma once
// Plain values that cross between the inference thread and the window. No torch here.
#include "audio/peaks.h"
#include "core/base/progress.h"

#include <QMetaType>
#include <QString>
#include <QStringList>

#include <cstdint>
#include <memory>
#include <vector>

namespace earscope {

using JobId = quint64;

struct RunRecord;  // core/compare/run_record.h
/// A finished run; nobody changes it any more.
using RunPointer = std::shared_ptr<const RunRecord>;

/// Row-major float32, immutable, cheap to copy.
struct TensorValue {
    std::vector<qint64> shape;
    std::shared_ptr<const std::vector<float>> data;

    bool isEmpty() const { return !data || data->empty(); }
    qint64 rows() const { return shape.empty() ? 0 : shape.front(); }
    qint64 columns() const { return shape.size() < 2 ? 0 : shape[1]; }
    float at(qint64 row, qint64 column) const {
        return (*data)[static_cast<std::size_t>(row * columns() + column)];
    }
};

enum class FailureKind { Snapshot, Request, Audio, Busy, Device, Export, Internal };

/// `kind` chooses the translated line; `message` is the core's own English sentence, shown as
/// detail.
struct Failure {
    FailureKind kind = FailureKind::Internal;
    QString message;
};

struct ModuleEntry {
    QString name;  ///< path as in PyTorch's named_modules(), "" for the model
    QString className;
    qint64 parameters = 0;  ///< of it and everything below
};

struct LoadJob {
    JobId id = 0;
    QString folder;  ///< snapshot folder or Hugging Face cache entry
    QString device = QStringLiteral("auto");
    QString dtype = QStringLiteral("float32");           ///< float32, bfloat16, float16
    QString attention = QStringLiteral("sdpa");          ///< sdpa, eager
    QString chunkPadding = QStringLiteral("reference");  ///< MOSS-Music: reference, independent
};

struct ModelValue {
    JobId id = 0;
    QString name;
    QString folder;
    QString family;           ///< "Music Flamingo"
    bool usesWindows = true;  ///< Music Flamingo: windows; MOSS-Music: chunks
    QString device;           ///< the one taken
    QString dtype;
    QString attention;
    QString chunkPadding;  ///< MOSS-Music: the one in force; empty otherwise
    qint64 parameters = 0;
    qint64 weightBytes = 0;
    int layers = 0;
    int hiddenSize = 0;
    int audioWidth = 0;
    int contextLength = 0;
    int defaultBudget = 16384;
    bool untrained = false;  ///< demonstration snapshot with random weights: its words mean nothing
    QString card;            ///< licence and notes of the snapshot's README, may be empty
    std::vector<ModuleEntry> modules;
};

/// A sound file, decoded for the window. What the model gets of it is in PreparedSource.
struct SourceValue {
    JobId id = 0;
    QString path;
    QString format;
    int sampleRate = 0;
    int channels = 0;
    double durationSeconds = 0;
    QStringList notices;
    std::shared_ptr<const std::vector<float>> mono;  ///< at sampleRate
    std::shared_ptr<const PeakPyramid> peaks;
};

struct RequestValue {
    QString prompt;
    QStringList audioPaths;  ///< 0..5, in order
};

enum class TokenClass { System, Text, Audio, TimeDigit, Boundary, Padding, Generated };

/// One position of the (single) request's row.
struct TokenValue {
    int position = 0;
    qint64 id = 0;
    QString piece;  ///< text of the token alone, control characters made visible
    TokenClass tokenClass = TokenClass::Text;
    int source = -1;           ///< of audio tokens, digits and boundaries
    int slotRow = -1;          ///< index within the source's tokens; audio tokens only
    double startSeconds = -1;  ///< in the source; audio tokens only
    double endSeconds = -1;
};

/// What the model gets of one source.
struct PreparedSource {
    QString path;
    int tokens = 0;
    double secondsPerToken = 0;
    double durationSeconds = 0;     ///< after the cap
    std::vector<int> windowTokens;  ///< Music Flamingo: audio tokens per window
    std::vector<int> chunkFrames;   ///< MOSS-Music: mel frames per chunk
    std::vector<int> tokenPositions;
    std::vector<double> tokenSeconds;  ///< begin of each token
    QStringList notices;
    TensorValue mel;  ///< [128, frames]: the valid frames that enter the encoder, windows joined,
                      ///< 100 frames/s
};

struct PrepareJob {
    JobId id = 0;
    RequestValue request;
};

struct PreparedValue {
    JobId id = 0;
    QString promptWithMarkers;
    QString expandedPrompt;
    int promptTokens = 0;
    int audioTokens = 0;
    int contextLength = 0;
    std::vector<TokenValue> tokens;
    std::vector<PreparedSource> sources;
};

struct GenerateJob {
    JobId id = 0;
    RequestValue request;
    QString profile = QStringLiteral("paper_reference");
    int maxNewTokens = 16384;
    quint64 seed = 3407;
    QStringList edits;  ///< in force meanwhile, as written for earscope-cli
};

/// Streamed text, gathered to at most 20 events a second.
struct StreamValue {
    JobId id = 0;
    QString text;    ///< to append
    int tokens = 0;  ///< generated so far
    double tokensPerSecond = 0;
};

struct GenerationValue {
    JobId id = 0;
    RequestValue request;
    QString profile;
    QString text;
    std::vector<TokenValue> tokens;  ///< generated ones, positions continue the prompt
    QString finish;                  ///< "eos" or "length"
    double tokensPerSecond = 0;
    double prefillSeconds = 0;
    int promptTokens = 0;
    int budget = 0;
    RunPointer record;  ///< the same run as the run list and the Compare tab keep it
    QStringList edits;  ///< under which it came about; empty: none
};

struct ExtractJob {
    JobId id = 0;
    RequestValue request;
    QStringList edits;  ///< as in GenerateJob
};

struct SourceEmbeddings {
    QString path;
    TensorValue raw;        ///< [tokens, audioWidth]
    TensorValue projected;  ///< [tokens, hiddenSize]
    std::vector<TensorValue> deepstackRaw;
    std::vector<TensorValue> deepstackProjected;
    std::vector<double> tokenSeconds;
    double secondsPerToken = 0;
};

struct EmbeddingsValue {
    JobId id = 0;
    RequestValue request;
    std::vector<SourceEmbeddings> sources;
    QStringList edits;  ///< under which they came about; empty: none
};

/// Writes what the worker last prepared for this request and what the model makes of it under these
/// edits. The manifest tells of the last answer if it came about under the same ones.
struct ExportJob {
    JobId id = 0;
    QString file;  ///< .safetensors or .npz
    RequestValue request;
    QStringList edits;  ///< as in GenerateJob; what the model gets has none
    bool inputs = true;
    bool embeddings = true;
    std::vector<int> contextualLayers;  ///< empty: none
};

struct ExportedValue {
    JobId id = 0;
    QString file;
    qint64 bytes = 0;
    QStringList tensors;
    QStringList edits;  ///< under which some of them came about; empty: none
};

}  // namespace earscope
