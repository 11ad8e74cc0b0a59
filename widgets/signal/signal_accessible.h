#pragma once

namespace earscope {

/// Makes screen readers say where the cursor of a SignalView is. Repeated calls do nothing.
void installSignalAccessibility();

}  // namespace earscope
