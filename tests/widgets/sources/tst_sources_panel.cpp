#include "widgets/sources/source_row.h"
#include "widgets/sources/sources_panel.h"

#include <QDragEnterEvent>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QToolButton>
#include <QUrl>
#include <QtTest>

using namespace earscope;

namespace {

SourceEntry entryOf(const QString& path) {
    SourceEntry entry;
    entry.path = path;
    entry.sampleRate = 44'100;
    entry.channels = 2;
    entry.durationSeconds = 185.2;
    entry.expectedTokens = 4'630;
    return entry;
}

std::vector<SourceEntry> entries(int count) {
    std::vector<SourceEntry> result;
    for (int i = 0; i < count; ++i) {
        result.push_back(entryOf(QStringLiteral("/music/song %1.wav").arg(i)));
    }
    return result;
}

template <typename Widget>
Widget* rowPart(const SourcesPanel& panel, int row, const char* name) {
    auto* found = panel.findChild<SourceRow*>(QStringLiteral("sourceRow%1").arg(row));
    return found != nullptr ? found->findChild<Widget*>(QLatin1String(name)) : nullptr;
}

/// What a drop of these paths does; the position is in the middle of the panel.
void dropOn(SourcesPanel& panel, QMimeData& mime, const QPoint& position = {50, 50}) {
    QDragEnterEvent enter(position, Qt::CopyAction | Qt::MoveAction, &mime, Qt::LeftButton, {});
    QCoreApplication::sendEvent(&panel, &enter);
    QDragMoveEvent move(position, Qt::CopyAction | Qt::MoveAction, &mime, Qt::LeftButton, {});
    QCoreApplication::sendEvent(&panel, &move);
    QDropEvent drop(position, Qt::CopyAction | Qt::MoveAction, &mime, Qt::LeftButton, {});
    QCoreApplication::sendEvent(&panel, &drop);
}

}  // namespace

class TestSourcesPanel : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    QString file(const QString& name) {
        const QString path = folder_.filePath(name);
        QFile made(path);
        if (!made.open(QIODevice::WriteOnly)) {
            qFatal("no temporary file");
        }
        return path;
    }

