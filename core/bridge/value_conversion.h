#pragma once
// From the core's results to the plain values of the window. Runs on the inference thread.
#include "core/bridge/values.h"
#include "core/session.h"

#include <QHash>

namespace earscope {

/// @param tensor  any shape, dtype and device
/// @return        the same numbers as row-major float32
TensorValue toTensorValue(const at::Tensor& tensor);

/// Text of an id decoded alone, control characters made visible; remembers what it has decoded.
class PieceReader {
public:
    explicit PieceReader(const Tokenizer& tokenizer) : tokenizer_(&tokenizer) {}
    QString piece(std::int64_t id);

private:
    const Tokenizer* tokenizer_;
    QHash<qint64, QString> known_;
};

/// "\n" as U+240A and so on; other invisible characters as their code point in brackets.
QString withVisibleControls(const QString& text);

/// One row per position of the (single) request.
///
/// Audio tokens come from the slots. Between a source's begin and end tokens everything else is a
/// time digit. What stands before the user's turn of the chat template is the system's.
std::vector<TokenValue> promptRows(const PreparedBatch& batch, const Processor& processor);
/// Generated tokens, positions counted on from the prompt.
std::vector<TokenValue> generatedRows(const std::vector<std::int64_t>& ids,
                                      std::int64_t promptWidth, const Tokenizer& tokenizer);

/// The valid mel frames of source `a` as they enter the encoder, its windows joined.
/// @return  [128, frames] float32; empty for a batch without audio
TensorValue sourceMel(const PreparedBatch& batch, std::size_t a);

/// Without its mel.
PreparedSource toPreparedSource(const AudioSlot& slot, const RequestValue& request);
PreparedValue toPreparedValue(const PreparedBatch& batch, const RequestValue& request,
                              const Session& session);
EmbeddingsValue toEmbeddingsValue(const std::vector<AudioEmbedding>& embeddings,
                                  const PreparedBatch& batch, const RequestValue& request);
ModelValue toModelValue(Session& session);

/// @throws RequestError  a dtype, attention or chunk padding that does not exist
LoadOptions toLoadOptions(const LoadJob& job);
/// "demo" and "demo-moss" are the models that come with the program; anything else is a folder.
std::filesystem::path toSnapshotFolder(const QString& given);
Request toRequest(const RequestValue& request);
std::filesystem::path toPath(const QString& path);

}  // namespace earscope
