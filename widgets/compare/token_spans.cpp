#include "widgets/compare/token_spans.h"

#include <QStringView>

#include <algorithm>

namespace earscope {
namespace {

/// Bytes that are no whole character decode to this.
constexpr QChar kReplacement(0xfffd);
/// Characters that a stretch of tokens without a text of their own may take, per token: a token of
/// the vocabulary is rarely longer.
constexpr qsizetype kReachPerToken = 32;

}  // namespace

std::vector<TokenSpan> tokenSpans(const RunRecord& run, const QString& text) {
    std::vector<TokenSpan> spans(run.tokens.size());
    qsizetype at = 0;
    qsizetype pending = -1;  // first of the tokens whose bytes are not yet placed
    for (std::size_t i = 0; i < spans.size(); ++i) {
        const QString piece = QString::fromStdString(run.tokens[i].piece);
        const auto token = static_cast<qsizetype>(i);
        qsizetype found = -1;
        if (!piece.isEmpty() && !piece.contains(kReplacement)) {
            if (pending < 0) {
                found = QStringView(text).mid(at).startsWith(piece) ? at : -1;
            } else {
                const qsizetype reach = (token - pending) * kReachPerToken + piece.size();
                const qsizetype place = QStringView(text).mid(at, reach).indexOf(piece);
                found = place < 0 ? -1 : at + place;
            }
        }
        if (found < 0) {
            spans[i].begin = at;
            if (piece.contains(kReplacement)) {
                pending = pending < 0 ? token : pending;
            } else {
                spans[i].special = !piece.isEmpty();
            }
            continue;
        }
        if (pending >= 0) {
            spans[static_cast<std::size_t>(pending)].length = found - at;
            for (auto j = static_cast<std::size_t>(pending) + 1; j < i; ++j) {
                spans[j].begin = found;
            }
            pending = -1;
        }
        spans[i] = {found, piece.size(), false};
        at = found + piece.size();
    }
    if (at < text.size() && !spans.empty()) {
        // Unplaced bytes at the end; else pieces that the text writes otherwise.
        std::size_t last = spans.size() - 1;
        if (pending >= 0) {
            last = static_cast<std::size_t>(pending);
        } else {
            while (last > 0 && spans[last].special) {
                --last;
            }
        }
        spans[last].length = text.size() - spans[last].begin;
        spans[last].special = false;
        for (std::size_t j = last + 1; j < spans.size(); ++j) {
            spans[j].begin = text.size();
        }
    }
    return spans;
}

}  // namespace earscope
