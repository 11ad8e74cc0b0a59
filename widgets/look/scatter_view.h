#pragma once
#include "widgets/look/layer_views.h"

#include <QPointer>
#include <QWidget>

namespace earscope {

class CursorModel;

/// One source's tokens on the two directions along which they differ most, coloured by time. All
/// points are drawn. Click or arrow keys (previous and next token) move the shared cursor.
class ScatterView : public QWidget {
    Q_OBJECT
public:
    explicit ScatterView(QWidget* parent = nullptr);

    void setCursorModel(CursorModel* cursor);
    void setScatter(std::shared_ptr<const Scatter> scatter);
    QRect plotRect() const;
    /// Point nearest to this place within a few pixels, or -1.
    int pointAt(const QPointF& position) const;
    /// Point of the shared cursor, or -1.
    int currentPoint() const;
    QPointF placeOf(int point) const;
    QString describe(int point) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void onCursorMoved();
    void paintAxes(QPainter& painter) const;

    std::shared_ptr<const Scatter> scatter_;
    QPointer<CursorModel> cursor_;
    double low_[2] = {-1, -1};
    double high_[2] = {1, 1};
};

}  // namespace earscope
