// SPDX-License-Identifier: Apache-2.0
// A database for the tests of `culprit why`. Every number in it is invented; none was measured.
#pragma once
#include <filesystem>

namespace culprit::testing {

// Run "invented", one shape: v1_7, v1_6 (which keeps an array in local memory), and two stages one factor from v1_6:
// v1_6_4 without the array, which is nearly as fast as v1_7, and v1_6_1 with a padding that removes no bank conflict,
// which is as fast as v1_6. Loads and stores of v1_6 and v1_7 are counted by instruction.
void WriteWhyDatabase(const std::filesystem::path& file);

}  // namespace culprit::testing
