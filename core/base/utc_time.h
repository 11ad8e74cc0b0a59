#pragma once
#include <string>

namespace earscope {

/// Now, as "2026-01-31T12:00:00Z".
std::string utc_time();

}  // namespace earscope
