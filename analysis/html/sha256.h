// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4), in base64 (RFC 4648): how a page's content security policy names the scripts that it may run.
#pragma once
#include <string>
#include <string_view>

namespace culprit {

std::string Sha256InBase64(std::string_view bytes);

}  // namespace culprit
