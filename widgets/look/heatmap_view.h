#pragma once
#include "widgets/look/heatmap.h"

#include <QImage>
#include <QPointer>
#include <QRect>
#include <QWidget>

namespace earscope {

class CursorModel;

/// A matrix as colours, with a current cell that mouse and arrow keys move. Columns and rows that
/// are audio tokens follow the shared cursor and set it.
///
/// Wheel zooms the columns at the mouse, Ctrl+Shift+wheel the rows, Shift+wheel and dragging pan.
class HeatmapView : public QWidget {
    Q_OBJECT
public:
    explicit HeatmapView(QWidget* parent = nullptr);

    void setCursorModel(CursorModel* cursor);
    /// Keeps zoom and current cell where the new map has the same number of columns and rows.
    void setMap(HeatmapPointer map);
    const Heatmap* map() const { return map_.get(); }
    void setLimits(const ColorLimits& limits);
    qint64 currentRow() const { return row_; }
    qint64 currentColumn() const { return column_; }
    /// Brings the cell into view; values beyond the matrix are clamped. Does not move the cursor.
    void setCurrent(qint64 row, qint64 column);
    /// Puts the shared cursor on the current cell's audio token, if it is one.
    void lockCurrent();
    /// First and one past the last column in view.
    double firstColumn() const { return first_column_; }
    double lastColumn() const { return last_column_; }
    void setVisibleColumns(double first, double last);

    QRect plotRect() const;
    QString describe(const QPoint& position) const;
    /// The current cell in words, for screen readers.
    QString currentText() const;
    /// What the last painting counted and drew.
    const QImage& image();

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

public Q_SLOTS:
    void fit();

Q_SIGNALS:
    /// By whatever way: mouse, key or shared cursor.
    void currentChanged(qint64 row, qint64 column);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    struct Cell {
        qint64 row = -1;
        qint64 column = -1;
    };

    Cell cellAt(const QPointF& position) const;
    double xOf(double column) const;
    double yOf(double row) const;  ///< of the row's edge towards row 0
    void choose(qint64 row, qint64 column);
    void lockToken(const HeatmapAxis& axis, qint64 index);
    void onCursorMoved();
    void zoomColumns(double at, double factor);
    void zoomRows(double at, double factor);
    void viewChanged();
    void render();
    void paintRows(QPainter& painter) const;
    void paintColumns(QPainter& painter) const;
    void paintMarks(QPainter& painter) const;

    HeatmapPointer map_;
    QPointer<CursorModel> cursor_;
    ColorLimits limits_;
    double first_column_ = 0;
    double last_column_ = 1;
    double first_row_ = 0;
    double last_row_ = 1;
    qint64 row_ = -1;
    qint64 column_ = -1;
    QImage image_;
    bool image_valid_ = false;
    QPointF press_position_;
    double press_first_ = 0;
    bool dragging_ = false;
};

}  // namespace earscope
