#pragma once
#include "core/compare/run_record.h"

#include <QString>

#include <vector>

namespace earscope {

/// Where a generated token stands in the run's text.
struct TokenSpan {
    qsizetype begin = 0;
    qsizetype length = 0;  ///< 0: special tokens, and all but the first of tokens that share text
    bool special = false;  ///< left out of the text, like the stop token
};

/// One span per token. Together the spans cover the text without gaps, so that text drawn token by
/// token is the text itself.
///
/// A piece is a token decoded alone. Bytes of a character that several tokens share are not a text
/// of their own; the first of such tokens gets the shared text.
std::vector<TokenSpan> tokenSpans(const RunRecord& run, const QString& text);

}  // namespace earscope
