// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

namespace culprit {

// A file that is part of the binary; see culprit_embed_text() in cmake/CulpritEmbed.cmake.
struct EmbeddedText {
  std::string_view name;  // without folder and extension
  std::string_view text;
};

}  // namespace culprit
