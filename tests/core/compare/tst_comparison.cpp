// Two records side by side: token difference, first divergence, what is equal, JSON and Markdown.
#include "core/compare/comparison.h"
#include "core/compare/digest.h"
#include "core/compare/markdown_text.h"
#include "core/compare/token_diff.h"

#include <QElapsedTimer>
#include <QTest>
#include <nlohmann/json.hpp>

#include <random>

using namespace earscope;

namespace {

std::vector<RunToken> tokens(const std::vector<std::int64_t>& ids) {
    std::vector<RunToken> made;
    for (const std::int64_t id : ids) {
        made.push_back({id, " w" + std::to_string(id)});
    }
    return made;
}

RunRecord record(const std::vector<std::int64_t>& ids) {
    RunRecord run;
    run.snapshot = "tiny";
    run.weights_digest = "layout/files";
    run.profile = "paper_reference";
    run.input_ids = {1, 2, 3};
    run.sources = {{"clip.wav", 25, 1.0, "d1"}};
    run.tokens = tokens(ids);
    for (const RunToken& token : run.tokens) {
        run.text += token.piece;
    }
    run.finish = "eos";
    return run;
}

/// Walks the script as a reader would: every token of both, in order, equal where it says so.
bool is_script(const std::vector<DiffStep>& steps, const std::vector<RunToken>& a,
               const std::vector<RunToken>& b) {
    std::size_t i = 0;
    std::size_t j = 0;
    for (const DiffStep& step : steps) {
        const bool in_a = step.kind != DiffKind::OnlyB;
        const bool in_b = step.kind != DiffKind::OnlyA;
        if (step.a != (in_a ? static_cast<std::int64_t>(i) : -1) ||
            step.b != (in_b ? static_cast<std::int64_t>(j) : -1)) {
            return false;
        }
        if (in_a && in_b && (a.at(i).id != b.at(j).id || a[i].piece != b[j].piece)) {
            return false;
        }
        i += in_a ? 1 : 0;
        j += in_b ? 1 : 0;
    }
    return i == a.size() && j == b.size();
}

std::size_t edits_of(const std::vector<DiffStep>& steps) {
    return static_cast<std::size_t>(
        std::count_if(steps.begin(), steps.end(),
                      [](const DiffStep& step) { return step.kind != DiffKind::Equal; }));
}

/// Edit distance without replacement, by the table everybody knows.
std::size_t distance_of(const std::vector<RunToken>& a, const std::vector<RunToken>& b) {
    std::vector<std::vector<std::size_t>> table(a.size() + 1,
                                                std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) {
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                table[i][j] = i + j;
            } else if (a[i - 1].id == b[j - 1].id) {
                table[i][j] = table[i - 1][j - 1];
            } else {
                table[i][j] = 1 + std::min(table[i - 1][j], table[i][j - 1]);
            }
        }
    }
    return table[a.size()][b.size()];
}

std::vector<RunToken> random_tokens(std::mt19937& random, std::size_t count, int vocabulary) {
    std::vector<std::int64_t> ids(count);
    for (std::int64_t& id : ids) {
        id = std::uniform_int_distribution<>(0, vocabulary - 1)(random);
    }
    return tokens(ids);
}

Comparison compare(const RunRecord& a, const RunRecord& b) {
    return compare_runs(a, b);
}

}  // namespace

