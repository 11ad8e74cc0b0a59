#include "core/compare/weights_digest.h"

#include "core/compare/digest.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/stat.h>
#include <vector>

namespace earscope {
namespace {

/// Bytes read and hashed between two looks at the stop token.
constexpr std::size_t kPieceBytes = std::size_t{8} << 20;

/// Text with its length in front, so that no two lists of texts look alike.
void add_text(Digest& digest, std::string_view text) {
    digest.add(std::to_string(text.size()) + ":");
    digest.add(text);
}

void add_numbers(Digest& digest, std::initializer_list<std::int64_t> numbers) {
    for (const std::int64_t number : numbers) {
        digest.add(std::to_string(number) + ",");
    }
}

std::string layout_digest(const Snapshot& snapshot) {
    Digest digest;
    for (const auto& [name, tensor] : snapshot.tensors) {
        add_text(digest, name);
        add_text(digest, dtype_name(tensor.dtype));
        add_text(digest, shape_text(tensor.shape));
    }
    return digest.text();
}

std::string files_digest(const Snapshot& snapshot) {
    Digest digest;
    for (const SafetensorsFile& shard : snapshot.shards) {
        struct stat status {};
        if (::stat(shard.path().c_str(), &status) != 0) {
            throw SnapshotError(shard.path().string() + ": " + std::strerror(errno));
        }
        add_numbers(digest, {static_cast<std::int64_t>(status.st_dev),
                             static_cast<std::int64_t>(status.st_ino), status.st_size,
                             status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec,
                             status.st_ctim.tv_nsec});
    }
    return digest.text();
}

/// Adds a tensor's bytes by reading its file, which a truncated one survives.
class TensorHasher {
public:
    explicit TensorHasher(const Snapshot& snapshot) : snapshot_(&snapshot) {}

    template <typename AfterPiece>
    void add(const std::string& name, const AfterPiece& after_piece) {
        const TensorView& tensor = snapshot_->tensors.at(name);
        const SafetensorsFile& shard = snapshot_->shards[snapshot_->shard_of.at(name)];
        for (std::size_t done = 0; done < tensor.bytes;) {
            TensorView piece = tensor;
            piece.data += done;
            piece.bytes = std::min(kPieceBytes, tensor.bytes - done);
            buffer_.resize(piece.bytes);
            shard.read(piece, buffer_.data());
            digest_.add(buffer_.data(), piece.bytes);
            done += piece.bytes;
            after_piece(piece.bytes);
        }
    }
    std::string text() const { return digest_.text(); }

private:
    const Snapshot* snapshot_;
    Digest digest_;
    std::vector<std::byte> buffer_;
};

/// Hashes both in step, up to the first tensor that differs.
void add_contents(const Snapshot& a, const Snapshot& b, std::string& digest_a,
                  std::string& digest_b, const std::stop_token& stop,
                  const ProgressCallback& progress) {
    TensorHasher one(a);
    TensorHasher other(b);
    std::int64_t done = 0;
    std::int64_t total = 0;
    for (const auto& [name, tensor] : a.tensors) {
        total += 2 * static_cast<std::int64_t>(tensor.bytes);
    }
    const auto after_piece = [&](std::size_t bytes) {
        done += static_cast<std::int64_t>(bytes);
        report(progress, Stage::LoadWeights, done, total);
        throw_if_stopped(stop);
    };
    std::size_t count = 0;
    std::string depth = "all";
    for (const auto& [name, tensor] : a.tensors) {
        one.add(name, after_piece);
        other.add(name, after_piece);
        ++count;
        if (one.text() != other.text()) {
            depth = std::to_string(count);
            break;
        }
    }
    digest_a += "/" + depth + "-" + one.text();
    digest_b += "/" + depth + "-" + other.text();
}

}  // namespace

std::string weights_digest(const Snapshot& snapshot) {
    return layout_digest(snapshot) + "/" + files_digest(snapshot);
}

std::pair<std::string, std::string> weights_digests(const Snapshot& a, const Snapshot& b,
                                                    const std::stop_token& stop,
                                                    const ProgressCallback& progress) {
    std::string digest_a = weights_digest(a);
    std::string digest_b = weights_digest(b);
    const std::string layout_a = digest_a.substr(0, digest_a.find('/'));
    if (digest_a != digest_b && digest_b.starts_with(layout_a + "/")) {
        add_contents(a, b, digest_a, digest_b, stop, progress);
    }
    return {std::move(digest_a), std::move(digest_b)};
}

}  // namespace earscope
