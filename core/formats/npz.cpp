#include "core/formats/npz.h"

#include "core/base/atomic_file.h"
#include "core/base/errors.h"
#include "core/base/text.h"
#include "core/formats/export_checks.h"
#include "core/formats/npy.h"

#include <zip.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <vector>

namespace earscope {
namespace {

constexpr std::string_view kMetaName = "meta";

/// What all members of one archive share while libzip pulls their bytes.
struct Run {
    std::stop_token stop;
    const ProgressCallback& progress;
    std::uint64_t done = 0;
    std::uint64_t total = 0;
    std::uint64_t told = 0;
    std::exception_ptr thrown;  ///< by the progress callback; must not pass through libzip
};

/// One member: a header and the bytes behind it, widened from bfloat16 on the way where asked.
struct Member {
    std::string name;
    std::string header;
    const std::byte* data = nullptr;
    std::uint64_t bytes = 0;  ///< as written, without the header
    bool widen = false;
    Run* run = nullptr;
    std::uint64_t position = 0;
    zip_error_t error{};

    std::uint64_t size() const { return header.size() + bytes; }
    std::uint64_t read(char* into, std::uint64_t wanted);
};

/// bfloat16 is the upper half of a float32.
void widened(const std::byte* data, std::uint64_t at, char* into, std::uint64_t count) {
    while (count > 0) {
        std::uint16_t half = 0;
        std::memcpy(&half, data + at / 4 * 2, sizeof(half));
        const std::uint32_t whole = std::uint32_t{half} << 16U;
        const std::uint64_t skip = at % 4;
        const std::uint64_t part = std::min(4 - skip, count);
        std::memcpy(into, reinterpret_cast<const char*>(&whole) + skip, part);
        into += part;
        at += part;
        count -= part;
    }
}

std::uint64_t Member::read(char* into, std::uint64_t wanted) {
    wanted = std::min(wanted, size() - position);
    std::uint64_t got = 0;
    if (position < header.size()) {
        got = std::min<std::uint64_t>(wanted, header.size() - position);
        std::memcpy(into, header.data() + position, got);
    }
    if (const std::uint64_t rest = wanted - got; rest > 0) {
        const std::uint64_t at = position + got - header.size();
        if (widen) {
            widened(data, at, into + got, rest);
        } else {
            std::memcpy(into + got, data + at, rest);
        }
    }
    position += wanted;
    return wanted;
}

/// @return false: libzip is to give up
bool account(Run& run, std::uint64_t bytes) {
    run.done += bytes;
    if (run.stop.stop_requested()) {
        return false;
    }
    if (bytes == 0 || (run.done - run.told < kExportBlockBytes && run.done != run.total)) {
        return true;
    }
    run.told = run.done;
    try {
        report(run.progress, Stage::Export, static_cast<std::int64_t>(run.done),
               static_cast<std::int64_t>(run.total));
    } catch (...) {  // libzip is C: the exception waits until it has returned
        run.thrown = std::current_exception();
        return false;
    }
    return true;
}

zip_int64_t member_callback(void* user, void* data, zip_uint64_t length, zip_source_cmd_t command) {
    auto& member = *static_cast<Member*>(user);
    switch (command) {
        case ZIP_SOURCE_OPEN:
            member.position = 0;
            return 0;
        case ZIP_SOURCE_READ: {
            const std::uint64_t got = member.read(static_cast<char*>(data), length);
            if (!account(*member.run, got)) {
                zip_error_set(&member.error, ZIP_ER_CANCELLED, 0);
                return -1;
            }
            return static_cast<zip_int64_t>(got);
        }
        case ZIP_SOURCE_STAT: {
            auto* stat = static_cast<zip_stat_t*>(data);
            zip_stat_init(stat);
            stat->size = member.size();
            stat->valid = ZIP_STAT_SIZE;
            return sizeof(*stat);
        }
        case ZIP_SOURCE_ERROR:
            return zip_error_to_data(&member.error, data, length);
        case ZIP_SOURCE_SUPPORTS:
            return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ,
                                                  ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT,
                                                  ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, -1);
        case ZIP_SOURCE_CLOSE:
        case ZIP_SOURCE_FREE:
            return 0;
        default:
            zip_error_set(&member.error, ZIP_ER_OPNOTSUPP, 0);
            return -1;
    }
}

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& reason) {
    throw ExportError("cannot write " + one_line(file.string(), 500) + ": " + reason);
}

