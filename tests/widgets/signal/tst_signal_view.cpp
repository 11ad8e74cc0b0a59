#include "widgets/plot/color_bar.h"
#include "widgets/plot/cursor_model.h"
#include "widgets/plot/theme.h"
#include "widgets/signal/signal_view.h"

#include <QAccessible>
#include <QElapsedTimer>
#include <QScrollBar>
#include <QSignalSpy>
#include <QWheelEvent>
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <numbers>

using namespace earscope;

namespace {

SourceValue soundOf(const QString& path, double seconds, int rate = 16'000) {
    std::vector<float> samples(static_cast<std::size_t>(seconds * rate));
    for (std::size_t i = 0; i < samples.size(); ++i) {
        samples[i] = 0.5F * static_cast<float>(std::sin(0.05 * static_cast<double>(i)));
    }
    SourceValue sound;
    sound.path = path;
    sound.sampleRate = rate;
    sound.channels = 1;
    sound.durationSeconds = seconds;
    sound.mono = std::make_shared<const std::vector<float>>(std::move(samples));
    sound.peaks = std::make_shared<const PeakPyramid>(*sound.mono);
    return sound;
}

PreparedSource preparedOf(const QString& path, double seconds) {
    PreparedSource prepared;
    prepared.path = path;
    prepared.durationSeconds = seconds;
    prepared.secondsPerToken = 0.04;
    prepared.tokens = static_cast<int>(seconds / 0.04 + 1e-9);
    for (int t = 0; t < prepared.tokens; ++t) {
        prepared.tokenSeconds.push_back(0.04 * t);
    }
    for (int rest = prepared.tokens; rest > 0; rest -= 750) {
        prepared.windowTokens.push_back(std::min(rest, 750));
    }
    const auto frames = static_cast<qint64>(seconds * 100 + 1e-9);
    std::vector<float> mel(static_cast<std::size_t>(128 * frames));
    for (std::size_t i = 0; i < mel.size(); ++i) {
        mel[i] = static_cast<float>(i % 97) / 97.0F;
    }
    prepared.mel = {{128, frames}, std::make_shared<const std::vector<float>>(std::move(mel))};
    return prepared;
}

SignalSource sourceOf(const QString& name, double seconds, double seen = -1) {
    const QString path = QStringLiteral("/music/") + name;
    return {name, soundOf(path, seconds), preparedOf(path, seen < 0 ? seconds : seen), {}};
}

std::vector<SourceTimes> timesOf(const std::vector<SignalSource>& sources) {
    std::vector<SourceTimes> times;
    for (const SignalSource& source : sources) {
        times.push_back({source.prepared->tokenSeconds, source.prepared->secondsPerToken,
                         source.sound.durationSeconds});
    }
    return times;
}

/// A view with its cursor, shown at a fixed size.
struct Shown {
    explicit Shown(const std::vector<SignalSource>& sources) {
        view.setCursorModel(&cursor);
        view.setSources(sources);
        cursor.setSources(timesOf(sources));
        view.resize(900, 500);
        view.show();
    }
    /// Middle of a strip at this time.
    QPoint at(double seconds, int source = 0) const {
        const QRect area = view.waveformRect(source);
        return {area.left() + static_cast<int>(view.timeAxis().xOf(seconds)), area.center().y()};
    }
    void wheel(const QPoint& position, int notches, Qt::KeyboardModifiers modifiers) {
        QWheelEvent event(position, view.viewport()->mapToGlobal(position), {},
                          QPoint(0, 120 * notches), Qt::NoButton, modifiers, Qt::NoScrollPhase,
                          false);
        QCoreApplication::sendEvent(view.viewport(), &event);
    }
    CursorModel cursor;
    SignalView view;
};

double medianPaintMs(SignalView& view, double span) {
    std::vector<double> times;
    QImage image(view.size(), QImage::Format_ARGB32_Premultiplied);
    for (int i = 0; i < 15; ++i) {
        // Another position each time, so that nothing comes from the strip's image.
        view.setVisibleRange(0.001 * i, 0.001 * i + span - 0.02);
        QElapsedTimer timer;
        timer.start();
        view.render(&image);
        times.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
    }
    std::nth_element(times.begin(), times.begin() + 7, times.end());
    return times[7];
}

}  // namespace

