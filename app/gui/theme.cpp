#include "app/gui/theme.h"

#include <QApplication>
#include <QPalette>
#include <QStyle>

namespace earscope {
namespace {

void setDisabled(QPalette& palette, const QColor& text) {
    for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
        palette.setColor(QPalette::Disabled, role, text);
    }
}

}  // namespace

Theme themeOfName(const QString& name) {
    if (name == QLatin1String("light")) {
        return Theme::Light;
    }
    return name == QLatin1String("dark") ? Theme::Dark : Theme::System;
}

QString nameOfTheme(Theme theme) {
    switch (theme) {
        case Theme::Light:
            return QStringLiteral("light");
        case Theme::Dark:
            return QStringLiteral("dark");
        case Theme::System:
            break;
    }
    return QStringLiteral("system");
}

QPalette lightPalette() {
    QPalette palette(QColor(0xf0, 0xf0, 0xf0));
    palette.setColor(QPalette::Base, Qt::white);
    palette.setColor(QPalette::AlternateBase, QColor(0xf6, 0xf6, 0xf6));
    palette.setColor(QPalette::WindowText, QColor(0x1c, 0x1c, 0x1c));
    palette.setColor(QPalette::Text, QColor(0x1c, 0x1c, 0x1c));
    palette.setColor(QPalette::ButtonText, QColor(0x1c, 0x1c, 0x1c));
    palette.setColor(QPalette::PlaceholderText, QColor(0x60, 0x60, 0x60));
    palette.setColor(QPalette::Highlight, QColor(0x1f, 0x6f, 0xb5));
    palette.setColor(QPalette::HighlightedText, Qt::white);
    palette.setColor(QPalette::Link, QColor(0x1a, 0x5f, 0x9e));
    palette.setColor(QPalette::ToolTipBase, QColor(0xff, 0xf6, 0xd8));
    palette.setColor(QPalette::ToolTipText, QColor(0x1c, 0x1c, 0x1c));
    setDisabled(palette, QColor(0x8a, 0x8a, 0x8a));
    return palette;
}

QPalette darkPalette() {
    QPalette palette(QColor(0x2b, 0x2d, 0x30));
    palette.setColor(QPalette::Window, QColor(0x2b, 0x2d, 0x30));
    palette.setColor(QPalette::Base, QColor(0x1e, 0x1f, 0x22));
    palette.setColor(QPalette::AlternateBase, QColor(0x25, 0x26, 0x29));
    palette.setColor(QPalette::Button, QColor(0x3a, 0x3d, 0x41));
    palette.setColor(QPalette::Mid, QColor(0x5a, 0x5d, 0x62));
    palette.setColor(QPalette::WindowText, QColor(0xe4, 0xe4, 0xe4));
    palette.setColor(QPalette::Text, QColor(0xe4, 0xe4, 0xe4));
    palette.setColor(QPalette::ButtonText, QColor(0xe4, 0xe4, 0xe4));
    palette.setColor(QPalette::BrightText, Qt::white);
    palette.setColor(QPalette::PlaceholderText, QColor(0xa0, 0xa0, 0xa0));
    palette.setColor(QPalette::Highlight, QColor(0x3d, 0x8f, 0xd6));
    palette.setColor(QPalette::HighlightedText, Qt::black);
    palette.setColor(QPalette::Link, QColor(0x7a, 0xb8, 0xee));
    palette.setColor(QPalette::ToolTipBase, QColor(0x4a, 0x42, 0x28));
    palette.setColor(QPalette::ToolTipText, QColor(0xf2, 0xec, 0xd8));
    setDisabled(palette, QColor(0x80, 0x82, 0x85));
    return palette;
}

void applyTheme(Theme theme) {
    switch (theme) {
        case Theme::System:
            QApplication::setPalette(QApplication::style()->standardPalette());
            return;
        case Theme::Light:
            QApplication::setPalette(lightPalette());
            return;
        case Theme::Dark:
            QApplication::setPalette(darkPalette());
            return;
    }
}

}  // namespace earscope
