#include "widgets/plot/color_map.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace earscope {

namespace {

/// Cells [begin, end) that one pixel stands for; empty outside the matrix.
struct Cells {
    qint64 begin = 0;
    qint64 end = 0;
};

/// Shares cells out to pixels. Where a pixel holds several cells each cell goes to exactly one of
/// them, the last partial one included; where a cell is wider than a pixel, the one under the
/// pixel's middle counts.
std::vector<Cells> shareOut(double first, double last, int pixels, qint64 cells, double cellSize,
                            double wholeSize) {
    std::vector<Cells> result(static_cast<std::size_t>(pixels));
    const double step = (last - first) / pixels;
    for (int x = 0; x < pixels; ++x) {
        const double begin = first + x * step;
        // Not first + pixels * step, whose rounding can fall short of the last cell.
        const double end = x + 1 == pixels ? last : first + (x + 1) * step;
        if (end <= 0 || begin >= wholeSize) {
            continue;
        }
        Cells cell;
        if (step < cellSize) {
            const double middle = (begin + end) / 2;
            if (middle < 0 || middle >= wholeSize) {
                continue;
            }
            cell.begin = static_cast<qint64>(middle / cellSize);
            cell.end = cell.begin + 1;
        } else {
            cell.begin = static_cast<qint64>(std::floor(std::max(begin, 0.0) / cellSize));
            cell.end = end >= wholeSize ? cells : static_cast<qint64>(std::floor(end / cellSize));
            cell.end = std::max(cell.end, cell.begin + 1);
        }
        cell.begin = std::clamp<qint64>(cell.begin, 0, cells);
        cell.end = std::clamp<qint64>(cell.end, cell.begin, cells);
        result[static_cast<std::size_t>(x)] = cell;
    }
    return result;
}

// The comparisons are written so that a NaN replaces any number and is replaced by none.
struct TakeMax {
    static constexpr float kStart = -std::numeric_limits<float>::infinity();
    float operator()(float kept, float value) const {
        return value > kept || value != value ? value : kept;
    }
};
struct TakeMaxAbs {
    static constexpr float kStart = 0;
    float operator()(float kept, float value) const {
        return std::abs(value) > std::abs(kept) || value != value ? value : kept;
    }
};

template <typename Take>
void reduceRow(const float* row, const std::vector<Cells>& columns, std::vector<float>& kept) {
    const Take take;
    for (std::size_t x = 0; x < columns.size(); ++x) {
        float value = kept[x];
        for (qint64 c = columns[x].begin; c < columns[x].end; ++c) {
            value = take(value, row[c]);
        }
        kept[x] = value;
    }
}

/// `count` values, a multiple of 4, become one. Four independent chains: a single one would wait
/// for each comparison, and a 20 minute mel is reduced while the window waits.
template <typename Take>
float reducedBlock(const float* values, qint64 count) {
    const Take take;
    float a = values[0];
    float b = values[1];
    float c = values[2];
    float d = values[3];
    for (qint64 i = 4; i < count; i += 4) {
        a = take(a, values[i]);
        b = take(b, values[i + 1]);
        c = take(c, values[i + 2]);
        d = take(d, values[i + 3]);
    }
    return take(take(a, b), take(c, d));
}

/// `factor` columns become one.
template <typename Take>
TensorValue merged(const TensorValue& finer, qint64 factor) {
    const Take take;
    const qint64 columns = (finer.columns() + factor - 1) / factor;
    const qint64 whole = finer.columns() / factor;
    std::vector<float> data(static_cast<std::size_t>(finer.rows() * columns));
    for (qint64 r = 0; r < finer.rows(); ++r) {
        const float* from = finer.data->data() + r * finer.columns();
        float* to = data.data() + r * columns;
        for (qint64 c = 0; c < whole; ++c) {
            to[c] = reducedBlock<Take>(from + c * factor, factor);
        }
        if (whole < columns) {
            float value = Take::kStart;
            for (qint64 i = whole * factor; i < finer.columns(); ++i) {
                value = take(value, from[i]);
            }
            to[whole] = value;
        }
    }
    return {{finer.rows(), columns}, std::make_shared<const std::vector<float>>(std::move(data))};
}

/// Premultiplied, as images keep it.
QRgb withAlpha(QRgb color, float alpha) {
    const int part = static_cast<int>(std::lround(alpha * 255));
    return qPremultiply(qRgba(qRed(color), qGreen(color), qBlue(color), part));
}

/// One coloured line before hatching, which depends on the line's place.
struct Line {
    std::vector<QRgb> pixels;
    std::vector<char> clipped;
    MatrixImage counts;
};

/// Turns one line of reduced values into pixels and counts what the limits cut off.
void colorLine(const std::vector<float>& values, const std::vector<Cells>& columns,
               const MatrixRender& render, Line& line) {
    QRgb* pixels = line.pixels.data();
    MatrixImage& counts = line.counts;
    counts = {};
    const ColorMap& map = ColorMap::named(render.map);
    const float low = render.limits.low;
    const float high = render.limits.high;
    // ColorMap::color for what lies between the limits, its division taken out of the loop.
    const float scale = high > low ? ColorMap::kSize / (high - low) : 0;
    const float farthest = std::max(std::abs(low), std::abs(high));
    for (std::size_t x = 0; x < values.size(); ++x) {
        if (columns[x].begin >= columns[x].end) {
            pixels[x] = qRgba(0, 0, 0, 0);
            line.clipped[x] = 0;
            continue;
        }
        const float value = values[x];
        counts.nan += std::isnan(value) ? 1 : 0;
        counts.below += value < low ? 1 : 0;
        counts.above += value > high ? 1 : 0;
        line.clipped[x] = value < low || value > high ? 1 : 0;
        if (value >= low && value <= high && scale > 0) {
            const int index = static_cast<int>((value - low) * scale);
            pixels[x] = map.at(std::min(index, ColorMap::kSize - 1));
        } else {
            pixels[x] = map.color(value, low, high);
        }
        if (render.fadeToZero && !std::isnan(value)) {
            // The root lifts what is weak but not nothing.
            const float part = farthest > 0 ? std::min(1.0F, std::abs(value) / farthest) : 0;
            pixels[x] = withAlpha(pixels[x], std::sqrt(part));
        }
    }
}

void addCounts(MatrixImage& image, const MatrixImage& line) {
    image.below += line.below;
    image.above += line.above;
    image.nan += line.nan;
}

/// Every fourth pixel of what is clipped turns black or white, whichever differs more: diagonal
/// stripes on an area, and three of four pixels of a lone column keep its colour.
void hatch(const Line& line, int y, QRgb* pixels) {
    for (std::size_t x = 0; x < line.clipped.size(); ++x) {
        if (line.clipped[x] != 0 && (x + static_cast<std::size_t>(y)) % 4 == 0) {
            pixels[x] = qGray(pixels[x]) < 128 ? qRgb(255, 255, 255) : qRgb(0, 0, 0);
        }
    }
}

/// Draws from one level, whose columns stand for `cellSize` columns of the whole matrix.
template <typename Take>
MatrixImage renderLevel(const TensorValue& level, qint64 wholeColumns, double cellSize,
                        const MatrixRender& render) {
    const bool all_columns = render.lastColumn < render.firstColumn;
    const bool all_rows = render.lastRow < render.firstRow;
    const auto whole = static_cast<double>(wholeColumns);
    const auto rows_in_all = static_cast<double>(level.rows());
    const std::vector<Cells> columns =
        shareOut(all_columns ? 0 : render.firstColumn, all_columns ? whole : render.lastColumn,
                 render.size.width(), level.columns(), cellSize, whole);
    const std::vector<Cells> rows =
        shareOut(all_rows ? 0 : render.firstRow, all_rows ? rows_in_all : render.lastRow,
                 render.size.height(), level.rows(), 1, rows_in_all);
    // Without transparent parts the image can be copied instead of blended.
    const auto covered = [](const Cells& cells) { return cells.begin < cells.end; };
    const bool opaque = !render.fadeToZero &&
                        std::all_of(columns.begin(), columns.end(), covered) &&
                        std::all_of(rows.begin(), rows.end(), covered);
    MatrixImage result{
        QImage(render.size, opaque ? QImage::Format_RGB32 : QImage::Format_ARGB32_Premultiplied)};
    std::vector<float> values(columns.size());
    Cells drawn{-1, -1};
    Line drawn_line{std::vector<QRgb>(columns.size()), std::vector<char>(columns.size()), {}};
    for (int y = 0; y < render.size.height(); ++y) {
        const int image_row = render.firstRowAtBottom ? render.size.height() - 1 - y : y;
        auto* line = reinterpret_cast<QRgb*>(result.image.scanLine(image_row));
        const Cells band = rows[static_cast<std::size_t>(y)];
        if (band.begin >= band.end) {
            std::fill_n(line, render.size.width(), qRgba(0, 0, 0, 0));
            continue;
        }
        if (band.begin != drawn.begin || band.end != drawn.end) {  // else a row taller than a pixel
            std::fill(values.begin(), values.end(), Take::kStart);
            for (qint64 r = band.begin; r < band.end; ++r) {
                reduceRow<Take>(level.data->data() + r * level.columns(), columns, values);
            }
            colorLine(values, columns, render, drawn_line);
            drawn = band;
        }
        std::copy(drawn_line.pixels.begin(), drawn_line.pixels.end(), line);
        if (render.hatchClipped) {
            hatch(drawn_line, image_row, line);
        }
        addCounts(result, drawn_line.counts);
    }
    return result;
}

MatrixImage renderAny(const TensorValue& level, qint64 wholeColumns, double cellSize,
                      Reduction reduction, const MatrixRender& render) {
    if (render.size.isEmpty()) {
        return {};
    }
    if (level.isEmpty() || level.columns() == 0) {
        MatrixImage blank{QImage(render.size, QImage::Format_ARGB32_Premultiplied)};
        blank.image.fill(Qt::transparent);
        return blank;
    }
    return reduction == Reduction::Max
               ? renderLevel<TakeMax>(level, wholeColumns, cellSize, render)
               : renderLevel<TakeMaxAbs>(level, wholeColumns, cellSize, render);
}

}  // namespace

