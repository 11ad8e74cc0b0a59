#include "widgets/prompt/answer_view.h"

#include <QApplication>
#include <QClipboard>
#include <QElapsedTimer>
#include <QScrollBar>
#include <QTest>
#include <QTextBlock>

using namespace earscope;

namespace {

void copyAll(AnswerView& view) {
    view.selectAll();
    view.copy();
}

}  // namespace

class TestAnswerView : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() {
        QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not)")));
    }

    void text_anyPieces_isWhatWasAppended_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("piece");
        const QString words = QStringLiteral("one two three four ").repeated(1'000);
        QTest::newRow("words, small pieces") << words << 7;
        QTest::newRow("words, one piece") << words << 100'000;
        QTest::newRow("no spaces") << QString(20'000, QLatin1Char('x')) << 13;
        QTest::newRow("lines") << QStringLiteral("a line\n\nanother\n").repeated(300) << 5;
        QTest::newRow("spaces only") << QString(9'000, QLatin1Char(' ')) << 3;
        QTest::newRow("wide characters") << QStringLiteral("音楽 🎵 ").repeated(1'500) << 1'001;
    }

    void text_anyPieces_isWhatWasAppended() {
        QFETCH(QString, text);
        QFETCH(int, piece);
        AnswerView view;
        for (qsizetype i = 0; i < text.size(); i += piece) {
            view.appendPiece(text.mid(i, piece));
        }
        QCOMPARE(view.text(), text);
        for (QTextBlock block = view.document()->begin(); block.isValid(); block = block.next()) {
            QVERIFY(block.length() <= 2 * AnswerView::kLongParagraph + 1);
        }
        copyAll(view);
        QCOMPARE(QApplication::clipboard()->text(), text);
    }

    void append_longAnswer_costStaysLevel() {
        AnswerView view;
        view.resize(400, 300);
        view.show();
        const auto appendMany = [&view] {
            QElapsedTimer timer;
            timer.start();
            for (int i = 0; i < 400; ++i) {
                view.appendPiece(QStringLiteral("some words without an end "));
                QCoreApplication::processEvents();
            }
            return timer.elapsed();
        };
        appendMany();
        const qint64 early = appendMany();
        for (int i = 0; i < 20; ++i) {
            view.appendPiece(QStringLiteral("word ").repeated(2'000));
        }
        const qint64 late = appendMany();
        qInfo("400 pieces: %lld ms early, %lld ms after 200,000 characters", early, late);
        // Quadratic relayout would make it a hundred times slower; 5 leaves room for noise.
        QVERIFY(late < 5 * early + 100);
    }

    void scroll_userReadsAbove_staysThere() {
        AnswerView view;
        view.resize(300, 100);
        view.show();
        view.appendPiece(QStringLiteral("line\n").repeated(100));
        QCOMPARE(view.verticalScrollBar()->value(), view.verticalScrollBar()->maximum());
        view.verticalScrollBar()->setValue(3);
        view.appendPiece(QStringLiteral("more\n").repeated(20));
        QCOMPARE(view.verticalScrollBar()->value(), 3);
    }
};

QTEST_MAIN(TestAnswerView)
#include "tst_answer_view.moc"
