#pragma once
#include "widgets/embeddings/embedding_matrix.h"
#include "widgets/signal/time_axis.h"

#include <QImage>
#include <QPointer>
#include <QWidget>

#include <memory>

namespace earscope {

class CursorModel;

/// One embedding tensor over time: dimensions as a heatmap, and below it the norm of each token.
/// Both share the time axis, the zoom and the cursor.
///
/// Wheel zooms at the mouse, Shift+wheel and dragging pan, Ctrl+Shift+wheel zooms the dimensions.
class EmbeddingPlot : public QWidget {
    Q_OBJECT
public:
    explicit EmbeddingPlot(QWidget* parent = nullptr);

    void setCursorModel(CursorModel* cursor);
    /// Keeps the zoom when it is the same source; null shows nothing.
    void setMatrix(std::shared_ptr<const EmbeddingMatrix> matrix);
    const EmbeddingMatrix* matrix() const { return matrix_.get(); }
    void setLimits(const ColorLimits& limits);
    /// Without the norms the heatmap takes the whole height.
    void setNormsShown(bool shown);
    /// Says whose numbers they are, where several plots stand together.
    void setCaption(const QString& caption);
    void setVisibleRange(double beginSeconds, double endSeconds);
    const TimeAxis& timeAxis() const { return axis_; }

    QRect heatmapRect() const;
    QRect normRect() const;
    /// What the tooltip at this place says.
    QString describe(const QPoint& position) const;
    /// The token under the cursor in words, for screen readers.
    QString cursorText() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

public Q_SLOTS:
    void fit();
    void zoomIn();
    void zoomOut();

Q_SIGNALS:
    /// The user zoomed or panned.
    void visibleRangeChanged(double beginSeconds, double endSeconds);

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
    struct NormScale {
        double low = 0;
        double high = 1;
    };

    double secondsAt(double x) const { return axis_.secondsAt(x - heatmapRect().left()); }
    double xOf(double seconds) const { return heatmapRect().left() + axis_.xOf(seconds); }
    double dimensionAt(double y) const;
    /// Token number of a time, with the part of it that has passed.
    double tokenPosition(double seconds) const;
    /// Draws anew; `userMoved` tells others that the user chose another part.
    void axisChanged();
    void userMoved();
    void renderHeatmap();
    NormScale normScale() const;
    void paintDimensions(QPainter& painter) const;
    void paintNorms(QPainter& painter) const;
    void paintNormCurve(QPainter& painter, const NormScale& scale) const;
    void paintSeconds(QPainter& painter) const;
    void paintCursor(QPainter& painter) const;
    void onCursorChanged();
    bool handleCursorKey(QKeyEvent* event);

    std::shared_ptr<const EmbeddingMatrix> matrix_;
    QPointer<CursorModel> cursor_;
    ColorLimits limits_;
    TimeAxis axis_;
    double first_dimension_ = 0;
    double last_dimension_ = 0;
    QImage heatmap_;
    bool heatmap_valid_ = false;
    QPoint press_position_;
    double press_begin_ = 0;
    bool dragging_ = false;
    bool norms_shown_ = true;
    QString caption_;
};

}  // namespace earscope
