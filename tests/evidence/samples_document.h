// SPDX-License-Identifier: Apache-2.0
// The page docs/evidence/samples_as_counters.md.
#pragma once
#include <span>
#include <string>

#include "tests/evidence/samples_study.h"

namespace culprit::testing {

std::string SamplesDocument(std::span<const StudiedLaunch> launches, std::span<const StudiedLaunch> others);

}  // namespace culprit::testing
