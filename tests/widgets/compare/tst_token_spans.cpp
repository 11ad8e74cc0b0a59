#include "tests/support/run_records.h"
#include "widgets/compare/token_spans.h"

#include <QTest>

using namespace earscope;

namespace {

RunRecord run(const std::vector<std::string>& pieces) {
    RunRecord record;
    for (const std::string& piece : pieces) {
        record.tokens.push_back({static_cast<std::int64_t>(record.tokens.size()), piece});
    }
    return record;
}

/// The text again, from the spans; spans that overlap or leave a gap give another text.
QString joined(const std::vector<TokenSpan>& spans, const QString& text) {
    QString result;
    for (const TokenSpan& span : spans) {
        result += text.mid(span.begin, span.length);
    }
    return result;
}

}  // namespace

class TestTokenSpans : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void spans_plainPieces_standOneAfterTheOther() {
        const QString text = QStringLiteral("a slow beat");
        const auto spans = tokenSpans(run({"a", " slow", " beat"}), text);
        QCOMPARE(spans[1].begin, 1);
        QCOMPARE(spans[1].length, 5);
        QCOMPARE(joined(spans, text), text);
    }

    void spans_specialTokens_takeNoText() {
        const QString text = QStringLiteral("so<b");
        const auto spans = tokenSpans(run({"so", "<|im_start|>", "<b", "<|im_end|>"}), text);
        QVERIFY(spans[1].special);
        QCOMPARE(spans[1].length, 0);
        QVERIFY(!spans[2].special);
        QVERIFY(spans[3].special);
        QCOMPARE(joined(spans, text), text);
    }

    void spans_bytesOfOneCharacter_shareIt() {
        // Two tokens with the bytes of one character, between plain ones.
        const QString text = QStringLiteral("ton 龘 hoch");
        const auto spans = tokenSpans(run({"ton", " ", "\ufffd", "\ufffd", " hoch"}), text);
        QCOMPARE(text.mid(spans[2].begin, spans[2].length), QStringLiteral("龘"));
        QCOMPARE(spans[3].length, 0);
        QVERIFY(!spans[2].special && !spans[3].special);
        QCOMPARE(joined(spans, text), text);
    }

    void spans_bytesAtTheEnd_getTheRest() {
        const QString text = QStringLiteral("ton 龘");
        const auto spans = tokenSpans(run({"ton", " ", "\ufffd", "\ufffd", "<|im_end|>"}), text);
        QCOMPARE(text.mid(spans[2].begin, spans[2].length), QStringLiteral("龘"));
        QVERIFY(spans[4].special);
        QCOMPARE(joined(spans, text), text);
    }

    void spans_textThatThePiecesDoNotSpell_staysWhole() {
        const QString text = QStringLiteral("another text");
        QCOMPARE(joined(tokenSpans(run({"x", "y"}), text), text), text);
        QVERIFY(tokenSpans(run({}), text).empty());
    }

    void spans_randomBytes_alwaysGiveTheText() {
        quint32 state = 7;
        const auto next = [&state](quint32 below) {
            state = state * 1'664'525U + 1'013'904'223U;
            return (state >> 16) % below;
        };
        const std::vector<std::string> vocabulary{"a", "b", "ab", " ", "\n", "\ufffd", "<|x|>"};
        for (int round = 0; round < 300; ++round) {
            RunRecord record;
            QString text;
            for (int i = 0; i < 40; ++i) {
                const std::string& piece = vocabulary[next(7)];
                record.tokens.push_back({i, piece});
                if (piece == "\ufffd") {
                    text += next(2) == 0 ? QStringLiteral("é") : QString();
                } else if (piece != "<|x|>") {
                    text += QString::fromStdString(piece);
                }
            }
            QCOMPARE(joined(tokenSpans(record, text), text), text);
        }
    }
};

QTEST_GUILESS_MAIN(TestTokenSpans)
#include "tst_token_spans.moc"
