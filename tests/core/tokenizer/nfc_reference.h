#pragma once
// Canonical composition written after Unicode's own description (UAX 15) over the pairs of
// unicode_tables.json and Qt's decompositions and classes. QString::normalized itself cannot serve:
// with Qt 6.4 and Unicode 9 it leaves U+1FF9 behind U+114BC as it is.
#include <QChar>
#include <QList>
#include <QString>
#include <QStringList>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace earscope {

class NfcReference {
public:
    explicit NfcReference(const nlohmann::json& tables) {
        for (const auto& [pair, composed] : tables.at("nfc_pairs").items()) {
            const std::u32string parts = code_points(pair);
            const std::u32string whole = code_points(composed.get<std::string>());
            if (whole.size() == 1) {
                pairs_[{parts[0], parts[1]}] = whole[0];
            }
        }
    }

    std::u32string nfc(const std::u32string& text) const {
        std::u32string parts;
        for (const char32_t c : text) {
            decompose(c, parts);
        }
        for (auto start = parts.begin(); start != parts.end();) {
            const auto end = std::find_if(start, parts.end(), [](char32_t c) { return !rank(c); });
            std::stable_sort(start, end, [](char32_t a, char32_t b) { return rank(a) < rank(b); });
            start = end == parts.end() ? end : end + 1;
        }
        return compose(parts);
    }

    /// "0041 030A" as text.
    static std::u32string code_points(const std::string& hexadecimal) {
        std::u32string result;
        const QStringList parts = QString::fromStdString(hexadecimal).split(QLatin1Char(' '));
        for (const QString& part : parts) {
            result.push_back(static_cast<char32_t>(part.toUInt(nullptr, 16)));
        }
        return result;
    }

private:
    static bool is_known(char32_t c) { return QChar::unicodeVersion(c) <= QChar::Unicode_9_0; }
    static int rank(char32_t c) { return is_known(c) ? QChar::combiningClass(c) : 0; }

    static void decompose(char32_t c, std::u32string& out) {
        if (!is_known(c) || QChar::decompositionTag(c) != QChar::Canonical) {
            out.push_back(c);
            return;
        }
        for (const uint part : QChar::decomposition(c).toUcs4()) {
            decompose(part, out);
        }
    }

    char32_t composed(char32_t first, char32_t second) const {
        if (first >= 0x1100 && first < 0x1113 && second >= 0x1161 && second < 0x1176) {
            return 0xAC00 + ((first - 0x1100) * 21 + second - 0x1161) * 28;
        }
        if (first >= 0xAC00 && first < 0xD7A4 && (first - 0xAC00) % 28 == 0 && second > 0x11A7 &&
            second < 0x11C3) {
            return first + second - 0x11A7;
        }
        const auto found = pairs_.find({first, second});
        return found == pairs_.end() ? 0 : found->second;
    }

    /// A character joins the last starter unless one between them has its class or a higher one.
    std::u32string compose(const std::u32string& parts) const {
        std::u32string result;
        std::size_t starter = std::u32string::npos;
        for (const char32_t c : parts) {
            const bool blocked = starter == std::u32string::npos ||
                                 (result.size() > starter + 1 && rank(result.back()) >= rank(c));
            const char32_t joined = blocked ? 0 : composed(result[starter], c);
            if (joined != 0) {
                result[starter] = joined;
                continue;
            }
            if (rank(c) == 0) {
                starter = result.size();
            }
            result.push_back(c);
        }
        return result;
    }

    std::map<std::pair<char32_t, char32_t>, char32_t> pairs_;
};

}  // namespace earscope
