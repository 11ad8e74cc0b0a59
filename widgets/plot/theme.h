#pragma once
#include <QColor>
#include <QPalette>

namespace earscope {

/// Whether the palette is a dark one: text lighter than what it stands on.
bool isDark(const QPalette& palette);
/// Relative luminance contrast of two opaque colours, 1..21.
double contrast(const QColor& a, const QColor& b);
/// Black or white, whichever is easier to read on this colour.
QColor readableOn(const QColor& background);
/// `color` over `background`, as if painted with this opacity.
QColor blended(const QColor& color, const QColor& background, double opacity);

/// Colour of source 0..4: hues that colour-blind people can tell apart, at least 3:1 against the
/// palette's base. Never the only mark: the number stands beside it.
QColor sourceColor(int source, const QPalette& palette);
QColor waveformColor(const QPalette& palette);
/// Errors, and samples beyond full scale.
QColor errorColor(const QPalette& palette);
/// Notices that need no action.
QColor noticeColor(const QPalette& palette);
QColor playHeadColor(const QPalette& palette);
/// Secondary text that still has 4.5:1 on the base.
QColor quietTextColor(const QPalette& palette);

}  // namespace earscope
