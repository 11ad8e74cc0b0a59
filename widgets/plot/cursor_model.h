#pragma once
#include <QObject>

#include <limits>
#include <vector>

namespace earscope {

/// Where the tokens of one source lie in time; empty `tokenSeconds` while nothing is prepared.
struct SourceTimes {
    std::vector<double> tokenSeconds;  ///< begin of each token, ascending
    double secondsPerToken = 0;
    double durationSeconds = 0;  ///< of the sound itself, which may be longer than what has tokens
};

/// A stretch of one source. Token numbers are -1 where the source has no tokens there.
struct CursorRange {
    int source = -1;
    int firstToken = -1;
    int lastToken = -1;  ///< inclusive
    double beginSeconds = 0;
    double endSeconds = 0;

    bool isEmpty() const { return source < 0 || endSeconds <= beginSeconds; }
    bool operator==(const CursorRange&) const = default;
};

/// One time of one source.
struct CursorPoint {
    int source = -1;
    double seconds = 0;

    bool isValid() const { return source >= 0; }
    bool operator==(const CursorPoint&) const = default;
};

/// The selection that all views share: one time of one source, locked or under the mouse, and up to
/// two ranges of tokens.
///
/// Hover previews, click locks, Shift+click extends a range from the locked point, Esc releases.
/// `point()` is what an inspector describes: the locked point, else the hovered one. While a point
/// is locked `hoverPoint()` still follows the mouse, so that a view can draw it faintly.
class CursorModel : public QObject {
    Q_OBJECT
public:
    explicit CursorModel(QObject* parent = nullptr);

    /// Replaces all sources. Point and ranges that no longer fit are released.
    void setSources(std::vector<SourceTimes> sources);
    int sourceCount() const { return static_cast<int>(sources_.size()); }
    const SourceTimes& source(int index) const { return sources_[static_cast<std::size_t>(index)]; }

    CursorPoint point() const { return locked_.isValid() ? locked_ : hover_; }
    CursorPoint hoverPoint() const { return hover_; }
    bool isLocked() const { return locked_.isValid(); }
    CursorRange range() const { return range_; }
    CursorRange secondRange() const { return second_range_; }
    /// Token under `point()`, or -1.
    int token() const;

    int tokenCount(int source) const;
    /// Token that contains this time, or -1.
    int tokenAt(int source, double seconds) const;
    /// Begin of a token in its source; 0 for a token that does not exist.
    double secondsOf(int source, int token) const;
    /// Middle of a token: where a cursor that names a token is put.
    double middleOf(int source, int token) const;
    double endOf(int source, int token) const;

public Q_SLOTS:
    void hover(int source, double seconds);
    void hoverToken(int source, int token);
    void leave();
    void lock(int source, double seconds);
    void lockToken(int source, int token);
    /// Range from the locked point to this one, widened to whole tokens where there are any. Locks
    /// instead when nothing is locked or another source is.
    void extendTo(int source, double seconds);
    void setRange(int source, int firstToken, int lastToken);
    void setSecondRange(int source, int firstToken, int lastToken);
    /// Esc: neither locked point nor ranges.
    void release();
    /// Arrow keys: locks the next (1) or previous (-1) token; without tokens moves by 10 ms.
    void moveToken(int step);
    /// Shift+arrow keys: moves the end of the range that is not the locked point.
    void extendToken(int step);
    /// Up and down keys: the same time in the next or previous source.
    void moveSource(int step);

Q_SIGNALS:
    /// `point()` or `isLocked()` changed; source -1 when there is none.
    void pointChanged(int source, double seconds);
    void hoverChanged(int source, double seconds);
    void rangeChanged();
    void sourcesChanged();

private:
    bool hasSource(int source) const;
    CursorPoint clamped(int source, double seconds) const;
    CursorRange tokenRange(int source, int first, int last) const;
    void update(CursorPoint locked, CursorPoint hover);
    void setRanges(const CursorRange& range, const CursorRange& second);

    std::vector<SourceTimes> sources_;
    CursorPoint locked_;
    CursorPoint hover_;
    CursorPoint range_end_;  ///< the end of the range that follows Shift
    CursorRange range_;
    CursorRange second_range_;
};

}  // namespace earscope
