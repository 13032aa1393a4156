// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

namespace culprit {

// A file embedded in the binary by culprit_embed_text() of cmake/CulpritEmbed.cmake.
struct EmbeddedText {
  std::string_view name;  // without folder and extension
  std::string_view text;
  std::string_view sha256;  // of `text`, in hexadecimal
};

}  // namespace culprit
