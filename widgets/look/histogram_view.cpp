#include "widgets/look/histogram_view.h"

#include "widgets/plot/theme.h"

#include <QHelpEvent>
#include <QLocale>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace earscope {

HistogramView::HistogramView(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    setAccessibleName(tr("Histogram"));
}

void HistogramView::setHistogram(std::shared_ptr<const Histogram> histogram) {
    histogram_ = std::move(histogram);
    if (histogram_) {
        const qint64 all =
            std::accumulate(histogram_->counts.begin(), histogram_->counts.end(), qint64(0));
        const QLocale locale;
        setAccessibleDescription(tr("%1: %2 values from %3 to %4, %5 not finite")
                                     .arg(histogram_->valueName, locale.toString(all),
                                          numberText(histogram_->low), numberText(histogram_->high),
                                          locale.toString(histogram_->notFinite)));
    }
    update();
}

QSize HistogramView::sizeHint() const {
    return {360, 200};
}

QSize HistogramView::minimumSizeHint() const {
    return {160, 100};
}

QRect HistogramView::plotRect() const {
    const int line = fontMetrics().height();
    const int left = fontMetrics().horizontalAdvance(QStringLiteral("100,000,000")) + line + 8;
    return QRect(0, 0, width(), height()).adjusted(left, line / 2 + 2, -8, -2 * line - 8);
}

QString HistogramView::describe(int bin) const {
    if (!histogram_ || bin < 0 || bin >= static_cast<int>(histogram_->counts.size())) {
        return {};
    }
    const double step =
        (histogram_->high - histogram_->low) / static_cast<double>(histogram_->counts.size());
    return tr("%1 to %2: %3 values")
        .arg(numberText(histogram_->low + bin * step),
             numberText(histogram_->low + (bin + 1) * step),
             QLocale().toString(histogram_->counts[static_cast<std::size_t>(bin)]));
}

bool HistogramView::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip && histogram_) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const QRect rect = plotRect();
        const double part = static_cast<double>(help->x() - rect.left()) / rect.width();
        const QString text =
            part < 0
                ? QString()
                : describe(static_cast<int>(part * static_cast<double>(histogram_->counts.size())));
        QToolTip::showText(help->globalPos(), text, this);
        return true;
    }
    return QWidget::event(event);
}

void HistogramView::paintEvent(QPaintEvent* /*event*/) {
    if (!histogram_ || histogram_->counts.empty()) {
        return;
    }
    QPainter painter(this);
    const QRect rect = plotRect();
    const int line = painter.fontMetrics().height();
    painter.fillRect(rect, palette().base());
    const qint64 most = *std::max_element(histogram_->counts.begin(), histogram_->counts.end());
    // A single value still has a bar, so the scale begins below 1.
    const double top = std::log10(std::max<double>(10, static_cast<double>(most)) / 0.5);
    const auto heightOf = [&](double count) {
        return count <= 0 ? 0.0 : std::log10(count / 0.5) / top * rect.height();
    };
    const double width = rect.width() / static_cast<double>(histogram_->counts.size());
    for (std::size_t i = 0; i < histogram_->counts.size(); ++i) {
        const double high = heightOf(static_cast<double>(histogram_->counts[i]));
        const double left = rect.left() + static_cast<double>(i) * width;
        painter.fillRect(QRectF(left, rect.bottom() + 1 - high, std::max(1.0, width - 0.5), high),
                         waveformColor(palette()));
    }
    const QLocale locale;
    painter.setPen(palette().color(QPalette::Text));
    for (double count = 1; count <= static_cast<double>(std::max<qint64>(most, 10)); count *= 10) {
        const double y = rect.bottom() + 1 - heightOf(count);
        painter.drawLine(QPointF(rect.left() - 4, y), QPointF(rect.left(), y));
        painter.drawText(QRectF(0, y - line / 2.0, rect.left() - 6, line), Qt::AlignRight,
                         locale.toString(static_cast<qint64>(count)));
    }
    const QRect below(rect.left(), rect.bottom() + 4, rect.width(), line);
    painter.drawText(below, Qt::AlignLeft, numberText(histogram_->low));
    painter.drawText(below, Qt::AlignRight, numberText(histogram_->high));
    if (histogram_->low < 0 && histogram_->high > 0) {
        const double zero =
            rect.left() - histogram_->low / (histogram_->high - histogram_->low) * rect.width();
        painter.drawLine(QPointF(zero, rect.bottom()), QPointF(zero, rect.bottom() + 4));
        painter.drawText(QRectF(zero - 20, rect.bottom() + 4, 40, line), Qt::AlignCenter,
                         QStringLiteral("0"));
    }
    painter.drawText(QRect(rect.left(), height() - line, rect.width(), line), Qt::AlignCenter,
                     histogram_->valueName);
    painter.save();
    painter.translate(line / 2 + 1, rect.center().y());
    painter.rotate(-90);
    painter.drawText(QRect(-height() / 2, -line / 2, height(), line), Qt::AlignCenter,
                     tr("values per bin (log)"));
    painter.restore();
    painter.setPen(palette().color(QPalette::Mid));
    painter.drawRect(rect.adjusted(0, 0, -1, -1));
}

}  // namespace earscope
