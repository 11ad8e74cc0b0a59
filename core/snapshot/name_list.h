#pragma once
#include "core/base/text.h"

#include <algorithm>
#include <string>
#include <vector>

namespace earscope {

/// "3 missing (a, b, c)"; the first 20 names, then "...". Empty where there are none.
inline std::string name_list(const std::vector<std::string>& names, const std::string& kind) {
    constexpr std::size_t kShown = 20;
    if (names.empty()) {
        return {};
    }
    std::string text = std::to_string(names.size()) + " " + kind + " (";
    for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i) {
        text += (i > 0 ? ", " : "") + one_line(names[i]);
    }
    return text + (names.size() > kShown ? ", ...)" : ")");
}

}  // namespace earscope
