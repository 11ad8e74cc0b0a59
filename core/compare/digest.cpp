#include "core/compare/digest.h"

#include "core/base/errors.h"

#include <array>
#include <openssl/evp.h>

namespace earscope {
namespace {

struct FreeContext {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_MD_CTX, FreeContext>;

void check(int result) {
    if (result != 1) {
        throw Error("SHA-256 could not be computed: libcrypto refused it");
    }
}

Context make_context() {
    Context context(EVP_MD_CTX_new());
    check(context ? 1 : 0);
    return context;
}

}  // namespace

struct Digest::Impl {
    Context context = make_context();
};

Digest::Digest() : impl_(std::make_unique<Impl>()) {
    check(EVP_DigestInit_ex(impl_->context.get(), EVP_sha256(), nullptr));
}

Digest::~Digest() = default;
Digest::Digest(Digest&&) noexcept = default;
Digest& Digest::operator=(Digest&&) noexcept = default;

void Digest::add(const void* data, std::size_t bytes) {
    check(EVP_DigestUpdate(impl_->context.get(), data, bytes));
}

std::string Digest::text() const {
    const Context copy = make_context();  // finishing ends a context
    check(EVP_MD_CTX_copy_ex(copy.get(), impl_->context.get()));
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
    unsigned int count = 0;
    check(EVP_DigestFinal_ex(copy.get(), bytes.data(), &count));
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    for (unsigned int i = 0; i < count; ++i) {
        text += kDigits[bytes[i] >> 4];
        text += kDigits[bytes[i] & 15];
    }
    return text;
}

}  // namespace earscope
