// SPDX-License-Identifier: Apache-2.0
// A database for the tests of `culprit why`. Every number in it is invented; none was measured.
#pragma once
#include <filesystem>

namespace culprit::testing {

// Run "invented" with one shape. v1_6 has an array in local memory, v1_7 has none. Two stages differ from v1_6 in one
// factor: v1_6_4 is without the array and nearly as fast as v1_7, and v1_6_1 has a padding that removes no bank
// conflict and is as fast as v1_6. Loads and stores of v1_6 and v1_7 are counted by instruction.
void WriteWhyDatabase(const std::filesystem::path& file);

}  // namespace culprit::testing