[[noreturn]] void refuse(const std::filesystem::path& file, const AtomicFile& output,
                         zip_error_t* error) {
    if (zip_error_system_type(error) == ZIP_ET_SYS && zip_error_code_system(error) != 0) {
        output.fail(zip_error_code_system(error));
    }
    refuse(file, zip_error_strerror(error));
}

struct Discard {
    void operator()(zip_t* archive) const { zip_discard(archive); }
};
using Archive = std::unique_ptr<zip_t, Discard>;

void add(const std::filesystem::path& file, const AtomicFile& output, zip_t* archive,
         Member& member) {
    zip_source_t* const source = zip_source_function(archive, member_callback, &member);
    if (source == nullptr) {
        refuse(file, output, zip_get_error(archive));
    }
    const zip_int64_t added =
        zip_file_add(archive, (member.name + ".npy").c_str(), source, ZIP_FL_ENC_UTF_8);
    if (added < 0) {
        zip_source_free(source);
        refuse(file, output, zip_get_error(archive));
    }
    const auto index = static_cast<zip_uint64_t>(added);
    constexpr zip_uint16_t kFirstDosDay = 1U << 5U | 1U;  // 1980-01-01: equal input, equal bytes
    const std::string note = "bfloat16 widened to float32";
    if (zip_set_file_compression(archive, index, ZIP_CM_STORE, 0) != 0 ||
        zip_file_set_dostime(archive, index, 0, kFirstDosDay, 0) != 0 ||
        (member.widen && zip_file_set_comment(archive, index, note.data(),
                                              static_cast<zip_uint16_t>(note.size()), 0) != 0)) {
        refuse(file, output, zip_get_error(archive));
    }
}

std::vector<Member> make_members(std::span<const TensorView> tensors, const std::u32string& meta,
                                 Run& run) {
    std::vector<Member> members;
    members.reserve(tensors.size() + 1);
    for (const TensorView& tensor : tensors) {
        const bool widen = tensor.dtype == DType::BF16;
        members.push_back({.name = tensor.name,
                           .header = npy_header(npy_descr(tensor.dtype), tensor.shape),
                           .data = tensor.data,
                           .bytes = widen ? tensor.bytes * 2 : tensor.bytes,
                           .widen = widen,
                           .run = &run});
    }
    members.push_back({.name = std::string(kMetaName),
                       .header = npy_header("<U" + std::to_string(meta.size()), {}),
                       .data = reinterpret_cast<const std::byte*>(meta.data()),
                       .bytes = meta.size() * sizeof(char32_t),
                       .run = &run});
    for (const Member& member : members) {
        run.total += member.size();
    }
    return members;
}

}  // namespace

void write_npz(const std::filesystem::path& file, std::span<const TensorView> tensors,
               const std::string& meta_json, std::stop_token stop,
               const ProgressCallback& progress) {
    check_export_tensors(file, tensors, kMetaName);
    if (first_invalid_utf8(meta_json)) {
        refuse(file, "the meta text is not UTF-8");
    }
    throw_if_stopped(stop);
    const std::u32string meta = npy_unicode(meta_json);
    Run run{.stop = std::move(stop), .progress = progress, .thrown = {}};
    std::vector<Member> members = make_members(tensors, meta, run);

    AtomicFile output(file);
    output.expect(run.total);
    // libzip writes a file of its own beside the temporary one and renames it over that.
    int code = 0;
    Archive archive(zip_open(output.temporary_path().c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code));
    if (!archive) {
        zip_error_t error;
        zip_error_init_with_code(&error, code);
        refuse(file, output, &error);
    }
    for (Member& member : members) {
        add(file, output, archive.get(), member);
    }
    if (zip_close(archive.get()) != 0) {
        if (run.thrown) {
            std::rethrow_exception(run.thrown);
        }
        throw_if_stopped(run.stop);
        refuse(file, output, zip_get_error(archive.get()));
    }
    static_cast<void>(archive.release());  // zip_close has freed it
    throw_if_stopped(run.stop);
    output.commit();
}

}  // namespace earscope
