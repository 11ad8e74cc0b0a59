#pragma once
#include <QLabel>

namespace earscope {

/// One line of plain text that is shortened in the middle where there is no room; the whole text is
/// its tooltip and its accessible name.
class ElidedLabel : public QLabel {
    Q_OBJECT
public:
    explicit ElidedLabel(QWidget* parent = nullptr);

    void setFullText(const QString& text);
    QSize minimumSizeHint() const override;
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
};

}  // namespace earscope
