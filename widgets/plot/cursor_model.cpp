#include "widgets/plot/cursor_model.h"

#include <algorithm>
#include <cmath>

namespace earscope {

namespace {

constexpr double kStepWithoutTokens = 0.01;

}  // namespace

CursorModel::CursorModel(QObject* parent) : QObject(parent) {}

void CursorModel::setSources(std::vector<SourceTimes> sources) {
    sources_ = std::move(sources);
    Q_EMIT sourcesChanged();
    const auto fits = [this](int source, double end) {
        return hasSource(source) && end <= this->source(source).durationSeconds;
    };
    update(locked_.isValid() && fits(locked_.source, locked_.seconds) ? locked_ : CursorPoint{},
           hover_.isValid() && fits(hover_.source, hover_.seconds) ? hover_ : CursorPoint{});
    // Token numbers of a range are those of the old tokens, so the seconds decide which are meant.
    const auto renewed = [&](const CursorRange& range) {
        if (range.isEmpty() || !fits(range.source, range.endSeconds)) {
            return CursorRange{};
        }
        CursorRange result = range;
        const double middle = secondsOf(range.source, 1) / 2;
        result.firstToken = tokenAt(range.source, range.beginSeconds + middle);
        result.lastToken = tokenAt(range.source, range.endSeconds - middle);
        return result;
    };
    setRanges(renewed(range_), renewed(second_range_));
}

bool CursorModel::hasSource(int source) const {
    return source >= 0 && source < sourceCount();
}

CursorPoint CursorModel::clamped(int source, double seconds) const {
    if (!hasSource(source) || !std::isfinite(seconds)) {
        return {};
    }
    return {source, std::clamp(seconds, 0.0, std::max(0.0, this->source(source).durationSeconds))};
}

int CursorModel::token() const {
    const CursorPoint at = point();
    return at.isValid() ? tokenAt(at.source, at.seconds) : -1;
}

int CursorModel::tokenCount(int source) const {
    return hasSource(source) ? static_cast<int>(this->source(source).tokenSeconds.size()) : 0;
}

int CursorModel::tokenAt(int source, double seconds) const {
    if (tokenCount(source) == 0) {
        return -1;
    }
    const std::vector<double>& begins = this->source(source).tokenSeconds;
    // A time computed from a token's own begin must find that token in spite of rounding.
    constexpr double kRounding = 1e-9;
    const auto next = std::upper_bound(begins.begin(), begins.end(), seconds + kRounding);
    if (next == begins.begin()) {
        return -1;
    }
    const int token = static_cast<int>(next - begins.begin()) - 1;
    return seconds <= endOf(source, token) + kRounding ? token : -1;
}

double CursorModel::secondsOf(int source, int token) const {
    if (token < 0 || token >= tokenCount(source)) {
        return 0;
    }
    return this->source(source).tokenSeconds[static_cast<std::size_t>(token)];
}

double CursorModel::middleOf(int source, int token) const {
    return (secondsOf(source, token) + endOf(source, token)) / 2;
}

double CursorModel::endOf(int source, int token) const {
    if (token < 0 || token >= tokenCount(source)) {
        return 0;
    }
    return secondsOf(source, token) + this->source(source).secondsPerToken;
}

void CursorModel::hover(int source, double seconds) {
    update(locked_, clamped(source, seconds));
}

void CursorModel::hoverToken(int source, int token) {
    hover(source, middleOf(source, token));
}

void CursorModel::leave() {
    update(locked_, {});
}

void CursorModel::lock(int source, double seconds) {
    const CursorPoint at = clamped(source, seconds);
    if (!at.isValid()) {
        return;
    }
    setRanges({}, {});
    update(at, hover_);
    range_end_ = at;
}

void CursorModel::lockToken(int source, int token) {
    if (token >= 0 && token < tokenCount(source)) {
        lock(source, middleOf(source, token));
    }
}

void CursorModel::extendTo(int source, double seconds) {
    const CursorPoint at = clamped(source, seconds);
    if (!at.isValid()) {
        return;
    }
    if (!locked_.isValid() || locked_.source != source) {
        lock(source, seconds);
        return;
    }
    range_end_ = at;
    CursorRange range{source, -1, -1, std::min(locked_.seconds, at.seconds),
                      std::max(locked_.seconds, at.seconds)};
    const int first = tokenAt(source, range.beginSeconds);
    const int last = tokenAt(source, range.endSeconds);
    if (first >= 0) {
        range.firstToken = first;
        range.beginSeconds = secondsOf(source, first);
        // Beyond the last token there is sound that no token stands for.
        range.lastToken = last >= 0 ? last : tokenCount(source) - 1;
        range.endSeconds = last >= 0 ? endOf(source, last) : range.endSeconds;
    }
    setRanges(range, second_range_);
}

CursorRange CursorModel::tokenRange(int source, int first, int last) const {
    const int count = tokenCount(source);
    if (count == 0 || first > last || last < 0 || first >= count) {
        return {};
    }
    first = std::max(first, 0);
    last = std::min(last, count - 1);
    return {source, first, last, secondsOf(source, first), endOf(source, last)};
}

void CursorModel::setRange(int source, int firstToken, int lastToken) {
    setRanges(tokenRange(source, firstToken, lastToken), second_range_);
}

void CursorModel::setSecondRange(int source, int firstToken, int lastToken) {
    setRanges(range_, tokenRange(source, firstToken, lastToken));
}

void CursorModel::release() {
    range_end_ = {};
    setRanges({}, {});
    update({}, hover_);
}

void CursorModel::moveToken(int step) {
    if (sources_.empty()) {
        return;
    }
    const CursorPoint from = point().isValid() ? point() : CursorPoint{0, 0};
    if (tokenCount(from.source) == 0) {
        lock(from.source, from.seconds + step * kStepWithoutTokens);
        return;
    }
    if (!point().isValid()) {
        lockToken(from.source, 0);
        return;
    }
    const int token = tokenAt(from.source, from.seconds);
    // Beyond the last token one step back is the last one.
    const int target = token >= 0 ? token + step : tokenCount(from.source) - 1;
    lockToken(from.source, std::clamp(target, 0, tokenCount(from.source) - 1));
}

void CursorModel::extendToken(int step) {
    if (!locked_.isValid()) {
        moveToken(step);
        return;
    }
    const int source = locked_.source;
    const CursorPoint from = range_.isEmpty() ? locked_ : range_end_;
    const int token = tokenAt(source, from.seconds);
    if (token < 0) {
        extendTo(source, from.seconds + step * kStepWithoutTokens);
        return;
    }
    extendTo(source, middleOf(source, std::clamp(token + step, 0, tokenCount(source) - 1)));
}

void CursorModel::moveSource(int step) {
    if (sources_.empty()) {
        return;
    }
    const CursorPoint from = point().isValid() ? point() : CursorPoint{step > 0 ? -1 : 1, 0};
    lock(std::clamp(from.source + step, 0, sourceCount() - 1), from.seconds);
}

void CursorModel::update(CursorPoint locked, CursorPoint hover) {
    const CursorPoint point_before = point();
    const bool locked_before = isLocked();
    const bool hover_changed = hover != hover_;
    locked_ = locked;
    hover_ = hover;
    if (hover_changed) {
        Q_EMIT hoverChanged(hover_.source, hover_.seconds);
    }
    if (point() != point_before || isLocked() != locked_before) {
        Q_EMIT pointChanged(point().source, point().seconds);
    }
}

void CursorModel::setRanges(const CursorRange& range, const CursorRange& second) {
    if (range == range_ && second == second_range_) {
        return;
    }
    range_ = range;
    second_range_ = second;
    Q_EMIT rangeChanged();
}

}  // namespace earscope
