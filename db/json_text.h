// SPDX-License-Identifier: Apache-2.0
// Private to db/.
#pragma once
#include <fmt/format.h>

#include <string>
#include <string_view>

namespace culprit {

// A JSON string. Stored texts are compared and hashed, so never change the escapes.
inline std::string JsonString(std::string_view text) {
  std::string json = "\"";
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20) {
      json += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      if (c == '"' || c == '\\') json += '\\';
      json += c;
    }
  }
  return json + '"';
}

}  // namespace culprit
