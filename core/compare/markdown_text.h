#pragma once
#include <string>
#include <string_view>

namespace earscope {

/// Foreign text as one line of Markdown that shows it and nothing else: no markup, no HTML, no
/// link, no end of a table cell. Line ends become ↵, other control characters and those that change
/// the direction of text their names in brackets, bytes that are no UTF-8 U+FFFD.
std::string markdown_line(std::string_view text);

/// The same as a block quote that keeps the lines and leading spaces of the text.
std::string markdown_quote(std::string_view text);

}  // namespace earscope
