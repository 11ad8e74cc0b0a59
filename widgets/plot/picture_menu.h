#pragma once
#include <QImage>
#include <QString>

#include <functional>

class QWidget;

namespace earscope {

/// A widget as it is on the screen, with a line below that says what it shows, so that no picture
/// leaves the program unlabelled.
/// @param scale  pixels per pixel of the screen
QImage labelledPicture(QWidget& widget, const QString& caption, double scale);

/// Writes a PNG under a temporary name and renames it. An empty text, or what went wrong.
QString savePicture(const QImage& image, const QString& file);

/// Gives a widget a context menu with "Copy image" and "Save image…" (PNG, twice the pixels).
/// `describe` says what the picture shows at that moment.
void addPictureMenu(QWidget& widget, const std::function<QString()>& describe);

}  // namespace earscope