TensorValue transposed(const TensorValue& values) {
    const qint64 rows = values.rows();
    const qint64 columns = values.columns();
    if (values.isEmpty()) {
        return {{columns, rows}, values.data};
    }
    std::vector<float> data(values.data->size());
    constexpr qint64 kBlock = 32;  // keeps both sides of the exchange in the cache
    for (qint64 r0 = 0; r0 < rows; r0 += kBlock) {
        for (qint64 c0 = 0; c0 < columns; c0 += kBlock) {
            for (qint64 r = r0; r < std::min(rows, r0 + kBlock); ++r) {
                for (qint64 c = c0; c < std::min(columns, c0 + kBlock); ++c) {
                    data[static_cast<std::size_t>(c * rows + r)] = values.at(r, c);
                }
            }
        }
    }
    return {{columns, rows}, std::make_shared<const std::vector<float>>(std::move(data))};
}

MatrixPyramid::MatrixPyramid(TensorValue values, Reduction reduction) : reduction_(reduction) {
    levels_.push_back(std::move(values));
    qint64 factor = kFirstFactor;
    while (!levels_.back().isEmpty() && levels_.back().columns() > 2 * factor) {
        levels_.push_back(reduction == Reduction::Max ? merged<TakeMax>(levels_.back(), factor)
                                                      : merged<TakeMaxAbs>(levels_.back(), factor));
        factor = kFactor;
    }
}

