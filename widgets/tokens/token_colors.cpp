#include "widgets/tokens/token_colors.h"

#include <QCoreApplication>

#include <cmath>

namespace earscope {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("earscope::TokenColors", text);
}

double linear(double channel) {
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
}

/// Relative luminance as the contrast rules of WCAG define it.
double luminance(const QColor& color) {
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) +
           0.0722 * linear(color.blueF());
}

QColor classColor(TokenClass tokenClass) {
    // Okabe and Ito's palette, which stays distinct with colour-blind sight.
    switch (tokenClass) {
        case TokenClass::System:
            return {0x99, 0x99, 0x99};
        case TokenClass::Text:
            return {0xe6, 0x9f, 0x00};
        case TokenClass::Audio:
            return {0x56, 0xb4, 0xe9};
        case TokenClass::TimeDigit:
            return {0xcc, 0x79, 0xa7};
        case TokenClass::Boundary:
            return {0xd5, 0x5e, 0x00};
        case TokenClass::Padding:
            return {0x80, 0x80, 0x80};
        case TokenClass::Generated:
            return {0x00, 0x9e, 0x73};
    }
    return {0x99, 0x99, 0x99};
}

}  // namespace

QString tokenClassName(TokenClass tokenClass) {
    switch (tokenClass) {
        case TokenClass::System:
            return tr("System");
        case TokenClass::Text:
            return tr("Text");
        case TokenClass::Audio:
            return tr("Audio");
        case TokenClass::TimeDigit:
            return tr("Time digit");
        case TokenClass::Boundary:
            return tr("Boundary");
        case TokenClass::Padding:
            return tr("Padding");
        case TokenClass::Generated:
            return tr("Generated");
    }
    return {};
}

QBrush tokenBrush(TokenClass tokenClass, int source, const QPalette& palette) {
    if (tokenClass == TokenClass::Padding) {
        return {palette.color(QPalette::Mid), Qt::BDiagPattern};
    }
    QColor color = classColor(tokenClass);
    if (tokenClass == TokenClass::Audio && source % 2 == 1) {
        color = color.darker(150);
    }
    return color;
}

QColor textOn(const QColor& fill) {
    return luminance(fill) > 0.179 ? QColor(Qt::black) : QColor(Qt::white);
}

double tokenHeight(TokenClass tokenClass) {
    switch (tokenClass) {
        case TokenClass::Audio:
            return 1.0;
        case TokenClass::Boundary:
        case TokenClass::TimeDigit:
            return 0.9;
        case TokenClass::Generated:
            return 0.75;
        case TokenClass::Text:
        case TokenClass::Padding:
            return 0.6;
        case TokenClass::System:
            return 0.45;
    }
    return 1.0;
}

}  // namespace earscope
