#include "core/tokenizer/normalizer.h"

#include "core/base/errors.h"

#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/uniset.h>

#include <algorithm>
#include <cstdint>

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
    UErrorCode code = U_ZERO_ERROR;
    icu::StringByteSink<std::string> sink(&result, static_cast<std::int32_t>(text.size()));
    impl_->filtered.normalizeUTF8(
        0, icu::StringPiece(text.data(), static_cast<std::int32_t>(text.size())), sink, nullptr,
        code);
    check(code, "the text");
    return result;
}

}  // namespace earscope
