#pragma once
#include "core/session.h"

namespace earscope {

/// Session::prepare without the session: what it needs of a family is in `processor` and `family`.
/// @param device  of the tensors in `inputs`
PreparedBatch prepare_requests(const std::vector<Request>& requests, const Processor& processor,
                               Family family, c10::Device device, const CallOptions& options);

}  // namespace earscope
