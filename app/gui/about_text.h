#pragma once
#include <QString>

namespace earscope {

/// What About says, as rich text.
QString aboutText();

}  // namespace earscope
