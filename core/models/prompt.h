#pragma once
#include "core/models/model.h"
#include "core/request.h"
#include "core/snapshot/snapshot.h"

#include <string>
#include <vector>

namespace earscope {

/// Checks of a request that need no audio: prompt, control tokens, markers, number and kind of
/// sources.
/// @throws RequestError
void check_request(const Request& request, const Tokenizer& tokenizer);

/// The user turn with the family's default markers where the user wrote none.
std::string prompt_with_markers(const std::string& prompt, std::size_t audios, Family family);

/// The whole row of one request.
struct ExpandedPrompt {
    std::string text;  ///< for display, spans written out
    std::vector<std::int64_t> ids;
    std::vector<std::vector<std::int64_t>>
        positions;  ///< per source: indexes of its audio tokens in ids
};

/// @param user_turn  with as many markers as there are token counts
/// @param tokens     audio tokens of each source
ExpandedPrompt expand_prompt(const std::string& user_turn, const std::vector<std::int64_t>& tokens,
                             const Processor& processor, Family family);

}  // namespace earscope
