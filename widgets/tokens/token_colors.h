#pragma once
#include "core/bridge/values.h"

#include <QBrush>
#include <QPalette>
#include <QString>

namespace earscope {

inline constexpr int kTokenClasses = static_cast<int>(TokenClass::Generated) + 1;

/// Translated name of a class, as in tables and legends.
QString tokenClassName(TokenClass tokenClass);
/// Fill of a class. Padding is hatched; audio alternates between two shades by source, so that
/// neighbours differ also without colour.
QBrush tokenBrush(TokenClass tokenClass, int source, const QPalette& palette);
/// Black or white, whichever is easier to read on `fill`.
QColor textOn(const QColor& fill);
/// Part of a strip's height that a class fills, so that classes differ not by colour alone.
double tokenHeight(TokenClass tokenClass);

}  // namespace earscope
