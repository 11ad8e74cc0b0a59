#pragma once
#include <QIcon>
#include <QPalette>

namespace earscope {

enum class Glyph { Play, Stop, Up, Down, Remove, Add, Record };

/// A plain drawn icon in the palette's text colour (Record in the error colour), sharp at every
/// scale and legible in both themes.
QIcon glyphIcon(Glyph glyph, const QPalette& palette);

}  // namespace earscope
