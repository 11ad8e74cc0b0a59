#pragma once
#include "widgets/plot/color_map.h"

#include <QWidget>

namespace earscope {

/// A vertical colour scale with its limits as text, the unit, and how the limits were chosen.
class ColorBar : public QWidget {
    Q_OBJECT
public:
    explicit ColorBar(QWidget* parent = nullptr);

    void setMap(ColorMapId map);
    /// `note` says where the limits come from, e.g. "p0.5…p99.5 of this source".
    void setLimits(const ColorLimits& limits, const QString& note = {});
    void setUnit(const QString& unit);
    ColorLimits limits() const { return limits_; }
    QString unit() const { return unit_; }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void describe();

    ColorMapId map_ = ColorMapId::Viridis;
    ColorLimits limits_;
    QString note_;
    QString unit_;
};

}  // namespace earscope
