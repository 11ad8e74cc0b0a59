#pragma once
#include <string>

namespace earscope {

/// The shortest text that means this number, in the C locale: "0.7", "30.0000625".
std::string number_text(double value);
/// A measured number, with four significant digits: "43.1".
std::string measured_text(double value);

}  // namespace earscope
