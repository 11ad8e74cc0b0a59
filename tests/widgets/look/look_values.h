#pragma once
// Values as the instruments give them, made by hand, and what the tests of the pages need with
// them.
#include "core/bridge/instrument_values.h"
#include "widgets/look/heatmap.h"
#include "widgets/plot/cursor_model.h"

#include <QWidget>

#include <functional>
#include <memory>

namespace earscope::made {

inline constexpr double kSeconds = 0.04;

/// The page's child of this object name; the test program ends when there is none.
template <typename T>
T* child(QWidget& parent, const char* name) {
    T* found = parent.findChild<T*>(QString::fromLatin1(name));
    if (found == nullptr) {
        qFatal("no child %s", name);
    }
    return found;
}

template <typename T>
std::shared_ptr<const T> shared(T value) {
    return std::make_shared<const T>(std::move(value));
}

inline TensorValue tensor(qint64 rows, qint64 columns,
                          const std::function<float(qint64, qint64)>& value) {
    std::vector<float> data;
    for (qint64 r = 0; r < rows; ++r) {
        for (qint64 c = 0; c < columns; ++c) {
            data.push_back(value(r, c));
        }
    }
    return {{rows, columns}, std::make_shared<const std::vector<float>>(std::move(data))};
}

/// Three text tokens, `audio` tokens of each of `sources` sources, one text token.
inline std::vector<TokenValue> promptTokens(int audio, int sources = 1) {
    std::vector<TokenValue> tokens;
    const auto add = [&](TokenClass tokenClass, int source, int slot) {
        TokenValue token;
        token.position = static_cast<int>(tokens.size());
        token.id = 100 + token.position;
        token.piece = QStringLiteral("p%1").arg(token.position);
        token.tokenClass = tokenClass;
        token.source = source;
        token.slotRow = slot;
        if (slot >= 0) {
            token.startSeconds = slot * kSeconds;
            token.endSeconds = (slot + 1) * kSeconds;
        }
        tokens.push_back(token);
    };
    for (int i = 0; i < 3; ++i) {
        add(TokenClass::Text, -1, -1);
    }
    for (int source = 0; source < sources; ++source) {
        for (int i = 0; i < audio; ++i) {
            add(TokenClass::Audio, source, i);
        }
    }
    add(TokenClass::Text, -1, -1);
    return tokens;
}

inline std::vector<TokenValue> answerTokens(int first, const QStringList& pieces) {
    std::vector<TokenValue> tokens;
    for (const QString& piece : pieces) {
        TokenValue token;
        token.position = first + static_cast<int>(tokens.size());
        token.id = 7'000 + static_cast<qint64>(tokens.size());
        token.piece = piece;
        token.tokenClass = TokenClass::Generated;
        tokens.push_back(token);
    }
    return tokens;
}

inline void setTimes(CursorModel& cursor, int audio, int sources = 1) {
    SourceTimes times;
    for (int i = 0; i < audio; ++i) {
        times.tokenSeconds.push_back(i * kSeconds);
    }
    times.secondsPerToken = kSeconds;
    times.durationSeconds = audio * kSeconds;
    cursor.setSources(std::vector<SourceTimes>(static_cast<std::size_t>(sources), times));
}

/// `audio` tokens in 5 hidden states of width 6, of which 0, 2 and 4 were kept.
inline LayersValue layers(int audio) {
    LayersValue value;
    value.tokens = promptTokens(audio);
    const auto positions = static_cast<qint64>(value.tokens.size());
    value.norm = tensor(5, positions, [](qint64 l, qint64 p) {
        return 1 + static_cast<float>(l) + 0.01F * static_cast<float>(p);
    });
    value.cosineToBefore = tensor(5, positions, [](qint64 l, qint64) {
        return l == 0 ? 1.0F : 1 - 0.1F * static_cast<float>(l);
    });
    value.layers = {0, 2, 4};
    for (const int layer : value.layers) {
        value.states.push_back(tensor(positions, 6, [layer](qint64 p, qint64 d) {
            return std::sin(static_cast<float>(p * (d + 1)) * 0.1F) +
                   (d == 3 && p == 9 ? -50.0F : 0.0F) + 0.1F * static_cast<float>(layer);
        }));
    }
    return value;
}

/// Layers 0, 2 and 4; the top token at audio slot s of layer l is "l:s".
inline LensValue lens(int audio) {
    LensValue value;
    value.layers = {0, 2, 4};
    for (const TokenValue& token : promptTokens(audio)) {
        if (token.tokenClass == TokenClass::Audio) {
            value.positions.push_back(token);
        }
    }
    for (const int layer : value.layers) {
        std::vector<std::vector<LensChoice>> row;
        row.reserve(static_cast<std::size_t>(audio));
        for (int s = 0; s < audio; ++s) {
            row.push_back({{1, QStringLiteral("%1:%2").arg(layer).arg(s), std::log(0.5F)},
                           {2, QStringLiteral("other"), std::log(0.25F)}});
        }
        value.choices.push_back(row);
    }
    return value;
}

/// Two layers of two heads; generated token g looks with half its weight at audio slot 10 + g of
/// source 0 and with the other half at position 0.
inline AttentionValue attention(int audio, const QStringList& pieces) {
    AttentionValue value;
    value.tokens = promptTokens(audio, 2);
    const auto prompt = static_cast<int>(value.tokens.size());
    value.generated = answerTokens(prompt, pieces);
    value.tokens.insert(value.tokens.end(), value.generated.begin(), value.generated.end());
    const auto keys = static_cast<qint64>(value.tokens.size()) - 1;
    value.layers = {1, 3};
    value.heads = {0, 1};
    for (int layer = 0; layer < 2; ++layer) {
        std::vector<TensorValue> heads;
        heads.reserve(2);
        for (int head = 0; head < 2; ++head) {
            heads.push_back(tensor(pieces.size(), keys, [](qint64 g, qint64 key) {
                return key == 0 || key == 3 + 10 + g ? 0.5F : 0.0F;
            }));
        }
        value.weights.push_back(heads);
    }
    value.sources.resize(2);
    return value;
}

/// One layer of one head, rows of prompt positions first..end-1; row r looks with half its weight
/// at itself and with the other half at the position before.
inline AttentionValue promptAttention(int audio, int first, int end) {
    AttentionValue value;
    value.tokens = promptTokens(audio);
    value.firstRow = first;
    value.layers = {2};
    value.heads = {0};
    value.weights.push_back({tensor(end - first, static_cast<qint64>(value.tokens.size()),
                                    [first](qint64 r, qint64 key) {
                                        const qint64 own = first + r;
                                        return key == own || key == own - 1 ? 0.5F : 0.0F;
                                    })});
    value.sources.resize(1);
    return value;
}

inline AlternativesValue alternatives(const QStringList& pieces) {
    AlternativesValue value;
    for (const TokenValue& token : answerTokens(50, pieces)) {
        value.tokens.push_back({token,
                                std::log(0.6F),
                                1.25F,
                                {{token.id, token.piece, std::log(0.6F)},
                                 {42, QStringLiteral(" else"), std::log(0.3F)}}});
    }
    return value;
}

inline SaliencyValue saliency(int frames) {
    SaliencyValue value;
    value.token = 1;
    value.method = QStringLiteral("integrated:8");
    value.piece = QStringLiteral(" b");
    value.logProbability = -1;
    value.logProbabilitySilence = -3;
    value.sum = 1.9;
    value.share = {0.75, 0.25};
    value.sums = {3, -1};
    value.largestAt = {0.5, 0.5};
    for (int source = 0; source < 2; ++source) {
        value.maps.push_back(tensor(128, frames, [source](qint64 bin, qint64 frame) {
            return bin == 20 && frame == 50 ? (source == 0 ? 3.0F : -1.0F) : 0.0F;
        }));
    }
    return value;
}

}  // namespace earscope::made
