#pragma once
#include <QString>

class QPalette;

namespace earscope {

enum class Theme { System, Light, Dark };

Theme themeOfName(const QString& name);
QString nameOfTheme(Theme theme);
QPalette lightPalette();
QPalette darkPalette();
/// Colours of the whole program. System takes those of the desktop.
void applyTheme(Theme theme);

}  // namespace earscope