class TestComparison : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void digest_knownText_isSha256() {
        Digest digest;
        QCOMPARE(digest.text(),
                 std::string("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
        digest.add("ab");
        digest.add("c");
        QCOMPARE(digest.text(),
                 std::string("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
    }

    void tokenDiff_randomAnswers_isAShortestScript() {
        std::mt19937 random(1);
        for (int round = 0; round < 3000; ++round) {
            const auto size = [&] {
                return std::uniform_int_distribution<std::size_t>(0, 24)(random);
            };
            const int vocabulary = std::uniform_int_distribution<>(1, 6)(random);
            const auto a = random_tokens(random, size(), vocabulary);
            const auto b = random_tokens(random, size(), vocabulary);
            const auto steps = token_diff(a, b);
            QVERIFY2(is_script(steps, a, b), std::to_string(round).c_str());
            QCOMPARE(edits_of(steps), distance_of(a, b));
        }
    }

    // Where dtl gives up its search and starts anew, its script is longer but still right.
    void tokenDiff_longDifferentAnswers_endsSoonAndIsRight_data() {
        QTest::addColumn<int>("sizeA");
        QTest::addColumn<int>("sizeB");
        QTest::addColumn<int>("vocabulary");
        QTest::newRow("nothing in common") << 16384 << 16384 << 1'000'000'000;
        QTest::newRow("words in common") << 16384 << 16384 << 2000;
        QTest::newRow("much in common") << 16384 << 16000 << 3;
        QTest::newRow("long and short") << 16384 << 700 << 500;
        QTest::newRow("short and long") << 700 << 16384 << 500;
        QTest::newRow("one is empty") << 0 << 16384 << 500;
    }
    void tokenDiff_longDifferentAnswers_endsSoonAndIsRight() {
        QFETCH(int, sizeA);
        QFETCH(int, sizeB);
        QFETCH(int, vocabulary);
        std::mt19937 random(2);
        const auto a = random_tokens(random, static_cast<std::size_t>(sizeA), vocabulary);
        const auto b = random_tokens(random, static_cast<std::size_t>(sizeB), vocabulary);
        QElapsedTimer timer;
        timer.start();
        const auto steps = token_diff(a, b);
        QVERIFY2(timer.elapsed() < 5000, std::to_string(timer.elapsed()).c_str());
        QVERIFY(is_script(steps, a, b));
    }

    void tokenDiff_sameIdOtherPiece_isNotEqual() {
        const std::vector<RunToken> a{{5, "drum"}};
        const std::vector<RunToken> b{{5, "bass"}};
        QCOMPARE(edits_of(token_diff(a, b)), std::size_t{2});
    }

    void diffBlocks_joinSteps_asHalfOpenRanges() {
        const auto steps = token_diff(tokens({1, 2, 3, 4}), tokens({1, 9, 3, 4, 5}));
        const auto blocks = diff_blocks(steps);
        QCOMPARE(blocks.size(), std::size_t{4});
        QVERIFY(blocks[0].equal && !blocks[1].equal && blocks[2].equal && !blocks[3].equal);
        QCOMPARE(blocks[1].a_begin, 1);
        QCOMPARE(blocks[1].a_end, 2);
        QCOMPARE(blocks[1].b_end, 2);
        QCOMPARE(blocks[3].a_begin, 4);
        QCOMPARE(blocks[3].a_end, 4);
        QCOMPARE(blocks[3].b_begin, 4);
        QCOMPARE(blocks[3].b_end, 5);
    }

    void compareRuns_firstDivergence_data() {
        QTest::addColumn<QVector<int>>("a");
        QTest::addColumn<QVector<int>>("b");
        QTest::addColumn<int>("step");
        QTest::newRow("equal") << QVector<int>{1, 2} << QVector<int>{1, 2} << -1;
        QTest::newRow("both empty") << QVector<int>{} << QVector<int>{} << -1;
        QTest::newRow("at once") << QVector<int>{1} << QVector<int>{2} << 0;
        QTest::newRow("later") << QVector<int>{1, 2, 3} << QVector<int>{1, 2, 4} << 2;
        QTest::newRow("a ended before") << QVector<int>{1} << QVector<int>{1, 2} << 1;
        QTest::newRow("b ended before") << QVector<int>{1, 2} << QVector<int>{1} << 1;
    }
    void compareRuns_firstDivergence() {
        QFETCH(QVector<int>, a);
        QFETCH(QVector<int>, b);
        QFETCH(int, step);
        const RunRecord one = record({a.begin(), a.end()});
        const RunRecord other = record({b.begin(), b.end()});
        const Comparison comparison = compare(one, other);
        QCOMPARE(comparison.first_divergence.value_or(-1), step);
        const auto json = nlohmann::json::parse(comparison_json(one, other, comparison));
        QCOMPARE(json["first_divergence"].is_null(), step < 0);
        if (step >= 0) {
            QCOMPARE(json["first_divergence"]["step"].get<int>(), step);
            QCOMPARE(json["first_divergence"]["a"].is_null(), step >= a.size());
            QCOMPARE(json["first_divergence"]["b"].is_null(), step >= b.size());
        }
    }

    void preconditionLine_saysWhatIsEqual_data() {
        QTest::addColumn<QString>("weightsA");
        QTest::addColumn<QString>("weightsB");
        QTest::addColumn<QString>("line");
        const auto row = [](const char* name, const char* a, const char* b, const char* said) {
            QTest::newRow(name) << QString::fromUtf8(a) << QString::fromUtf8(b)
                                << QString::fromUtf8(said);
        };
        row("same files", "l/f", "l/f", "same weights");
        row("same files, compared with a third", "l/f/3-x", "l/f", "same weights");
        row("other layout", "l/f", "m/g", "other weights");
        row("copies", "l/f/all-x", "l/g/all-x", "same weights");
        row("other contents", "l/f/2-x", "l/g/2-y", "other weights");
        row("equal so far", "l/f/2-x", "l/g/2-x",
            "weights not compared (other files of the same layout)");
        row("nobody looked", "l/f", "l/g", "weights not compared (other files of the same layout)");
        row("compared with others", "l/f/2-x", "l/g/3-y",
            "weights not compared (other files of the same layout)");
        row("none known", "", "", "weights not compared (other files of the same layout)");
    }
    void preconditionLine_saysWhatIsEqual() {
        QFETCH(QString, weightsA);
        QFETCH(QString, weightsB);
        QFETCH(QString, line);
        RunRecord a = record({1});
        RunRecord b = a;
        a.weights_digest = weightsA.toStdString();
        b.weights_digest = weightsB.toStdString();
        QCOMPARE(QString::fromStdString(precondition_line(compare(a, b))),
                 QString::fromUtf8("same input ids · same audio · ") + line);
    }

    void preconditionLine_otherRequest_saysSo() {
        RunRecord a = record({1});
        RunRecord b = a;
        b.input_ids.push_back(4);
        b.sources[0].digest = "d2";
        QCOMPARE(precondition_line(compare(a, b)),
                 std::string("other input ids · other audio · same weights"));
        b.sources.push_back(a.sources[0]);
        QVERIFY(!compare(a, b).same_audio);
        a.sources.clear();
        b.sources.clear();
        QVERIFY(QString::fromStdString(precondition_line(compare(a, b)))
                    .contains(QStringLiteral("no audio")));
    }

    void parameters_markWhatDiffers() {
        RunRecord a = record({1});
        RunRecord b = a;
        b.sample = true;
        b.temperature = 0.7;
        b.profile = "generic_sampled";
        b.sources.push_back({"two.wav", 50, 2.0, "d2"});
        const Comparison comparison = compare(a, b);
        const auto line = [&](const std::string& name) {
            for (const ComparedParameter& parameter : comparison.parameters) {
                if (parameter.name == name) {
                    return parameter;
                }
            }
            return ComparedParameter{};
        };
        QVERIFY(line("profile").differs);
        QCOMPARE(line("temperature").a, std::string("not used"));
        QCOMPARE(line("temperature").b, std::string("0.7"));
        QVERIFY(!line("prompt_width").differs);
        QCOMPARE(line("audio_tokens.0").b, std::string("25"));
        QCOMPARE(line("audio_tokens.1").a, std::string());
        QVERIFY(line("audio_tokens.1").differs);
    }

    void json_holdsBothRunsAndTheDiff() {
        const RunRecord a = record({1, 2, 3});
        const RunRecord b = record({1, 4, 3, 5});
        const auto json = nlohmann::json::parse(comparison_json(a, b, compare(a, b)));
        QCOMPARE(json["a"]["text"].get<std::string>(), a.text);
        QCOMPARE(json["b"]["generated_ids"].get<std::vector<int>>(),
                 (std::vector<int>{1, 4, 3, 5}));
        QCOMPARE(json["preconditions"]["same_weights"].get<bool>(), true);
        QCOMPARE(json["diff"].size(), std::size_t{4});
        QCOMPARE(json["diff"][1]["kind"].get<std::string>(), std::string("differ"));
        QCOMPARE(json["diff"][3]["kind"].get<std::string>(), std::string("only_b"));
        QCOMPARE(json["diff"][3]["b"].get<std::vector<int>>(), (std::vector<int>{3, 4}));
    }

    // QTextDocument reads Markdown as GitHub does: what it shows must be what was written.
    void markdown_foreignText_showsAsWritten_data() {
        QTest::addColumn<QString>("text");
        for (const char* text :
             {"# no title", "- no list", "1. no list", "    no code", "**bold** _it_ `code` ~~x~~",
              "[link](http://x.example) ![i](y.png) <http://z.example>",
              "<script>alert(1)</script>", "&amp; &copy;", "a | b", "| - | - |", "---", "> quote",
              "\\* back\\slash", "http://x.example www.x.example a@b.example", "tabs are shown",
              "音楽 🎵 é"}) {
            QTest::newRow(text) << QString::fromUtf8(text);
        }
    }
    void markdown_foreignText_showsAsWritten() {
        QFETCH(QString, text);
        const std::string quote = markdown_quote(text.toStdString());
        QVERIFY(quote.starts_with("> "));
        QCOMPARE(shown(QString::fromStdString(quote).mid(2)), text.trimmed());
        QCOMPARE(shown(QString::fromStdString(markdown_line(text.toStdString()))), text.trimmed());
    }

    void markdown_linesAndControls_stayVisible() {
        QCOMPARE(markdown_line("a\nb\tc"), std::string("a↵b\\[U+0009\\]c"));
        QCOMPARE(markdown_line("x\xE2\x80\xAEy"), std::string("x\\[U+202E\\]y"));
        QCOMPARE(markdown_line("bad \xFF byte"), std::string("bad \xEF\xBF\xBD byte"));
        QCOMPARE(markdown_line(" x "), std::string("&nbsp;x&nbsp;"));
        QCOMPARE(markdown_quote("a\nb\n\nc\n"), std::string("> a\\\n> b\n>\n> c\n>\n"));
        QCOMPARE(markdown_quote(""), std::string(">\n"));
    }

    void markdown_ordinaryText_staysReadable() {
        for (const char* text : {"2026-12-01T00:27:26Z", "/home/me/a.wav (1.5 s)", "x = 3 + 4 - 1",
                                 "Why? Because! \"So\", he said; it's 50 %.", "C# minor"}) {
            QCOMPARE(markdown_line(text), std::string(text));
        }
        QCOMPARE(markdown_line("12. x"), std::string("12\\. x"));
        QCOMPARE(markdown_line("www.x http://y :smile:"),
                 std::string("www\\.x http\\://y \\:smile:"));
    }

    void markdown_document_namesTheDivergenceAndKeepsItsTables() {
        RunRecord a = record({1, 2});
        RunRecord b = record({1, 3});
        a.tokens[1].piece = " |drums|\n";
        std::vector<std::int64_t> many(100, 7);
        a.tokens.insert(a.tokens.end(), 100, RunToken{7, "x"});
        b.tokens.insert(b.tokens.end(), 100, RunToken{7, "x"});
        const QString text = QString::fromStdString(comparison_markdown(a, b, compare(a, b)));
        QVERIFY(text.contains(QStringLiteral("same input ids · same audio · same weights")));
        QVERIFY(text.contains(QStringLiteral("First divergence at token 1 (counted from 0)")));
        QVERIFY(text.contains(QStringLiteral("(id 2)")));
        QVERIFY(text.contains(QStringLiteral("76 tokens more")));
        const QString table = text.mid(text.indexOf(QStringLiteral("## Token difference")));
        for (const QString& line : table.split(QLatin1Char('\n'))) {
            if (line.startsWith(QLatin1Char('|'))) {
                QCOMPARE(line.count(QLatin1Char('|')), 6);
            }
        }
    }

private:
    /// Markdown as a reader sees it, for the characters that markdown_line writes.
    static QString shown(QString markdown) {
        QString text;
        markdown = markdown.trimmed();
        for (qsizetype i = 0; i < markdown.size(); ++i) {
            const QChar c = markdown[i];
            if (c == QLatin1Char('\\')) {
                text += markdown[++i];  // CommonMark: before ASCII punctuation only, see below
                if (!text.back().isPunct() && !text.back().isSymbol()) {
                    return QStringLiteral("backslash before ") + text.back();
                }
            } else if (c == QLatin1Char('&')) {
                const qsizetype end = markdown.indexOf(QLatin1Char(';'), i);
                const QString name = markdown.mid(i + 1, end - i - 1);
                static const QHash<QString, QString> known{
                    {QStringLiteral("amp"), QStringLiteral("&")},
                    {QStringLiteral("lt"), QStringLiteral("<")},
                    {QStringLiteral("gt"), QStringLiteral(">")},
                    {QStringLiteral("nbsp"), QStringLiteral(" ")},
                    {QStringLiteral("#124"), QStringLiteral("|")},
                    {QStringLiteral("#64"), QStringLiteral("@")}};
                text += known.value(name, QStringLiteral("unknown entity"));
                i = end;
            } else if (QStringLiteral("*_`[]<>|~$@").contains(c) ||
                       (text.trimmed().isEmpty() && QStringLiteral("#-+=").contains(c))) {
                return QStringLiteral("bare ") + c;
            } else {
                text += c;
            }
        }
        return text.trimmed();
    }
};

QTEST_GUILESS_MAIN(TestComparison)
#include "tst_comparison.moc"
