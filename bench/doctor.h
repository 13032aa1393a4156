// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <ostream>

namespace culprit {

// Says in plain sentences what works on this machine. Returns 0 when everything that measuring needs works, 2
// otherwise.
int Doctor(std::ostream& out);

}  // namespace culprit
