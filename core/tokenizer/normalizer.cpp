#include "core/tokenizer/normalizer.h"

#include "core/base/errors.h"
#include "core/tokenizer/utf8.h"

#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/uniset.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace earscope {
namespace {

void check(UErrorCode code, const char* what) {
    if (U_FAILURE(code)) {
        throw Error(std::string("Unicode normalisation: ") + what + ": " + u_errorName(code));
    }
}

icu::UnicodeSet characters_of(Normalizer::Version version) {
    UErrorCode code = U_ZERO_ERROR;
    const char16_t* pattern =
        version == Normalizer::Version::Unicode9 ? u"[:Age=9.0:]" : u"[:Age=14.0:]";
    icu::UnicodeSet set(icu::UnicodeString(pattern), code);
    check(code, "the set of characters");
    set.freeze();
    return set;
}

const icu::Normalizer2& icu_nfc() {
    UErrorCode code = U_ZERO_ERROR;
    const icu::Normalizer2* nfc = icu::Normalizer2::getNFCInstance(code);
    check(code, "the tables");
    return *nfc;
}

/// Longer runs of marks are put in order here. ICU does it by insertion, which is quadratic: 1 MiB
/// of marks in the wrong order would take minutes.
constexpr std::size_t kLongRun = 32;

struct Mark {
    char32_t code_point = 0;
    std::uint8_t combining_class = 0;
};

/// Adds the canonical decomposition of a mark to `run`. Some decompose into marks without being one
/// by their own class (U+0F73).
/// @return  false: `code_point` is no mark
bool add_mark(const icu::Normalizer2& normalizer, char32_t code_point, std::vector<Mark>& run) {
    const auto single = static_cast<UChar32>(code_point);
    const auto own = normalizer.getCombiningClass(single);
    icu::UnicodeString parts;
    if (!normalizer.getDecomposition(single, parts)) {
        if (own != 0) {
            run.push_back({code_point, own});
        }
        return own != 0;
    }
    if (own == 0 && normalizer.getCombiningClass(parts.char32At(0)) == 0) {
        return false;
    }
    for (std::int32_t i = 0; i < parts.length(); i = parts.moveIndex32(i, 1)) {
        const UChar32 part = parts.char32At(i);
        run.push_back({static_cast<char32_t>(part), normalizer.getCombiningClass(part)});
    }
    return true;
}

/// The text with its long runs of marks decomposed and in canonical order; its NFC is the same.
std::string with_ordered_runs(const icu::Normalizer2& normalizer, std::string_view text) {
    std::string result;
    std::vector<Mark> run;
    std::size_t run_start = 0;
    std::size_t position = 0;
    std::size_t copied = 0;
    while (position <= text.size()) {
        std::size_t end = position;
        if (position < text.size()) {
            const char32_t code_point = next_code_point(text, end);
            if (code_point >= 0x300 && add_mark(normalizer, code_point, run)) {
                position = end;
                continue;
            }
        }
        if (run.size() > kLongRun) {
            result.append(text.substr(copied, run_start - copied));
            std::stable_sort(run.begin(), run.end(), [](const Mark& a, const Mark& b) {
                return a.combining_class < b.combining_class;
            });
            for (const Mark& mark : run) {
                append_utf8(result, mark.code_point);
            }
            copied = position;
        }
        run.clear();
        run_start = end;
        position = std::max(end, position + 1);
    }
    return result.append(text.substr(copied));
}

}  // namespace

struct Normalizer::Impl {
    explicit Impl(Version version)
        : characters(characters_of(version)), filtered(icu_nfc(), characters) {}

    icu::UnicodeSet characters;
    icu::FilteredNormalizer2 filtered;
};

Normalizer::Normalizer(Version version) : impl_(std::make_unique<Impl>(version)) {}
Normalizer::Normalizer(Normalizer&&) noexcept = default;
Normalizer& Normalizer::operator=(Normalizer&&) noexcept = default;
Normalizer::~Normalizer() = default;

std::string Normalizer::nfc(std::string_view text) const {
    // Everything below U+0300 (lead bytes up to CB) is its own NFC.
    const bool plain = std::none_of(text.begin(), text.end(), [](char byte) {
        return static_cast<unsigned char>(byte) >= 0xCC;
    });
    std::string result;
    if (plain) {
        result = text;
        return result;
    }
    const std::string ordered = with_ordered_runs(impl_->filtered, text);
    const auto size = static_cast<std::int32_t>(ordered.size());
    UErrorCode code = U_ZERO_ERROR;
    icu::StringByteSink<std::string> sink(&result, size);
    impl_->filtered.normalizeUTF8(0, icu::StringPiece(ordered.data(), size), sink, nullptr, code);
    check(code, "the text");
    return result;
}

}  // namespace earscope
