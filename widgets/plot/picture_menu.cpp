#include "widgets/plot/picture_menu.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QCoreApplication>
#include <QFileDialog>
#include <QMessageBox>
#include <QPainter>
#include <QSaveFile>
#include <QWidget>

namespace earscope {
namespace {

constexpr double kSavedScale = 2;

QString tr(const char* text) {
    return QCoreApplication::translate("earscope::PictureMenu", text);
}

void askAndSave(QWidget& widget, const QImage& image) {
    auto* dialog = new QFileDialog(&widget, tr("Save the image"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilter(tr("PNG image (*.png)"));
    dialog->setDefaultSuffix(QStringLiteral("png"));
    dialog->selectFile(QStringLiteral("earscope.png"));
    QObject::connect(dialog, &QFileDialog::fileSelected, &widget,
                     [&widget, image](const QString& file) {
                         const QString problem = savePicture(image, file);
                         if (!problem.isEmpty()) {
                             auto* box = new QMessageBox(QMessageBox::Warning, tr("Save the image"),
                                                         problem, QMessageBox::Close, &widget);
                             box->setAttribute(Qt::WA_DeleteOnClose);
                             box->open();
                         }
                     });
    dialog->open();
}

}  // namespace

QImage labelledPicture(QWidget& widget, const QString& caption, double scale) {
    const QFontMetrics metrics(widget.font());
    constexpr int kMargin = 4;
    const QRect room(kMargin, 0, widget.width() - 2 * kMargin, 8 * metrics.height());
    const QRect text = metrics.boundingRect(room, Qt::TextWordWrap, caption);
    const QSize size(widget.width(),
                     widget.height() + (caption.isEmpty() ? 0 : text.height() + 2 * kMargin));
    QImage image((QSizeF(size) * scale).toSize(), QImage::Format_RGB32);
    image.setDevicePixelRatio(scale);
    image.fill(widget.palette().color(QPalette::Window));
    QPainter painter(&image);
    widget.render(&painter, QPoint(0, 0), {}, QWidget::DrawChildren);
    painter.setFont(widget.font());
    painter.setPen(widget.palette().color(QPalette::WindowText));
    painter.drawText(QRect(kMargin, widget.height() + kMargin, room.width(), text.height()),
                     Qt::TextWordWrap, caption);
    return image;
}

QString savePicture(const QImage& image, const QString& file) {
    QSaveFile out(file);
    if (!out.open(QIODevice::WriteOnly) || !image.save(&out, "PNG") || !out.commit()) {
        return tr("The image could not be written to %1: %2").arg(file, out.errorString());
    }
    return {};
}

void addPictureMenu(QWidget& widget, const std::function<QString()>& describe) {
    auto* copy = new QAction(tr("Copy image"), &widget);
    copy->setObjectName(QStringLiteral("copyImage"));
    auto* save = new QAction(tr("Save image…"), &widget);
    save->setObjectName(QStringLiteral("saveImage"));
    QObject::connect(copy, &QAction::triggered, &widget, [&widget, describe] {
        QApplication::clipboard()->setImage(
            labelledPicture(widget, describe(), widget.devicePixelRatioF()));
    });
    QObject::connect(save, &QAction::triggered, &widget, [&widget, describe] {
        askAndSave(widget,
                   labelledPicture(widget, describe(), kSavedScale * widget.devicePixelRatioF()));
    });
    widget.setContextMenuPolicy(Qt::ActionsContextMenu);
    widget.addActions({copy, save});
}

}  // namespace earscope
