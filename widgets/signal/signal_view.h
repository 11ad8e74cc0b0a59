#pragma once
#include "core/bridge/values.h"
#include "widgets/plot/color_map.h"
#include "widgets/signal/time_axis.h"

#include <QAbstractScrollArea>
#include <QPointer>

#include <memory>
#include <optional>
#include <vector>

namespace earscope {

class ColorBar;
class CursorModel;
class SignalStrip;

/// One source as the signal view shows it.
struct SignalSource {
    QString label;                           ///< shown in the margin, e.g. "left speaker"
    SourceValue sound;                       ///< may be empty while it is decoded
    std::optional<PreparedSource> prepared;  ///< not there: no mel, no tokens yet
    QString message;                         ///< shown in place of what is missing
};

/// Waveform, model input, windows and tokens of up to five sources, one strip each, on one time
/// axis that starts at 0 for every source.
///
/// The shared cursor is drawn here and set from here: hover, click, Shift+click, Esc, arrow keys.
class SignalView : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit SignalView(QWidget* parent = nullptr);
    ~SignalView() override;

    /// Not owned; outlives the view or is set to null first. The view does not call
    /// `CursorModel::setSources`: who prepares the request does.
    void setCursorModel(CursorModel* cursor);
    /// Keeps zoom and position when the same sounds come back prepared, else shows everything.
    void setSources(std::vector<SignalSource> sources);
    int sourceCount() const;
    /// Music Flamingo: windows; MOSS-Music: chunks. Only the words.
    void setUsesWindows(bool windows);
    /// Where playing is; source -1 hides it. Scrolls along when the head leaves the view.
    void setPlayHead(int source, double seconds);

    /// A lane of bars above the mel: per source one value per token, 0 and up, all on one scale.
    /// Empty takes it away. It stays when the sources change: who set it takes it away.
    void setLanes(std::vector<std::vector<double>> values, const QString& title);
    /// Signed maps [128, frames] over the mel, per source, on one scale symmetric about 0; the mel
    /// turns grey below them. Empty takes them away.
    void setOverlays(std::vector<TensorValue> maps, const QString& title);

    const TimeAxis& timeAxis() const { return axis_; }
    void setVisibleRange(double beginSeconds, double endSeconds);
    /// The strip's area in the viewport, and the parts of it (empty when not shown).
    QRect stripRect(int source) const;
    QRect waveformRect(int source) const;
    QRect laneRect(int source) const;
    QRect melRect(int source) const;
    QRect tokenRect(int source) const;
    /// What a tooltip at this place of the viewport says.
    QString describe(const QPoint& position) const;
    /// The cursor in words, for screen readers: "source 1, 2.250 s, token 56, mel frame 225".
    QString cursorText() const;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

public Q_SLOTS:
    void fit();
    void zoomIn();
    void zoomOut();

Q_SIGNALS:
    void visibleRangeChanged(double beginSeconds, double endSeconds);
    /// P or a double click: hear this stretch (the range, else the token and half a second around).
    void playRequested(int source, double beginSeconds, double endSeconds);

protected:
    bool viewportEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void changeEvent(QEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;

private:
    int sourceAt(const QPoint& position) const;
    int axisLeft() const;
    int rulerHeight() const;
    double secondsAt(const QPoint& position) const;
    void setHover(const QPoint& position);
    void followCursor();
    void layoutStrips();
    void applyLanes();
    void applyOverlays();
    void refreshColorBar();
    void axisChanged();
    void zoomAt(double x, double factor);
    void panBy(double pixels);
    bool handleCursorKey(const QKeyEvent& event);
    bool handleViewKey(const QKeyEvent& event);
    void moveWindow(int step);
    void playAround(int source, double seconds);
    QString describeTime(int source, double seconds) const;
    QString describeValue(int source, const QPoint& position) const;
    void paintEmpty(QPainter& painter);
    void paintRuler(QPainter& painter);
    void paintRanges(QPainter& painter, const SignalStrip& strip, int index);
    void paintCursor(QPainter& painter, const SignalStrip& strip, int index);
    void paintPlayHead(QPainter& painter, const SignalStrip& strip);
    void paintMarker(QPainter& painter);
    QRect axisArea(const SignalStrip& strip) const;
    void announce();

    std::vector<std::unique_ptr<SignalStrip>> strips_;
    QPointer<CursorModel> cursor_;
    TimeAxis axis_;
    ColorBar* color_bar_ = nullptr;
    bool uses_windows_ = true;
    bool updating_bars_ = false;
    ColorLimits mel_limits_;
    std::vector<std::vector<double>> lanes_;
    QString lane_title_;
    std::vector<TensorValue> overlays_;
    QString overlay_title_;
    ColorLimits overlay_limits_;
    QPoint press_position_;
    QPoint drag_position_;
    bool pressed_ = false;
    bool dragging_ = false;
    int play_source_ = -1;
    double play_seconds_ = 0;
};

}  // namespace earscope
