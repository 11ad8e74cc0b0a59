#pragma once
#include "core/bridge/values.h"

#include <QPixmap>
#include <QWidget>

#include <vector>

namespace earscope {

/// All positions of a request side by side, coloured by class.
///
/// Zooms at the mouse with the wheel and pans with the middle button or Shift+wheel. Where several
/// tokens share a pixel column the rarest class of them is drawn, so that no lone boundary gets
/// lost between thousands of audio tokens.
class TokenStrip : public QWidget {
    Q_OBJECT
public:
    explicit TokenStrip(QWidget* parent = nullptr);

    void setTokens(std::vector<TokenValue> tokens);
    int tokenCount() const { return static_cast<int>(tokens_.size()); }
    /// Outlined token, or -1; scrolls it into view when it lies outside.
    void setCurrent(int row);
    int current() const { return current_; }
    /// Fainter outline that follows the mouse in another view.
    void setHovered(int row);
    /// Row under x, or -1.
    int rowAt(double x) const;
    /// First and one past the last visible row, not whole numbers while zoomed.
    double firstVisible() const { return first_; }
    double lastVisible() const { return last_; }
    QString description() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

public Q_SLOTS:
    void fit();
    void showRange(double first, double last);

Q_SIGNALS:
    void tokenClicked(int row, Qt::KeyboardModifiers modifiers);
    /// -1: the mouse left.
    void tokenHovered(int row);
    void rangeChanged(double first, double last);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    double cellWidth() const;
    double xOf(double row) const;
    QRectF cellRect(int row) const;
    void paintCells(QPainter& painter) const;
    void paintSeparator(QPainter& painter, const QRectF& rect, const TokenValue& token,
                        const QColor& color) const;
    void paintColumns(QPainter& painter) const;
    void paintSources(QPainter& painter) const;
    void paintOutline(QPainter& painter, int row, const QColor& color) const;
    void step(int by);

    std::vector<TokenValue> tokens_;
    std::vector<int> rarity_;  ///< per class, 0 is the most frequent
    QPixmap cache_;
    double first_ = 0;
    double last_ = 0;
    int current_ = -1;
    int hovered_ = -1;
    double drag_x_ = 0;
};

}  // namespace earscope
