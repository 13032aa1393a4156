// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace culprit {

// "2%", "2 %" or "2": a share, 0.02. Throws culprit::Error that names the `option`.
double ParsePercent(const char* option, const std::string& text);

}  // namespace culprit
