#pragma once
#include <string_view>
#include <vector>

namespace earscope {

/// The pattern of the Qwen2 family that `pre_split` implements, as it stands in tokenizer.json.
inline constexpr std::string_view kQwen2Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*)"
    R"(|\s*[\r\n]+|\s+(?!\S)|\s+)";

enum class CharacterClass { Letter, Number, Space, Other };

/// \p{L}, \p{N}, \s or none of them, by the reference's tables (Unicode 16).
CharacterClass character_class(char32_t code_point);

/// Cuts a valid, normalised text into words by kQwen2Pattern; every byte belongs to one word. A
/// scanner by hand, because regular expression libraries know other Unicode versions, may give up
/// on long texts and are slower. Linear in the length.
std::vector<std::string_view> pre_split(std::string_view text);

}  // namespace earscope
