// The character tables behind the split and the normalisation, code point by code point. What the
// reference does stands in unicode_tables.json.
#include "tests/core/tokenizer/nfc_reference.h"
#include "tests/core/tokenizer/pattern_reference.h"
#include "tests/core/tokenizer/tokenizer_fixtures.h"

#include <QtTest>

#include <algorithm>
#include <random>

namespace earscope {
namespace {

constexpr char32_t kEnd = 0x110000;

bool is_surrogate(char32_t c) {
    return c >= 0xD800 && c <= 0xDFFF;
}

/// Character by character: QString::fromUcs4 takes a leading U+FEFF for a byte order mark.
std::string utf8(const std::u32string& text) {
    QString result;
    for (const char32_t c : text) {
        result.append(QStringView(QChar::fromUcs4(c)));
    }
    return result.toUtf8().toStdString();
}

std::u32string code_points(const std::string& hexadecimal) {
    return NfcReference::code_points(hexadecimal);
}

std::string printable(const std::u32string& text) {
    std::string result;
    for (const char32_t c : text) {
        result += QStringLiteral("U+%1 ").arg(uint(c), 4, 16, QLatin1Char('0')).toStdString();
    }
    return result;
}

}  // namespace

class TestTokenizerUnicode : public QObject {
    Q_OBJECT

private:
    nlohmann::json tables_ = read_fixture(kFixtures / "unicode_tables.json");
    Tokenizer tokenizer_ = Tokenizer::from_folder(kFixtures / "tiny");
    PatternReference pattern_{tables_};
    NfcReference nfc_{tables_};

    /// Normalisation as it is seen from outside: the stretches of the text, joined.
    std::string normalized(const std::u32string& text) const {
        std::string joined;
        for (const std::string& part : tokenizer_.split(utf8(text))) {
            joined += part;
        }
        return joined;
    }

    void compare_split(const std::u32string& text, Differences& differences) const {
        std::vector<std::string> wanted;
        for (const std::u32string& part : pattern_.split(nfc_.nfc(text))) {
            wanted.push_back(utf8(part));
        }
        differences.compare(tokenizer_.split(utf8(text)), wanted,
                            text.size() < 20 ? printable(text) : std::string("a long text"));
    }

    /// Code points where classes change, and the characters that the pattern names.
    std::vector<char32_t> interesting() const {
        std::vector<char32_t> result;
        for (char32_t c = 1; c < kEnd; ++c) {
            if (pattern_.differ(c - 1, c)) {
                result.push_back(c - 1);
                result.push_back(c);
            }
        }
        for (const char32_t c :
             std::u32string(U"'sStTrReEvVmMlLdD \t\r\n\u017F\u212A\u180E\u200B")) {
            result.insert(result.end(), 60, c);
        }
        std::erase_if(result, is_surrogate);
        return result;
    }

private Q_SLOTS:
    void split_everyCodePoint_followsTheTables() {
        Differences differences;
        std::u32string text;
        int single = 0;
        for (char32_t c = 0; c < kEnd; ++c) {
            if (is_surrogate(c)) {
                continue;
            }
            // Between a letter, a sign and itself each class splits in its own way.
            text += std::u32string{U'a', c, U'!', c, c, U'a', U'\n'};
            ++single;
            if (single % 64 == 0 || c + 1 == kEnd) {
                compare_split(text, differences);
                text.clear();
            }
        }
        QCOMPARE(single, 0x110000 - 0x800);
        QVERIFY2(differences.none(), differences.summary());
    }

    void split_randomPairs_followsTheTables() {
        const std::vector<char32_t> characters = interesting();
        std::mt19937 random(20240901);
        std::uniform_int_distribution<std::size_t> pick(0, characters.size() - 1);
        std::uniform_int_distribution<int> length(1, 7);
        Differences differences;
        for (int i = 0; i < 30000; ++i) {
            std::u32string text;
            for (int n = i < 15000 ? 2 : length(random); n > 0; --n) {
                text.push_back(characters[pick(random)]);
            }
            compare_split(text, differences);
        }
        QVERIFY2(differences.none(), differences.summary());
    }

