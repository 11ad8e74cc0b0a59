#pragma once
// Jobs and results of the instruments (probes, lens, attention, saliency, alternatives).
#include "core/bridge/values.h"

namespace earscope {

/// What every instrument runs on. Probes and edits are written as for earscope-cli:
/// "MODULE@SCOPE", "MODULE@SCOPE=scale:0.5".
struct InstrumentRequest {
    RequestValue request;
    QStringList edits;
    QString profile = QStringLiteral("paper_reference");  ///< where an answer is generated first
    int maxNewTokens = 256;
    quint64 seed = 3407;
};

struct ProbeJob {
    JobId id = 0;
    InstrumentRequest on;
    QStringList probes;
    bool statisticsOnly = false;
};

struct TensorStatistics {
    double norm = 0;
    double mean = 0;
    double minimum = 0;
    double maximum = 0;
    double kurtosis = 0;
    qint64 nanCount = 0;
    qint64 infinityCount = 0;
    qint64 calls = 0;
};

struct ProbeCapture {
    QString name;  ///< full: MODULE@SCOPE
    std::vector<qint64> fullShape;
    TensorValue values;          ///< [rows, width]; empty with statisticsOnly
    std::vector<int> positions;  ///< in the padded row; empty outside the language model
    TensorStatistics statistics;
    qint64 bytes = 0;
};

struct ProbesValue {
    JobId id = 0;
    std::vector<ProbeCapture> captures;
    QStringList edits;
};

/// Bytes a probe run would keep, told before it runs.
struct ProbeEstimate {
    JobId id = 0;
    qint64 bytes = 0;
    QStringList modules;  ///< after the patterns were resolved
    QString problem;      ///< the core's sentence when a name or scope is refused
};

/// One statistic of every hidden state at every position of the prompt.
struct LayersJob {
    JobId id = 0;
    InstrumentRequest on;
    std::vector<int> layers;  ///< states kept whole, 0..N
};

struct LayersValue {
    JobId id = 0;
    TensorValue norm;            ///< [N+1, L]
    TensorValue cosineToBefore;  ///< [N+1, L], row 0 all 1
    std::vector<int> layers;
    std::vector<TensorValue> states;  ///< [L, hiddenSize] each
    std::vector<TokenValue> tokens;   ///< L, what stands at each position
    QStringList edits;
};

struct LensJob {
    JobId id = 0;
    InstrumentRequest on;
    std::vector<int> layers;
    QString positions = QStringLiteral("audio");  ///< audio, last, all
    int topK = 5;
};

struct LensChoice {
    qint64 id = 0;
    QString piece;
    float logProbability = 0;
};

struct LensValue {
    JobId id = 0;
    std::vector<int> layers;
    std::vector<TokenValue> positions;                          ///< n
    std::vector<std::vector<std::vector<LensChoice>>> choices;  ///< [layer][n][k]
    QStringList edits;
};

struct AttentionJob {
    JobId id = 0;
    InstrumentRequest on;
    std::vector<int> layers;  ///< decoder layers 0..N-1
    std::vector<int> heads;   ///< empty: all
    /// Positions of the prompt whose rows are wanted instead of those of an answer, which is not
    /// generated then; at most 256. -1: of the answer.
    int firstRow = -1;
    int endRow = -1;  ///< one past the last
};

struct AttentionValue {
    JobId id = 0;
    QString text;
    std::vector<TokenValue> tokens;     ///< prompt and answer, L+G
    std::vector<TokenValue> generated;  ///< G; empty for rows of the prompt
    int firstRow = -1;                  ///< position of the first row; -1: rows of the answer
    std::vector<int> layers;
    std::vector<int> heads;                         ///< all of them where none was asked for
    std::vector<std::vector<TensorValue>> weights;  ///< [layer][head]: [G, L+G-1] or [rows, L]
    std::vector<PreparedSource> sources;            ///< without mel
    QStringList edits;
    RequestValue request;
    RunPointer record;  ///< the answer as the run list keeps it; null for rows of the prompt
};

struct SaliencyJob {
    JobId id = 0;
    InstrumentRequest on;
    int token = 0;
    QString method = QStringLiteral("gradient");  ///< gradient, gradient_x_input, integrated:STEPS
};

struct SaliencyValue {
    JobId id = 0;
    int token = 0;
    QString method;
    QString answer;  ///< as far as the token: what follows has no part in it
    QString piece;   ///< of the token
    double logProbability = 0;
    double logProbabilitySilence = 0;  ///< integrated gradients only
    double sum = 0;
    std::vector<double> share;      ///< per source
    std::vector<double> sums;       ///< per source
    std::vector<double> largestAt;  ///< per source, second of the point farthest from 0
    std::vector<TensorValue>
        maps;  ///< per source [128, frames], windows joined as in PreparedSource
    QStringList edits;
};

/// What a pass of saliency takes, told before it runs.
struct PassEstimate {
    JobId id = 0;
    RequestValue request;
    double forwardSeconds = 0;
    double seconds = 0;   ///< forward and backward
    qint64 bytes = 0;     ///< beside the weights
    double measured = 1;  ///< share of the pass that was run, the rest is carried on
    QString problem;      ///< why saliency would be refused; empty when it would not
};

struct PassJob {
    JobId id = 0;
    InstrumentRequest on;
};

struct AlternativesJob {
    JobId id = 0;
    InstrumentRequest on;
    int topK = 5;
    int continueToken = -1;  ///< -1: plain; else the answer goes on from this token ...
    qint64 continueId = 0;   ///< ... replaced by this id
};

struct AlternativeToken {
    TokenValue token;
    float logProbability = 0;
    float entropy = 0;  ///< nats
    std::vector<LensChoice> top;
};

struct AlternativesValue {
    JobId id = 0;
    QString text;
    QString finish;
    std::vector<AlternativeToken> tokens;
    int continueToken = -1;
    QStringList edits;
    RequestValue request;
    RunPointer record;  ///< the answer as the run list keeps it
};

enum class Instrument { Lens, Attention, Saliency, Alternatives, Layers, Probes };

/// Writes what an instrument found last.
struct InstrumentExportJob {
    JobId id = 0;
    QString file;  ///< .safetensors or .npz; of alternatives .json
    Instrument instrument = Instrument::Probes;
    JobId result = 0;  ///< job it came of; another one since is an error
};

}  // namespace earscope
