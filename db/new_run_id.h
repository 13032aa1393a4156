// SPDX-License-Identifier: Apache-2.0
// What a run that begins now is called.
#pragma once
#include <string>

namespace culprit {

std::string NewUuid();  // RFC 4122, version 4: 122 random bits
std::string NowUtc();   // "2026-11-21T00:25:46Z"

}  // namespace culprit