    void normalize_everyCodePoint_followsTheTables() {
        const nlohmann::json& singles = tables_.at("nfc_single");
        Differences differences;
        std::u32string text;
        std::u32string wanted;
        std::size_t changed = 0;
        for (char32_t c = 0; c < kEnd; ++c) {
            if (is_surrogate(c)) {
                continue;
            }
            const std::string key =
                QStringLiteral("%1").arg(uint(c), 4, 16, QLatin1Char('0')).toUpper().toStdString();
            const auto found = singles.find(key);
            const std::u32string one = found == singles.end()
                                           ? std::u32string(1, c)
                                           : code_points(found->get<std::string>());
            changed += found == singles.end() ? 0 : 1;
            // Nothing composes with a line break.
            text += std::u32string(1, c) + U'\n';
            wanted += one + U'\n';
            if (c % 64 == 63 || c + 1 == kEnd) {
                compare_normalized(text, wanted, differences);
                text.clear();
                wanted.clear();
            }
        }
        QCOMPARE(changed, singles.size());
        QVERIFY2(differences.none(), differences.summary());
    }

    void normalize_everyPairOfTheTables_composes() {
        const nlohmann::json& pairs = tables_.at("nfc_pairs");
        Differences differences;
        for (const auto& [pair, composed] : pairs.items()) {
            compare_normalized(code_points(pair), code_points(composed.get<std::string>()),
                               differences);
        }
        QCOMPARE(differences.compared(), 1026);
        QVERIFY2(differences.none(), differences.summary());
    }

    /// Marks that Unicode 10 or later brought: newer tables would move them behind U+0334.
    void normalize_youngMarks_stayInPlace() {
        const nlohmann::json& marks = tables_.at("nfc_marks_not_reordered");
        Differences differences;
        for (const auto& mark : marks) {
            const std::u32string text = U"a" + code_points(mark.get<std::string>()) + U"\u0334";
            compare_normalized(text, text, differences);
        }
        compare_normalized(U"\U00011935\U00011930", U"\U00011935\U00011930", differences);
        QCOMPARE(differences.compared(), 99);
        QVERIFY2(differences.none(), differences.summary());
    }

    void normalize_randomStrings_followsTheTables() {
        std::vector<char32_t> characters;
        for (const auto& [pair, composed] : tables_.at("nfc_pairs").items()) {
            const std::u32string both = code_points(pair);
            characters.insert(characters.end(), both.begin(), both.end());
            characters.push_back(code_points(composed.get<std::string>()).front());
        }
        for (const auto& [single, to] : tables_.at("nfc_single").items()) {
            characters.push_back(code_points(single).front());
        }
        for (char32_t c = 0x1100; c < 0x1200; ++c) {
            characters.push_back(c);
        }
        for (char32_t c = 0x300; c < 0x370; ++c) {
            characters.insert(characters.end(), 5, c);
        }
        std::mt19937 random(7);
        std::uniform_int_distribution<std::size_t> pick(0, characters.size() - 1);
        std::uniform_int_distribution<char32_t> any(0, kEnd - 1);
        Differences differences;
        for (int i = 0; i < 40000; ++i) {
            std::u32string text;
            for (int n = i < 20000 ? 2 : 6; n > 0; --n) {
                const char32_t c = n == 3 ? any(random) : characters[pick(random)];
                text.push_back(is_surrogate(c) ? U'x' : c);
            }
            compare_normalized(text, nfc_.nfc(text), differences);
        }
        QVERIFY2(differences.none(), differences.summary());
    }

    /// More than 32 marks in a row are put in order by our own code before ICU composes them.
    void normalize_longRunsOfMarks_followsTheTables() {
        std::vector<char32_t> marks{0xF73, 0xF75, 0xF81, 0x344, 0x340, 0x1ABF, 0x3099, 0x5BF};
        for (char32_t c = 0x300; c < 0x370; ++c) {
            marks.push_back(c);
        }
        std::mt19937 random(8);
        std::uniform_int_distribution<std::size_t> pick(0, marks.size() - 1);
        Differences differences;
        for (int i = 0; i < 2000; ++i) {
            std::u32string text = i % 2 == 0 ? U"x\u00e9" : U"";
            for (int n = 20 + i % 40; n > 0; --n) {
                text.push_back(marks[pick(random)]);
            }
            text += i % 3 == 0 ? U"\u212b\u0323" : U"";
            compare_normalized(text, nfc_.nfc(text), differences);
        }
        QVERIFY2(differences.none(), differences.summary());
    }

private:
    void compare_normalized(const std::u32string& text, const std::u32string& wanted,
                            Differences& differences) const {
        differences.compare(normalized(text), utf8(wanted), printable(text));
    }
};

}  // namespace earscope

QTEST_GUILESS_MAIN(earscope::TestTokenizerUnicode)
#include "tst_tokenizer_unicode.moc"
