#pragma once
#include "core/bridge/values.h"

#include <QImage>
#include <QPalette>
#include <QRgb>
#include <QSize>

#include <array>

namespace earscope {

enum class ColorMapId {
    Viridis,         ///< sequential, the default
    Magma,           ///< sequential, for mel
    DivergingLight,  ///< blue, white, red: 0 is the background of the light theme
    DivergingDark,   ///< blue, near black, red: 0 is the background of the dark theme
};

/// 256 colours from the lowest to the highest value. Interpolated in the Oklab space between a few
/// control points of our own, so that lightness is even: rising for sequential maps, symmetric
/// about the centre for diverging ones.
class ColorMap {
public:
    static constexpr int kSize = 256;

    /// Lives as long as the program.
    static const ColorMap& named(ColorMapId id);
    /// The diverging map whose neutral centre suits the palette.
    static const ColorMap& diverging(const QPalette& palette);

    ColorMapId id() const { return id_; }
    bool isDiverging() const { return id_ >= ColorMapId::DivergingLight; }
    QRgb at(int index) const { return table_[static_cast<std::size_t>(index)]; }
    /// NaN gives `nanColor()`; values beyond the limits the end colours.
    QRgb color(float value, float low, float high) const;
    /// Drawn where a value is no number: a colour no map holds.
    static QRgb nanColor();

private:
    explicit ColorMap(ColorMapId id);

    ColorMapId id_;
    std::array<QRgb, kSize> table_{};
};

/// The values that get the first and the last colour.
struct ColorLimits {
    float low = 0;
    float high = 1;

    bool operator==(const ColorLimits&) const = default;
};

/// Smallest and largest finite value; {0,1} when there is none; a constant is widened a little.
ColorLimits fullLimits(const TensorValue& values);
/// Percentiles of the finite values, 0.5 and 99.5 by default, so that a few huge values do not
/// blank the rest. Of large tensors a repeatable sample of at least 262,144 values decides.
ColorLimits robustLimits(const TensorValue& values, double lowPercent = 0.5,
                         double highPercent = 99.5);
/// Limits of the same distance from 0 that hold both ends.
ColorLimits symmetricLimits(const ColorLimits& limits);

/// Which value stands for all cells of a pixel. NaN wins over both, so that it is never hidden.
enum class Reduction {
    Max,     ///< sequential values
    MaxAbs,  ///< signed values: the one farthest from 0, with its sign
};

/// `values` with rows and columns exchanged.
TensorValue transposed(const TensorValue& values);

struct MatrixRender {
    QSize size;  ///< of the image, in device pixels
    double firstColumn = 0;
    double lastColumn = -1;  ///< exclusive; below firstColumn: all columns
    double firstRow = 0;
    double lastRow = -1;  ///< exclusive; below firstRow: all rows
    bool firstRowAtBottom = false;
    ColorLimits limits;
    ColorMapId map = ColorMapId::Viridis;
    Reduction reduction = Reduction::Max;
    bool hatchClipped = false;  ///< marks what lies beyond the limits
    bool fadeToZero = false;    ///< the nearer to 0, the more transparent: to lie over a picture
};

struct MatrixImage {
    QImage image;      ///< premultiplied; transparent where the range leaves the matrix
    qint64 below = 0;  ///< pixels whose value lies under the lower limit
    qint64 above = 0;  ///< pixels whose value lies over the upper limit
    qint64 nan = 0;    ///< pixels that hold a NaN
};

/// A matrix with levels of fewer columns, so that drawing any part of a long one costs O(width) and
/// never loses a lone extreme. Level 0 is the tensor itself, not a copy.
class MatrixPyramid {
public:
    static constexpr qint64 kFirstFactor = 8;  ///< columns merged into one of the first level
    static constexpr qint64 kFactor = 4;       ///< and from level to level

    MatrixPyramid() = default;
    MatrixPyramid(TensorValue values, Reduction reduction);

    const TensorValue& values() const { return levels_.front(); }
    bool isEmpty() const { return levels_.empty() || levels_.front().isEmpty(); }
    qint64 rows() const { return isEmpty() ? 0 : levels_.front().rows(); }
    qint64 columns() const { return isEmpty() ? 0 : levels_.front().columns(); }
    Reduction reduction() const { return reduction_; }
    /// Coarsest level that still has a column or more per pixel.
    int levelFor(double columnsPerPixel) const;
    /// Columns of the matrix that one column of this level stands for.
    static qint64 columnsPerCell(int level);
    const TensorValue& level(int index) const { return levels_[static_cast<std::size_t>(index)]; }

private:
    std::vector<TensorValue> levels_;
    Reduction reduction_ = Reduction::Max;
};

/// Reduces the asked part of a matrix to pixels, keeping extremes, and colours it. Where a cell is
/// wider than a pixel it is drawn as a block, never smoothed.
MatrixImage renderMatrix(const TensorValue& values, const MatrixRender& render);
/// The same from a pyramid, whose reduction is used; cost O(width * rows).
MatrixImage renderMatrix(const MatrixPyramid& pyramid, const MatrixRender& render);

}  // namespace earscope
