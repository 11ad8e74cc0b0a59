#pragma once
#include <QString>

#include <vector>

namespace earscope {

struct NumberList {
    std::vector<int> numbers;  ///< in the order given, each once
    QString problem;           ///< a sentence when the text cannot be read; empty otherwise
};

/// Reads "all", "3", "0-7", "0, 4, 9-11" and, counted from the end, "-1". `what` names the things
/// in a problem, e.g. "layer"; they are numbered 0..count-1.
NumberList readNumbers(const QString& text, int count, const QString& what);

}  // namespace earscope
