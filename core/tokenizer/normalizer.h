#pragma once
#include <memory>
#include <string>
#include <string_view>

namespace earscope {

/// NFC that knows only the characters assigned up to one Unicode version: the reference libraries
/// carry old tables and leave marks alone that newer ones put in order.
class Normalizer {
public:
    enum class Version {
        Unicode9,   ///< the tables of the Rust library behind tokenizer.json
        Unicode14,  ///< those of the Python that runs slow tokenizers
    };

    explicit Normalizer(Version version);
    Normalizer(Normalizer&&) noexcept;
    Normalizer& operator=(Normalizer&&) noexcept;
    ~Normalizer();

    /// @param text  valid UTF-8
    std::string nfc(std::string_view text) const;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace earscope
