#include "widgets/look/pca.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace earscope {
namespace {

constexpr std::size_t kBlock = 6;  // directions followed at once; the first two are kept
constexpr int kRounds = 200;
constexpr double kTolerance = 1e-9;

using Small = std::array<std::array<double, kBlock>, kBlock>;
using Row = std::array<double, kBlock>;

/// `values` about the mean of its rows.
class Centred {
public:
    explicit Centred(const TensorValue& values)
        : rows_(static_cast<std::size_t>(values.rows())),
          columns_(static_cast<std::size_t>(values.columns())),
          data_(rows_ * columns_),
          finite_(rows_, 1) {
        std::vector<double> mean(columns_, 0);
        double counted = 0;
        for (std::size_t r = 0; r < rows_; ++r) {
            const float* row = values.data->data() + r * columns_;
            finite_[r] = std::all_of(row, row + columns_, [](float v) { return std::isfinite(v); });
            for (std::size_t c = 0; finite_[r] != 0 && c < columns_; ++c) {
                mean[c] += static_cast<double>(row[c]);
            }
            counted += finite_[r] != 0 ? 1 : 0;
        }
        for (std::size_t r = 0; r < rows_; ++r) {
            const float* row = values.data->data() + r * columns_;
            for (std::size_t c = 0; finite_[r] != 0 && c < columns_; ++c) {
                data_[r * columns_ + c] =
                    static_cast<float>(static_cast<double>(row[c]) - mean[c] / counted);
            }
        }
    }

    std::size_t rows() const { return rows_; }
    std::size_t columns() const { return columns_; }
    const float* row(std::size_t index) const { return data_.data() + index * columns_; }
    double variance() const {
        return std::accumulate(data_.begin(), data_.end(), 0.0, [](double sum, float value) {
            return sum + static_cast<double>(value) * static_cast<double>(value);
        });
    }

    /// [n,b] = X [D,b]
    std::vector<Row> times(const std::vector<Row>& directions) const {
        std::vector<Row> result(rows_, Row{});
        for (std::size_t r = 0; r < rows_; ++r) {
            const float* values = row(r);
            Row sum{};
            for (std::size_t c = 0; c < columns_; ++c) {
                for (std::size_t k = 0; k < kBlock; ++k) {
                    sum[k] += static_cast<double>(values[c]) * directions[c][k];
                }
            }
            result[r] = sum;
        }
        return result;
    }