private Q_SLOTS:
    void init() { QLocale::setDefault(QLocale::c()); }

    void empty_saysWhatToDo_andOffersButtons() {
        SourcesPanel panel;
        panel.show();
        auto* empty = panel.findChild<QLabel*>(QStringLiteral("sourcesEmpty"));
        QVERIFY(empty->isVisible());
        QCOMPARE(empty->text(), QStringLiteral("Drop up to five audio files here. Order matters."));
        QVERIFY(panel.findChild<QPushButton*>(QStringLiteral("addSource"))->isEnabled());
        QVERIFY(panel.findChild<QPushButton*>(QStringLiteral("recordSource"))->isEnabled());
        panel.setSources(entries(1));
        QVERIFY(!empty->isVisible());
    }

    void facts_formatsAndUnits() {
        SourceEntry entry = entryOf(QStringLiteral("/a/b.wav"));
        QCOMPARE(sourceFacts(entry), QStringLiteral("44.1 kHz · stereo · 3:05.2"));
        QCOMPARE(sourceTokens(entry), QStringLiteral("4630 tokens expected"));
        entry.tokens = 4'630;
        QCOMPARE(sourceTokens(entry), QStringLiteral("4630 tokens"));
        entry.tokens = 0;
        QVERIFY(sourceTokens(entry).contains(QStringLiteral("shorter than one token")));
        entry.channels = 1;
        entry.durationSeconds = 0.02;
        entry.sampleRate = 16'000;
        QCOMPARE(sourceFacts(entry), QStringLiteral("16 kHz · mono · 0.02 s"));
        entry.channels = 6;
        QVERIFY(sourceFacts(entry).contains(QStringLiteral("6 channel")));
        QCOMPARE(sourceFacts(SourceEntry{}), QString());
    }

    void row_longNames_areElidedInTheMiddle() {
        SourcesPanel panel;
        panel.resize(260, 400);
        panel.show();
        SourceEntry entry =
            entryOf(QStringLiteral("/x/") + QStringLiteral("very long name ").repeated(12) +
                    QStringLiteral("中文 é.flac"));
        panel.setSources({entry});
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        auto* name = rowPart<QLabel>(panel, 0, "file");
        QTRY_VERIFY(name->text().contains(QChar(0x2026)));
        QVERIFY(name->text().endsWith(QStringLiteral(".flac")));
        QVERIFY(name->fontMetrics().horizontalAdvance(name->text()) <= name->width());
        QCOMPARE(name->toolTip(), entry.path);
        QVERIFY(panel.width() <= 260);
    }

    void error_isShownRedWithCause_andDoesNotPlay() {
        SourcesPanel panel;
        panel.show();
        std::vector<SourceEntry> list = entries(2);
        list[0].error = QStringLiteral("the file holds no samples");
        list[1].notices = {QStringLiteral("2 channels were averaged")};
        panel.setSources(list);
        auto* text = rowPart<QLabel>(panel, 0, "notices");
        QVERIFY(text->isVisible());
        QVERIFY(text->text().contains(QStringLiteral("the file holds no samples")));
        const QColor color = text->palette().color(QPalette::WindowText);
        QVERIFY(color.red() > color.green() + 60);
        QVERIFY(!rowPart<QToolButton>(panel, 0, "play")->isEnabled());
        QVERIFY(rowPart<QToolButton>(panel, 1, "play")->isEnabled());
        QCOMPARE(rowPart<QLabel>(panel, 1, "notices")->text(),
                 QStringLiteral("2 channels were averaged"));
    }

    void buttons_emitIntentions_andChangeNothing() {
        SourcesPanel panel;
        panel.setSources(entries(3));
        QSignalSpy removed(&panel, &SourcesPanel::removeRequested);
        QSignalSpy moved(&panel, &SourcesPanel::moveRequested);
        QSignalSpy played(&panel, &SourcesPanel::playRequested);
        QSignalSpy stopped(&panel, &SourcesPanel::stopRequested);
        rowPart<QToolButton>(panel, 1, "remove")->click();
        rowPart<QToolButton>(panel, 1, "moveUp")->click();
        rowPart<QToolButton>(panel, 1, "moveDown")->click();
        rowPart<QToolButton>(panel, 2, "play")->click();
        QCOMPARE(removed.at(0).at(0).toInt(), 1);
        QCOMPARE(moved.at(0), (QVariantList{1, 0}));
        QCOMPARE(moved.at(1), (QVariantList{1, 2}));
        QCOMPARE(played.at(0).at(0).toInt(), 2);
        panel.setPlaying(2);
        rowPart<QToolButton>(panel, 2, "play")->click();
        QCOMPARE(stopped.count(), 1);
        QCOMPARE(played.count(), 1);
        QVERIFY(!rowPart<QToolButton>(panel, 0, "moveUp")->isEnabled());
        QVERIFY(!rowPart<QToolButton>(panel, 2, "moveDown")->isEnabled());
        QCOMPARE(panel.sources(), entries(3));
    }

    void removeWithinItsOwnSignal_isSafe() {
        SourcesPanel panel;
        panel.setSources(entries(2));
        connect(&panel, &SourcesPanel::removeRequested, &panel, [&](int index) {
            std::vector<SourceEntry> rest = panel.sources();
            rest.erase(rest.begin() + index);
            panel.setSources(rest);
        });
        rowPart<QToolButton>(panel, 1, "remove")->click();
        rowPart<QToolButton>(panel, 0, "remove")->click();
        QCOMPARE(panel.sources().size(), std::size_t(0));
    }

    void keys_altArrowsAndDelete() {
        SourcesPanel panel;
        panel.setSources(entries(3));
        panel.show();
        QSignalSpy moved(&panel, &SourcesPanel::moveRequested);
        QSignalSpy removed(&panel, &SourcesPanel::removeRequested);
        auto* row = panel.findChild<SourceRow*>(QStringLiteral("sourceRow0"));
        QTest::keyClick(row, Qt::Key_Up, Qt::AltModifier);
        QCOMPARE(moved.count(), 0);
        QTest::keyClick(row, Qt::Key_Down, Qt::AltModifier);
        QCOMPARE(moved.at(0), (QVariantList{0, 1}));
        QTest::keyClick(row, Qt::Key_Delete);
        QCOMPARE(removed.count(), 1);
    }

    void label_edited_isToldOnce_andSurvivesRefresh() {
        SourcesPanel panel;
        panel.setSources(entries(1));
        QSignalSpy labels(&panel, &SourcesPanel::labelChanged);
        auto* edit = rowPart<QLineEdit>(panel, 0, "label");
        QTest::keyClicks(edit, QStringLiteral("left"));
        panel.setPlaying(0);
        QTest::keyClick(edit, Qt::Key_Return);
        QCOMPARE(labels.count(), 1);
        QCOMPARE(labels.at(0), (QVariantList{0, QStringLiteral("left")}));
        QCOMPARE(panel.sources()[0].label, QStringLiteral("left"));
    }

    void label_beingTyped_isToldBeforeRowsChangePlaces() {
        SourcesPanel panel;
        panel.setSources(entries(2));
        connect(&panel, &SourcesPanel::moveRequested, &panel, [&](int from, int to) {
            std::vector<SourceEntry> turned = panel.sources();
            std::swap(turned[static_cast<std::size_t>(from)], turned[static_cast<std::size_t>(to)]);
            panel.setSources(turned);
        });
        QTest::keyClicks(rowPart<QLineEdit>(panel, 0, "label"), QStringLiteral("first"));
        rowPart<QToolButton>(panel, 1, "moveUp")->click();
        QCOMPARE(panel.sources()[1].label, QStringLiteral("first"));
        QCOMPARE(rowPart<QLineEdit>(panel, 1, "label")->text(), QStringLiteral("first"));
        QCOMPARE(rowPart<QLineEdit>(panel, 0, "label")->text(), QString());
    }

    void playback_unavailable_disablesWithTheReason() {
        SourcesPanel panel;
        panel.setSources(entries(1));
        panel.setPlaybackReason(QStringLiteral("No output device was found."));
        auto* play = rowPart<QToolButton>(panel, 0, "play");
        QVERIFY(!play->isEnabled());
        QCOMPARE(play->toolTip(), QStringLiteral("No output device was found."));
    }

    void fiveSources_addIsDisabledWithTheReason() {
        SourcesPanel panel;
        panel.setSources(entries(7));
        QCOMPARE(panel.sources().size(), std::size_t(5));
        auto* add = panel.findChild<QPushButton*>(QStringLiteral("addSource"));
        QVERIFY(!add->isEnabled());
        QVERIFY(add->toolTip().contains(QStringLiteral("five")));
        QVERIFY(!panel.findChild<QPushButton*>(QStringLiteral("recordSource"))->isEnabled());
        QCOMPARE(panel.findChild<QLabel*>(QStringLiteral("sourcesCount"))->text(),
                 QStringLiteral("5 of 5"));
    }

    void drop_files_areAdded_theSixthIsRefusedAloud() {
        SourcesPanel panel;
        panel.setSources(entries(3));
        panel.show();
        QSignalSpy added(&panel, &SourcesPanel::addRequested);
        QMimeData mime;
        QList<QUrl> urls;
        for (int i = 0; i < 3; ++i) {
            urls << QUrl::fromLocalFile(file(QStringLiteral("中 %1.wav").arg(i)));
        }
        mime.setUrls(urls);
        dropOn(panel, mime);
        QCOMPARE(added.count(), 1);
        QCOMPARE(added.at(0).at(0).toStringList().size(), 2);
        auto* message = panel.findChild<QLabel*>(QStringLiteral("sourcesMessage"));
        QVERIFY(message->isVisible());
        QVERIFY2(message->text().contains(QStringLiteral("中 2.wav")), qPrintable(message->text()));
        QVERIFY(message->text().contains(QStringLiteral("at most five")));
        // The answer to the drop must not wipe the refusal away.
        panel.setSources(entries(5));
        QVERIFY(message->isVisible());
    }

    void drop_foldersUrlsTextAndMissing_areRefusedWithReason() {
        SourcesPanel panel;
        panel.show();
        QSignalSpy added(&panel, &SourcesPanel::addRequested);
        QMimeData mime;
        mime.setUrls({QUrl::fromLocalFile(folder_.path()),
                      QUrl(QStringLiteral("https://example.org/song.mp3")),
                      QUrl::fromLocalFile(folder_.filePath(QStringLiteral("gone.wav")))});
        dropOn(panel, mime);
        QCOMPARE(added.count(), 0);
        const QString text = panel.findChild<QLabel*>(QStringLiteral("sourcesMessage"))->text();
        QVERIFY2(text.contains(QStringLiteral("is a folder")), qPrintable(text));
        QVERIFY(text.contains(QStringLiteral("nothing is downloaded")));
        QVERIFY(text.contains(QStringLiteral("does not exist")));
        QMimeData words;
        words.setText(QStringLiteral("hello"));
        QCOMPARE(panel.judgeDrop(words).refusals.size(), 1);
    }

    void drag_rowDown_asksForTheRightPlace_data() {
        QTest::addColumn<int>("from");
        QTest::addColumn<int>("onto");
        QTest::addColumn<bool>("lowerHalf");
        QTest::addColumn<int>("to");  // -1: stays
        QTest::newRow("first behind last") << 0 << 2 << true << 2;
        QTest::newRow("first before last") << 0 << 2 << false << 1;
        QTest::newRow("last to the front") << 2 << 0 << false << 0;
        QTest::newRow("onto itself") << 1 << 1 << true << -1;
        QTest::newRow("before its successor") << 0 << 1 << false << -1;
    }
    void drag_rowDown_asksForTheRightPlace() {
        QFETCH(int, from);
        QFETCH(int, onto);
        QFETCH(bool, lowerHalf);
        QFETCH(int, to);
        SourcesPanel panel;
        panel.resize(300, 600);
        panel.setSources(entries(3));
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        QSignalSpy moved(&panel, &SourcesPanel::moveRequested);
        auto* row = panel.findChild<SourceRow*>(QStringLiteral("sourceRow%1").arg(onto));
        QTRY_VERIFY(row->height() > 20);
        const QPoint place = row->mapTo(&panel, QPoint(10, lowerHalf ? row->height() - 3 : 3));
        QMimeData mime;
        mime.setData(QLatin1String(kSourceRowMime), QByteArray::number(from));
        dropOn(panel, mime, place);
        QCOMPARE(moved.count(), to < 0 ? 0 : 1);
        if (to >= 0) {
            QCOMPARE(moved.at(0), (QVariantList{from, to}));
        }
    }

    void addButton_dialog_judgesWhatWasChosen() {
        SourcesPanel panel;
        panel.show();
        QSignalSpy added(&panel, &SourcesPanel::addRequested);
        panel.findChild<QPushButton*>(QStringLiteral("addSource"))->click();
        auto* dialog = panel.findChild<QFileDialog*>(QStringLiteral("addSourcesDialog"));
        QVERIFY(dialog != nullptr);
        const QString path = file(QStringLiteral("chosen.wav"));
        Q_EMIT dialog->filesSelected({path});
        QCOMPARE(added.at(0).at(0).toStringList(), QStringList{path});
        dialog->close();
    }

    void recordButton_showsTheControls() {
        SourcesPanel panel;
        panel.show();
        auto* controls = new QWidget;
        panel.setRecordingControls(controls);
        QVERIFY(!controls->isVisible());
        QSignalSpy asked(&panel, &SourcesPanel::recordRequested);
        auto* record = panel.findChild<QPushButton*>(QStringLiteral("recordSource"));
        record->click();
        QVERIFY(controls->isVisible());
        QCOMPARE(asked.at(0).at(0).toBool(), true);
        record->click();
        QVERIFY(!controls->isVisible());
        panel.showRecording(true);
        QVERIFY(controls->isVisible() && record->isChecked());
    }

    void everyControl_hasANameForScreenReaders() {
        SourcesPanel panel;
        panel.setSources(entries(2));
        for (const QToolButton* button : panel.findChildren<QToolButton*>()) {
            QVERIFY2(!button->accessibleName().isEmpty(), qPrintable(button->objectName()));
            QVERIFY(button->width() >= 24 && button->height() >= 24);
        }
        auto* row = panel.findChild<SourceRow*>(QStringLiteral("sourceRow1"));
        QVERIFY(row->accessibleName().contains(QStringLiteral("source 2")));
        QVERIFY(row->accessibleName().contains(QStringLiteral("stereo")));
    }
};

QTEST_MAIN(TestSourcesPanel)
#include "tst_sources_panel.moc"
