#pragma once
#include "widgets/look/layer_views.h"

#include <QWidget>

namespace earscope {

/// Counts of values as bars on a logarithmic scale, so that a lone outlier is seen.
class HistogramView : public QWidget {
    Q_OBJECT
public:
    explicit HistogramView(QWidget* parent = nullptr);

    void setHistogram(std::shared_ptr<const Histogram> histogram);
    QString describe(int bin) const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    QRect plotRect() const;

    std::shared_ptr<const Histogram> histogram_;
};

}  // namespace earscope
