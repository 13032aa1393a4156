// SPDX-License-Identifier: Apache-2.0
// What fuzz targets share. Each target is one file that defines LLVMFuzzerTestOneInput; built with CULPRIT_FUZZ it is
// driven by clang's libFuzzer, else by replay.cpp, which runs the corpus.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "db/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace culprit::fuzz {

inline std::string_view Text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Ends the process, so that the input is kept. `what` says what is wrong.
inline void Require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: %s\n", what);
  std::abort();
}

// Runs a parser: it may refuse its input with culprit::Error and nothing else. True when it did not refuse.
template <class Parse>
bool Accepts(Parse parse) {
  try {
    parse();
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace culprit::fuzz