class TestSignalView : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { QLocale::setDefault(QLocale::c()); }

    void empty_saysWhatWillAppear() {
        SignalView view;
        view.resize(600, 300);
        QCOMPARE(view.cursorText(), QStringLiteral("Waveform and model input appear here."));
        QVERIFY(!view.grab().toImage().isNull());
        QTest::keyClick(&view, Qt::Key_Plus);
        QTest::keyClick(&view, Qt::Key_Right);
        QCOMPARE(view.describe({300, 150}), QString());
    }

    void hoverAndClick_setTheCursor() {
        Shown shown({sourceOf(QStringLiteral("a.wav"), 10)});
        QTest::mouseMove(shown.view.viewport(), shown.at(4));
        const double pixel = shown.view.timeAxis().span() / shown.view.timeAxis().width();
        QVERIFY(std::abs(shown.cursor.point().seconds - 4) <= pixel);
        QVERIFY(!shown.cursor.isLocked());
        QTest::mouseClick(shown.view.viewport(), Qt::LeftButton, {}, shown.at(2));
        QVERIFY(shown.cursor.isLocked());
        QTest::mouseClick(shown.view.viewport(), Qt::LeftButton, Qt::ShiftModifier, shown.at(3));
        QVERIFY(std::abs(shown.cursor.range().beginSeconds - 2) <= 0.04);
        QVERIFY(std::abs(shown.cursor.range().endSeconds - 3) <= 0.05);
        QTest::keyClick(&shown.view, Qt::Key_Escape);
        QVERIFY(!shown.cursor.isLocked());
        QVERIFY(shown.cursor.range().isEmpty());
    }

    void clickInSecondStrip_isThatSource() {
        Shown shown({sourceOf(QStringLiteral("a.wav"), 10), sourceOf(QStringLiteral("b.wav"), 5)});
        QTest::mouseClick(shown.view.viewport(), Qt::LeftButton, {}, shown.at(3, 1));
        QCOMPARE(shown.cursor.point().source, 1);
        // Behind the end of the shorter sound there is nothing to point at.
        QTest::mouseMove(shown.view.viewport(), shown.at(8, 1));
        QVERIFY(!shown.cursor.hoverPoint().isValid());
    }

    void drag_pans_andLocksNothing() {
        Shown shown({sourceOf(QStringLiteral("a.wav"), 10)});
        shown.view.setVisibleRange(4, 6);
        QWidget* port = shown.view.viewport();
        const QPoint start = shown.at(5);
        QTest::mousePress(port, Qt::LeftButton, {}, start);
        QTest::mouseMove(port, start + QPoint(-60, 0));
        QTest::mouseMove(port, start + QPoint(-120, 0));
        QTest::mouseRelease(port, Qt::LeftButton, {}, start + QPoint(-120, 0));
        const double moved = 120 / shown.view.timeAxis().width() * 2;
        QVERIFY(std::abs(shown.view.timeAxis().begin() - 4 - moved) < 1e-6);
        QVERIFY(!shown.cursor.isLocked());
    }

    void wheel_controlZooms_plainPans() {
        Shown shown({sourceOf(QStringLiteral("a.wav"), 10)});
        const QPoint mouse = shown.at(7.5);
        shown.wheel(mouse, 5, Qt::ControlModifier);
        const TimeAxis& axis = shown.view.timeAxis();
        QVERIFY(axis.span() < 4);
        QVERIFY(std::abs(axis.secondsAt(mouse.x() - shown.view.waveformRect(0).left()) - 7.5) <
                0.02);
        const double begin = axis.begin();
        shown.wheel(mouse, -1, Qt::NoModifier);
        QVERIFY(axis.begin() > begin);
        shown.wheel(mouse, -100, Qt::ControlModifier);
        QVERIFY(axis.isFitted());
    }

    void keys_zoomFitMoveAndPlay() {
        Shown shown({sourceOf(QStringLiteral("a.wav"), 65)});
        QTest::keyClick(&shown.view, Qt::Key_Plus);
        QVERIFY(!shown.view.timeAxis().isFitted());
        QTest::keyClick(&shown.view, Qt::Key_Minus);
        QTest::keyClick(&shown.view, Qt::Key_F);
        QVERIFY(shown.view.timeAxis().isFitted());
        QTest::keyClick(&shown.view, Qt::Key_Home);
        QTest::keyClick(&shown.view, Qt::Key_Right);
        QCOMPARE(shown.cursor.token(), 1);
        QTest::keyClick(&shown.view, Qt::Key_Right, Qt::ShiftModifier);
        QCOMPARE(shown.cursor.range().lastToken, 2);
        QSignalSpy play(&shown.view, &SignalView::playRequested);
        QTest::keyClick(&shown.view, Qt::Key_P);
        QCOMPARE(play.at(0).at(1).toDouble(), 0.04);
        QTest::keyClick(&shown.view, Qt::Key_Right, Qt::ControlModifier);
        QCOMPARE(shown.cursor.point().seconds, 30.0);
        QTest::keyClick(&shown.view, Qt::Key_P);
        QCOMPARE(play.at(1).at(1).toDouble(), 29.5);
        QCOMPARE(play.at(1).at(2).toDouble(), 30.54);
        shown.view.setVisibleRange(0, 5);
        QTest::keyClick(&shown.view, Qt::Key_End);
        QVERIFY(shown.view.timeAxis().end() >= 65);
    }

    void scrollBar_followsAndLeads() {
        Shown shown({sourceOf(QStringLiteral("a.wav"), 100)});
        shown.view.setVisibleRange(50, 60);
        QScrollBar* bar = shown.view.horizontalScrollBar();
        QVERIFY(std::abs(bar->value() - bar->maximum() * 50.0 / 90) < 2);
        bar->setValue(0);
        QCOMPARE(shown.view.timeAxis().begin(), 0.0);
        QVERIFY(std::abs(shown.view.timeAxis().span() - 10) < 1e-4);
    }

    void describe_saysEveryUnitOfThePlace() {
        Shown shown({sourceOf(QStringLiteral("a.wav"), 65)});
        shown.view.setVisibleRange(31, 33);
        const QRect mel = shown.view.melRect(0);
        const int x = mel.left() + static_cast<int>(shown.view.timeAxis().xOf(32.01));
        const QString text = shown.view.describe({x, mel.center().y()});
        for (const char* part : {"source 1", "token 800", "32.000 s to 32.040 s", "mel frame 320",
                                 "window 2", "mel bin 6", "Hz"}) {
            QVERIFY2(text.contains(QLatin1String(part)), qPrintable(text));
        }
        QVERIFY(shown.view.describe(shown.at(32)).contains(QStringLiteral("samples from")));
        shown.view.setUsesWindows(false);
        QVERIFY(shown.view.describe({x, mel.center().y()}).contains(QStringLiteral("chunk 2")));
    }

    void describe_beyondTheCap_notSeenByTheModel() {
        Shown shown({sourceOf(QStringLiteral("long.wav"), 100, 60)});
        QVERIFY(
            shown.view.describe(shown.at(80)).contains(QStringLiteral("not seen by the model")));
        QVERIFY(!shown.view.describe(shown.at(50)).contains(QStringLiteral("not seen")));
        // Drawn otherwise than what is seen: the mel part is hatched there.
        const QImage image = shown.view.viewport()->grab().toImage();
        const QRect mel = shown.view.melRect(0);
        QSet<QRgb> colors;
        for (int y = mel.top(); y < mel.bottom(); ++y) {
            colors.insert(image.pixel(shown.at(95).x(), y));
        }
        QVERIFY(colors.size() >= 2 && colors.size() < 8);
    }

    void mel_onlyPreparedSourcesShowIt_andTheBarHasLimits() {
        SignalSource bare = sourceOf(QStringLiteral("bare.wav"), 3);
        bare.prepared.reset();
        SignalView view;
        view.resize(900, 500);
        view.setSources({bare});
        auto* bar = view.findChild<ColorBar*>(QStringLiteral("melColorBar"));
        QVERIFY(bar != nullptr);
        QVERIFY(view.melRect(0).isEmpty());
        QVERIFY(bar->isHidden());
        view.setSources({bare, sourceOf(QStringLiteral("full.wav"), 3)});
        QVERIFY(!view.melRect(1).isEmpty());
        QVERIFY(!bar->isHidden());
        QVERIFY(bar->limits().high > 0.9F && bar->limits().low < 0.1F);
    }

    void setSources_samePrepared_keepsTheZoom() {
        SignalSource source = sourceOf(QStringLiteral("a.wav"), 20);
        SignalSource bare = source;
        bare.prepared.reset();
        SignalView view;
        view.resize(800, 400);
        view.setSources({bare});
        view.setVisibleRange(5, 6);
        view.setSources({source});
        QCOMPARE(view.timeAxis().begin(), 5.0);
        view.setSources({sourceOf(QStringLiteral("other.wav"), 7)});
        QVERIFY(view.timeAxis().isFitted());
        QCOMPARE(view.timeAxis().duration(), 7.0);
    }

    void loneHotFrame_visibleInTheWholeView() {
        SignalSource source = sourceOf(QStringLiteral("a.wav"), 1'200);
        std::vector<float> mel(128 * 120'000, 0.0F);
        for (int bin = 0; bin < 128; ++bin) {
            mel[static_cast<std::size_t>(bin) * 120'000 + 77'777] = 1.0F;
        }
        source.prepared->mel.data = std::make_shared<const std::vector<float>>(std::move(mel));
        SignalView view;
        view.resize(1000, 400);
        view.setSources({source});
        const QImage image = view.viewport()->grab().toImage();
        const int y = view.melRect(0).center().y();
        const int expected =
            view.melRect(0).left() + static_cast<int>(view.timeAxis().xOf(777.775));
        int hot = -1;
        for (int x = view.melRect(0).left(); x < view.melRect(0).right(); ++x) {
            hot = qGray(image.pixel(x, y)) > 200 ? x : hot;
        }
        QVERIFY2(std::abs(hot - expected) <= 2, qPrintable(QString::number(hot - expected)));
    }

    void fiveSources_smallWindow_scrollVertically() {
        std::vector<SignalSource> sources;
        for (int i = 0; i < 5; ++i) {
            sources.push_back(sourceOf(QStringLiteral("%1.wav").arg(i), 2 + i));
        }
        Shown shown(sources);
        shown.view.resize(700, 300);
        QVERIFY(shown.view.verticalScrollBar()->maximum() > 0);
        shown.view.verticalScrollBar()->setValue(shown.view.verticalScrollBar()->maximum());
        QVERIFY(shown.view.stripRect(4).bottom() <= shown.view.viewport()->height());
        QVERIFY(shown.view.stripRect(0).bottom() < 0);
        const int value = shown.view.verticalScrollBar()->value();
        shown.wheel(shown.at(1, 4), 1, Qt::ShiftModifier);
        QVERIFY(shown.view.verticalScrollBar()->value() < value);
    }

    void playHead_leavesTheView_turnsThePage() {
        Shown shown({sourceOf(QStringLiteral("a.wav"), 60)});
        shown.view.setVisibleRange(0, 10);
        shown.view.setPlayHead(0, 5);
        QCOMPARE(shown.view.timeAxis().begin(), 0.0);
        const QImage image = shown.view.viewport()->grab().toImage();
        QCOMPARE(image.pixelColor(shown.at(5).x(), shown.at(5).y()),
                 playHeadColor(shown.view.palette()));
        shown.view.setPlayHead(0, 10.1);
        QCOMPARE(shown.view.timeAxis().begin(), 10.1);
        shown.view.setPlayHead(-1, 0);
    }

    void accessibility_valueTellsTheCursor() {
        Shown shown({sourceOf(QStringLiteral("a.wav"), 10)});
        QAccessibleInterface* face = QAccessible::queryAccessibleInterface(&shown.view);
        QVERIFY(face != nullptr);
        QCOMPARE(face->role(), QAccessible::Chart);
        QCOMPARE(face->text(QAccessible::Name), QStringLiteral("Signal"));
        shown.cursor.lockToken(0, 57);
        const QString value = face->text(QAccessible::Value);
        QVERIFY2(value.contains(QStringLiteral("token 57 (2.280 s to 2.320 s)")),
                 qPrintable(value));
    }

    void paint_twentyMinutes_costsAboutAsMuchAsOne() {
        const auto paint = [](double seconds) {
            SignalView view;
            view.resize(1600, 500);
            view.setSources({sourceOf(QStringLiteral("a.wav"), seconds)});
            view.grab();
            return medianPaintMs(view, seconds);
        };
        const double one = paint(60);
        const double twenty = paint(1'200);
        qInfo("whole view painted in %.2f ms (1 min), %.2f ms (20 min)", one, twenty);
        // O(width): the longer sound has 20 times the samples.
        QVERIFY2(twenty < 2 * one + 2,
                 qPrintable(QStringLiteral("%1 and %2 ms").arg(one).arg(twenty)));
    }

    void darkPalette_isFollowed() {
        Shown shown({sourceOf(QStringLiteral("a.wav"), 10)});
        const QImage light = shown.view.viewport()->grab().toImage();
        QPalette dark;
        dark.setColor(QPalette::Base, QColor(30, 30, 33));
        dark.setColor(QPalette::Text, QColor(235, 235, 235));
        dark.setColor(QPalette::Window, QColor(42, 42, 46));
        dark.setColor(QPalette::WindowText, QColor(235, 235, 235));
        shown.view.setPalette(dark);
        const QImage image = shown.view.viewport()->grab().toImage();
        QVERIFY(
            light.pixelColor(shown.at(5).x(), shown.view.waveformRect(0).top() + 2).lightness() >
            200);
        QVERIFY(
            image.pixelColor(shown.at(5).x(), shown.view.waveformRect(0).top() + 2).lightness() <
            60);
    }

    void lane_ofOneToken_isSeenInTheWholeView_andDescribed() {
        // 20 minutes: 30,000 tokens, one of which has a value.
        std::vector<SignalSource> sources{sourceOf(QStringLiteral("a.wav"), 1'200)};
        Shown shown(sources);
        QVERIFY(shown.view.laneRect(0).isEmpty());
        std::vector<double> values(30'000, 0);
        values[12'345] = 0.081;
        shown.view.setLanes({values}, QStringLiteral("attention"));
        const QRect lane = shown.view.laneRect(0);
        QVERIFY(lane.height() > 10);
        QVERIFY(lane.top() > shown.view.waveformRect(0).bottom());
        QVERIFY(lane.bottom() < shown.view.melRect(0).top());
        const QImage image = shown.view.viewport()->grab().toImage();
        const QColor color = noticeColor(shown.view.palette());
        int bars = 0;
        for (int x = lane.left(); x <= lane.right(); ++x) {
            bars += image.pixelColor(x, lane.bottom() - 3) == color ? 1 : 0;
        }
        QVERIFY(bars >= 1 && bars <= 2);
        shown.view.setVisibleRange(493, 495);
        QPoint at = shown.at(12'345 * 0.04 + 0.02);
        at.setY(lane.center().y());
        QVERIFY(shown.view.describe(at).contains(QStringLiteral("attention: 0.081")));
        shown.view.setLanes({}, {});
        QVERIFY(shown.view.laneRect(0).isEmpty());
    }

    void overlay_coloursTheMelWhereItIsNotZero_andTheBarSaysItsLimits() {
        std::vector<SignalSource> sources{sourceOf(QStringLiteral("a.wav"), 10)};
        Shown shown(sources);
        std::vector<float> map(128 * 1'000, 0.0F);
        for (std::size_t bin = 0; bin < 128; ++bin) {
            for (std::size_t frame = 500; frame < 600; ++frame) {
                map[bin * 1'000 + frame] = -2;
            }
        }
        shown.view.setOverlays(
            {TensorValue{{128, 1'000}, std::make_shared<const std::vector<float>>(map)}},
            QStringLiteral("saliency"));
        const QImage image = shown.view.viewport()->grab().toImage();
        const QRect mel = shown.view.melRect(0);
        const QColor quiet = image.pixelColor(shown.at(2).x(), mel.center().y());
        const QColor marked = image.pixelColor(shown.at(5.5).x(), mel.center().y());
        QCOMPARE(quiet.saturation(), 0);
        QVERIFY(marked.saturation() > 60);
        auto* bar = shown.view.findChild<ColorBar*>(QStringLiteral("melColorBar"));
        QCOMPARE(bar->limits(), (ColorLimits{-2, 2}));
        QCOMPARE(bar->unit(), QStringLiteral("saliency"));
        shown.view.setSources(sources);
        QCOMPARE(bar->unit(), QStringLiteral("saliency"));
        shown.view.setOverlays({}, {});
        QCOMPARE(bar->unit(), QStringLiteral("log-mel"));
    }
};

QTEST_MAIN(TestSignalView)
#include "tst_signal_view.moc"
