#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace earscope {

/// SHA-256 of bytes that come in pieces.
class Digest {
public:
    Digest();
    ~Digest();
    Digest(Digest&&) noexcept;
    Digest& operator=(Digest&&) noexcept;

    void add(const void* data, std::size_t bytes);
    void add(std::string_view text) { add(text.data(), text.size()); }
    /// 64 hexadecimal digits of everything added so far; more may be added afterwards.
    std::string text() const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace earscope
