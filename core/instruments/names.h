#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace earscope {

/// The candidates most like `wanted`, nearest first: those that end in it or that it ends in, then
/// by edit distance.
std::vector<std::string> nearest_names(std::string_view wanted,
                                       const std::vector<std::string>& candidates,
                                       std::size_t count = 3);

/// One sentence for an error: "there is no module 'x'; nearest: 'y', 'z'". `kind` is "module" or
/// the like.
std::string unknown_name_message(std::string_view kind, std::string_view wanted,
                                 const std::vector<std::string>& candidates);

}  // namespace earscope
