#include "core/base/errors.h"
#include "core/base/text.h"
#include "core/snapshot/name_list.h"
#include "core/snapshot/snapshot.h"

#include <set>

namespace earscope {
namespace {

bool is_weight_type(DType dtype) {
    return dtype == DType::F32 || dtype == DType::BF16 || dtype == DType::F16;
}

}  // namespace

void check_tensors(const Snapshot& snapshot, const std::vector<ExpectedTensor>& expected,
                   const std::vector<std::string>& ignored) {
    std::vector<std::string> missing;
    std::vector<std::string> wrong_shape;
    std::vector<std::string> wrong_type;
    std::set<std::string_view> known(ignored.begin(), ignored.end());
    for (const ExpectedTensor& wanted : expected) {
        known.insert(wanted.name);
        const auto found = snapshot.tensors.find(wanted.name);
        if (found == snapshot.tensors.end()) {
            missing.push_back(wanted.name);
            continue;
        }
        const TensorView& tensor = found->second;
        if (tensor.shape != wanted.shape) {
            wrong_shape.push_back(wanted.name + " is " + shape_text(tensor.shape) + " instead of " +
                                  shape_text(wanted.shape));
        }
        if (!is_weight_type(tensor.dtype)) {
            wrong_type.push_back(wanted.name + " is " + std::string(dtype_name(tensor.dtype)));
        }
    }
    std::vector<std::string> unexpected;
    for (const auto& [name, tensor] : snapshot.tensors) {
        if (!known.contains(name)) {
            unexpected.push_back(name);
        }
    }
    std::string fault;
    for (const std::string& part :
         {name_list(missing, "missing"), name_list(unexpected, "unexpected"),
          name_list(wrong_shape, "of the wrong shape"),
          name_list(wrong_type, "not of type F32, BF16 or F16")}) {
        fault += (fault.empty() || part.empty() ? "" : "; ") + part;
    }
    if (!fault.empty()) {
        throw SnapshotError(one_line(snapshot.folder.string(), 500) + ": recognised as " +
                            std::string(family_name(snapshot.family)) + " (" +
                            snapshot.recognised_by + "), but its tensors do not fit: " + fault);
    }
}

}  // namespace earscope
