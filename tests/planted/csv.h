// SPDX-License-Identifier: Apache-2.0
// The tables of answers: a header, then lines of fields without commas.
#pragma once
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace culprit::testing {

// The fields of each line. Throws std::runtime_error if a line has another number of fields, or the file has no lines.
std::vector<std::vector<std::string>> ReadCsv(const std::filesystem::path& file, std::size_t fields);

}  // namespace culprit::testing
