// SPDX-License-Identifier: Apache-2.0
// The UUID and start time of a new run.
#pragma once
#include <string>

namespace culprit {

std::string NewUuid();  // RFC 4122, version 4: 122 random bits
std::string NowUtc();   // "2026-11-21T00:25:46Z"

}  // namespace culprit
