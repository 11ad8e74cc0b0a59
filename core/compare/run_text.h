#pragma once
#include <string>

namespace earscope {

/// A measured number, with four significant digits: "43.1".
std::string measured_text(double value);

}  // namespace earscope
