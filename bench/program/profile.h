// SPDX-License-Identifier: Apache-2.0
// What `culprit record --profile` measures besides times.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>

#include "db/error.h"

namespace culprit {

struct Profile {
  std::string_view name;
  bool samples_counters = false;           // of all kernels, while the program is timed
  bool samples_instructions = false;       // in an execution of its own
  std::string_view set_of_costliest = {};  // the counters that are replayed of kernels with most time: "core" | "full"
  std::string_view set_of_named = {};      // and of kernels that -k names. Empty: none
};

inline constexpr Profile kProfiles[] = {
    {.name = "none"},
    {.name = "core", .set_of_costliest = "core", .set_of_named = "core"},
    {.name = "full", .samples_instructions = true, .set_of_costliest = "full", .set_of_named = "full"},
    {.name = "lines", .samples_instructions = true},
    {.name = "counters", .samples_counters = true},
    {.name = "sampled", .samples_counters = true, .samples_instructions = true, .set_of_named = "full"},
};

// Without --profile. Where the GPU sampled no counters, kernels are replayed instead.
inline constexpr std::string_view kUsualProfile = "sampled", kWithoutSamples = "core";

// Throws culprit::Error if there is none.
inline Profile ProfileNamed(std::string_view name) {
  const auto* const found = std::ranges::find(kProfiles, name, &Profile::name);
  if (found == std::end(kProfiles)) throw Error("--profile knows no '" + std::string(name) + "'.");
  return *found;
}

}  // namespace culprit
