#include "core/bridge/value_conversion.h"

#include <ATen/ATen.h>

namespace earscope {
namespace {

constexpr std::string_view kTurnStart = "<|im_start|>";
constexpr std::string_view kUser = "user";

bool startsWithUser(const std::int64_t* ids, std::int64_t begin, std::int64_t end,
                    const Tokenizer& tokenizer) {
    std::string text;
    for (std::int64_t p = begin; p < end && text.size() < kUser.size(); ++p) {
        text += tokenizer.bytes(ids[p]);
    }
    return text.starts_with(kUser);
}

/// Position of the user turn's first token; 0 without such a turn. Users cannot write the turn's
/// token themselves, so the last one found is the template's.
std::int64_t userTurn(const std::int64_t* ids, std::int64_t width, const Tokenizer& tokenizer) {
    const auto start = tokenizer.id_of(kTurnStart);
    for (std::int64_t p = width - 1; start && p >= 0; --p) {
        if (ids[p] == *start && startsWithUser(ids, p + 1, width, tokenizer)) {
            return p;
        }
    }
    return 0;
}

/// Marks the audio tokens of one source.
void markAudio(std::vector<TokenValue>& rows, const AudioSlot& slot, int source) {
    const at::Tensor positions = slot.token_positions.to(at::kCPU, at::kLong).contiguous();
    const at::Tensor seconds = slot.time_s.to(at::kCPU, at::kDouble).contiguous();
    const std::int64_t* position = positions.const_data_ptr<std::int64_t>();
    const double* second = seconds.const_data_ptr<double>();
    for (std::int64_t i = 0; i < positions.numel(); ++i) {
        TokenValue& row = rows.at(static_cast<std::size_t>(position[i]));
        row.tokenClass = TokenClass::Audio;
        row.source = source;
        row.slotRow = static_cast<int>(i);
        row.startSeconds = second[i];
        row.endSeconds = second[i] + slot.seconds_per_token;
    }
}

/// Marks the begin and end tokens of the sources and the time digits between them.
void markSpans(std::vector<TokenValue>& rows, const Processor& processor) {
    int next = 0;
    int current = -1;
    for (TokenValue& row : rows) {
        if (row.tokenClass == TokenClass::Padding || row.tokenClass == TokenClass::Audio) {
            continue;
        }
        if (row.id == processor.audio_begin_id) {
            current = next++;
            row.tokenClass = TokenClass::Boundary;
            row.source = current;
        } else if (row.id == processor.audio_end_id) {
            row.tokenClass = TokenClass::Boundary;
            row.source = current;
            current = -1;
        } else if (current >= 0) {
            row.tokenClass = TokenClass::TimeDigit;
            row.source = current;
        }
    }
}

QString visibleControl(char32_t c) {
    if (c < 0x20) {
        return QChar(static_cast<char16_t>(0x2400 + c));  // control pictures
    }
    if (c == 0x7f) {
        return QChar(u'\u2421');
    }
    return QStringLiteral("[U+%1]").arg(QString::number(c, 16).toUpper(), 4, QLatin1Char('0'));
}

bool isInvisible(char32_t c) {
    switch (QChar::category(c)) {
        case QChar::Other_Control:
        case QChar::Other_Format:
        case QChar::Separator_Line:
        case QChar::Separator_Paragraph:
            return true;
        default:
            return false;
    }
}

}  // namespace

QString withVisibleControls(const QString& text) {
    QString result;
    for (const char32_t c : text.toUcs4()) {
        if (isInvisible(c)) {
            result += visibleControl(c);
        } else {
            result += QString::fromUcs4(&c, 1);
        }
    }
    return result;
}

QString PieceReader::piece(std::int64_t id) {
    const auto known = known_.constFind(id);
    if (known != known_.constEnd()) {
        return *known;
    }
    QString text = withVisibleControls(QString::fromStdString(tokenizer_->decode({id}, false)));
    known_.insert(id, text);
    return text;
}

std::vector<TokenValue> promptRows(const PreparedBatch& batch, const Processor& processor) {
    const at::Tensor idRow = batch.inputs.input_ids.select(0, 0).to(at::kCPU).contiguous();
    const at::Tensor maskRow = batch.inputs.attention_mask.select(0, 0).to(at::kCPU).contiguous();
    const std::int64_t* ids = idRow.const_data_ptr<std::int64_t>();
    const std::int64_t* mask = maskRow.const_data_ptr<std::int64_t>();
    const std::int64_t width = idRow.numel();
    const std::int64_t user = userTurn(ids, width, processor.tokenizer);
    PieceReader reader(processor.tokenizer);
    std::vector<TokenValue> rows(static_cast<std::size_t>(width));
    for (std::int64_t p = 0; p < width; ++p) {
        TokenValue& row = rows[static_cast<std::size_t>(p)];
        row.position = static_cast<int>(p);
        row.id = ids[p];
        row.piece = reader.piece(ids[p]);
        row.tokenClass = mask[p] == 0 ? TokenClass::Padding
                         : p < user   ? TokenClass::System
                                      : TokenClass::Text;
    }
    for (std::size_t a = 0; a < batch.slots.size(); ++a) {
        markAudio(rows, batch.slots[a], static_cast<int>(a));
    }
    markSpans(rows, processor);
    return rows;
}

std::vector<TokenValue> generatedRows(const std::vector<std::int64_t>& ids,
                                      std::int64_t promptWidth, const Tokenizer& tokenizer) {
    PieceReader reader(tokenizer);
    std::vector<TokenValue> rows;
    rows.reserve(ids.size());
    for (const std::int64_t id : ids) {
        TokenValue row;
        row.position = static_cast<int>(promptWidth + static_cast<std::int64_t>(rows.size()));
        row.id = id;
        row.piece = reader.piece(id);
        row.tokenClass = TokenClass::Generated;
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace earscope