qint64 MatrixPyramid::columnsPerCell(int level) {
    qint64 columns = level > 0 ? kFirstFactor : 1;
    for (int i = 1; i < level; ++i) {
        columns *= kFactor;
    }
    return columns;
}

int MatrixPyramid::levelFor(double columnsPerPixel) const {
    int level = 0;
    while (level + 1 < static_cast<int>(levels_.size()) &&
           static_cast<double>(columnsPerCell(level + 1)) <= columnsPerPixel) {
        ++level;
    }
    return level;
}

MatrixImage renderMatrix(const TensorValue& values, const MatrixRender& render) {
    return renderAny(values, values.columns(), 1, render.reduction, render);
}

MatrixImage renderMatrix(const MatrixPyramid& pyramid, const MatrixRender& render) {
    if (pyramid.isEmpty() || render.size.isEmpty()) {
        return renderAny({}, 0, 1, render.reduction, render);
    }
    const bool all = render.lastColumn < render.firstColumn;
    const double span =
        all ? static_cast<double>(pyramid.columns()) : render.lastColumn - render.firstColumn;
    const int level = pyramid.levelFor(span / render.size.width());
    return renderAny(pyramid.level(level), pyramid.columns(),
                     static_cast<double>(MatrixPyramid::columnsPerCell(level)), pyramid.reduction(),
                     render);
}

}  // namespace earscope