    /// [D,b] = X^T [n,b]
    std::vector<Row> transposedTimes(const std::vector<Row>& scores) const {
        std::vector<Row> result(columns_, Row{});
        for (std::size_t r = 0; r < rows_; ++r) {
            const float* values = row(r);
            const Row& score = scores[r];
            for (std::size_t c = 0; c < columns_; ++c) {
                for (std::size_t k = 0; k < kBlock; ++k) {
                    result[c][k] += static_cast<double>(values[c]) * score[k];
                }
            }
        }
        return result;
    }

private:
    std::size_t rows_;
    std::size_t columns_;
    std::vector<float> data_;  // a long source has 120 million of them
    std::vector<char> finite_;
};

/// Modified Gram-Schmidt, twice; a direction that the others already span becomes zero.
void orthonormalize(std::vector<Row>& block) {
    for (std::size_t k = 0; k < kBlock; ++k) {
        double before = 0;
        for (const Row& row : block) {
            before += row[k] * row[k];
        }
        for (int pass = 0; pass < 2; ++pass) {
            for (std::size_t j = 0; j < k; ++j) {
                double dot = 0;
                for (const Row& row : block) {
                    dot += row[j] * row[k];
                }
                for (Row& row : block) {
                    row[k] -= dot * row[j];
                }
            }
        }
        double length = 0;
        for (const Row& row : block) {
            length += row[k] * row[k];
        }
        const bool gone = length <= 1e-24 * before || length <= 0;
        const double scale = gone ? 0 : 1 / std::sqrt(length);
        for (Row& row : block) {
            row[k] *= scale;
        }
    }
}

/// Eigenvectors (columns of the result) and values of a small symmetric matrix, by Jacobi
/// rotations.
Small jacobi(Small a, Row& values) {
    Small vectors{};
    for (std::size_t i = 0; i < kBlock; ++i) {
        vectors[i][i] = 1;
    }
    for (int sweep = 0; sweep < 30; ++sweep) {
        for (std::size_t p = 0; p < kBlock; ++p) {
            for (std::size_t q = p + 1; q < kBlock; ++q) {
                if (a[p][q] == 0) {
                    continue;
                }
                const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
                const double t =
                    (theta >= 0 ? 1 : -1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
                const double c = 1 / std::sqrt(t * t + 1);
                const double s = t * c;
                for (std::size_t i = 0; i < kBlock; ++i) {
                    const double ip = a[i][p];
                    a[i][p] = c * ip - s * a[i][q];
                    a[i][q] = s * ip + c * a[i][q];
                    const double vp = vectors[i][p];
                    vectors[i][p] = c * vp - s * vectors[i][q];
                    vectors[i][q] = s * vp + c * vectors[i][q];
                }
                for (std::size_t i = 0; i < kBlock; ++i) {
                    const double pi = a[p][i];
                    a[p][i] = c * pi - s * a[q][i];
                    a[q][i] = s * pi + c * a[q][i];
                }
            }
        }
    }
    for (std::size_t i = 0; i < kBlock; ++i) {
        values[i] = a[i][i];
    }
    return vectors;
}

/// Turns the block so that its directions are the best in the space it spans, best first, and the
/// scores with it.
/// @return  their sums of squares
Row turnToAxes(std::vector<Row>& directions, std::vector<Row>& scores) {
    Small gram{};
    for (const Row& score : scores) {
        for (std::size_t i = 0; i < kBlock; ++i) {
            for (std::size_t j = 0; j < kBlock; ++j) {
                gram[i][j] += score[i] * score[j];
            }
        }
    }
    Row values{};
    const Small vectors = jacobi(gram, values);
    std::array<std::size_t, kBlock> order{};
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
    for (std::vector<Row>* block : {&directions, &scores}) {
        for (Row& row : *block) {
            Row turned{};
            for (std::size_t k = 0; k < kBlock; ++k) {
                for (std::size_t j = 0; j < kBlock; ++j) {
                    turned[k] += row[j] * vectors[j][order[k]];
                }
            }
            row = turned;
        }
    }
    Row sorted{};
    for (std::size_t k = 0; k < kBlock; ++k) {
        sorted[k] = std::max(0.0, values[order[k]]);
    }
    return sorted;
}

std::vector<Row> startingBlock(std::size_t columns) {
    std::mt19937_64 random(20'260'101);
    std::vector<Row> block(columns);
    for (Row& row : block) {
        for (double& value : row) {
            // Not a distribution of the library, whose numbers differ between libraries.
            value = static_cast<double>(random() >> 11) / 9007199254740992.0 - 0.5;
        }
    }
    orthonormalize(block);
    return block;
}

}  // namespace

PrincipalPlane principalPlane(const TensorValue& values) {
    PrincipalPlane plane;
    if (values.isEmpty() || values.columns() == 0) {
        return plane;
    }
    const Centred matrix(values);
    const double variance = matrix.variance();
    std::vector<Row> directions = startingBlock(matrix.columns());
    Row before{};
    std::vector<Row> scores;
    for (int round = 0; round < kRounds; ++round) {
        scores = matrix.times(directions);
        const Row sums = turnToAxes(directions, scores);
        const double change = std::abs(sums[0] - before[0]) + std::abs(sums[1] - before[1]);
        before = sums;
        if (round > 0 && change <= kTolerance * (sums[0] + sums[1])) {
            break;
        }
        directions = matrix.transposedTimes(scores);
        orthonormalize(directions);
    }
    scores = matrix.times(directions);
    for (std::size_t k = 0; k < 2; ++k) {
        double largest = 0;
        for (const Row& row : directions) {
            largest = std::abs(row[k]) > std::abs(largest) ? row[k] : largest;
        }
        const double sign = largest < 0 ? -1 : 1;
        for (const Row& row : directions) {
            plane.directions[k].push_back(sign * row[k]);
        }
        for (Row& score : scores) {
            score[k] *= sign;
        }
    }
    for (const Row& score : scores) {
        plane.points.push_back({score[0], score[1]});
    }
    plane.share = {variance > 0 ? before[0] / variance : 0,
                   variance > 0 ? before[1] / variance : 0};
    return plane;
}

}  // namespace earscope
