#include "core/models/weights.h"

#include <ATen/ATen.h>

#include <cstdint>
#include <sys/mman.h>
#include <unistd.h>

namespace earscope {
namespace {

at::ScalarType scalar_type(DType dtype) {
    switch (dtype) {
        case DType::F16:
            return at::kHalf;
        case DType::BF16:
            return at::kBFloat16;
        default:
            return at::kFloat;
    }
}

/// Brings the pages of a mapped tensor in, so that loading is done when it says so and progress is
/// real.
void touch_pages(const TensorView& view) {
    static const auto kPage = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const auto begin = reinterpret_cast<std::uintptr_t>(view.data) & ~(kPage - 1);
    const auto end = reinterpret_cast<std::uintptr_t>(view.data) + view.bytes;
#ifdef MADV_POPULATE_READ
    if (::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_POPULATE_READ) == 0) {
        return;
    }
#endif
    volatile unsigned char sink = 0;
    for (std::uintptr_t page = begin; page < end; page += kPage) {
        sink = *reinterpret_cast<const volatile unsigned char*>(
            std::max(page, reinterpret_cast<std::uintptr_t>(view.data)));
    }
    (void)sink;
}

at::Tensor load_tensor(const TensorView& view, const std::shared_ptr<const void>& mapping,
                       c10::Device device, at::ScalarType dtype) {
    const at::ScalarType stored = scalar_type(view.dtype);
    touch_pages(view);
    // from_blob wants a mutable pointer; the file is mapped privately, so a write would stay in
    // this process.
    void* data = const_cast<std::byte*>(view.data);
    at::Tensor mapped = at::from_blob(
        data, view.shape, [mapping](void*) {}, at::TensorOptions(stored));
    const bool aligned = reinterpret_cast<std::uintptr_t>(data) % dtype_size(view.dtype) == 0;
    if (device.is_cpu() && dtype == stored) {
        return aligned ? mapped : mapped.clone();
    }
    return mapped.to(at::TensorOptions(device).dtype(dtype), /*non_blocking=*/false, /*copy=*/true);
}

}  // namespace

void load_weights(Module& model, const Snapshot& snapshot,
                  const std::function<std::string(const std::string&)>& disk_name,
                  const std::vector<std::string>& ignored, c10::Device device,
                  const LoadOptions& options) {
    const auto slots = model.parameter_slots();
    std::vector<ExpectedTensor> expected;
    for (const ParameterSlot& slot : slots) {
        expected.push_back({disk_name(slot.name), slot.shape});
    }
    check_tensors(snapshot, expected, ignored);
    std::int64_t total = 0;
    for (const ExpectedTensor& tensor : expected) {
        total += static_cast<std::int64_t>(snapshot.tensors.at(tensor.name).bytes);
    }
    std::int64_t done = 0;
    for (std::size_t i = 0; i < slots.size(); ++i) {
        throw_if_stopped(options.stop);
        report(options.progress, Stage::LoadWeights, done, total);
        const TensorView& view = snapshot.tensors.at(expected[i].name);
        const auto& shard = snapshot.shards[snapshot.shard_of.at(expected[i].name)];
        *slots[i].tensor = load_tensor(view, shard.mapping(), device, options.dtype);
        done += static_cast<std::int64_t>(view.bytes);
    }
    report(options.progress, Stage::LoadWeights, total, total);
}

}  // namespace earscope
