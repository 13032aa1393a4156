// SPDX-License-Identifier: Apache-2.0
#include "tests/planted/csv.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace culprit::testing {

std::vector<std::vector<std::string>> ReadCsv(const std::filesystem::path& file, std::size_t fields) {
  std::ifstream in(file);
  std::vector<std::vector<std::string>> lines;
  std::string line;
  std::getline(in, line);  // the header
  while (std::getline(in, line)) {
    std::vector<std::string>& read = lines.emplace_back();
    std::istringstream of(line);
    for (std::string field; std::getline(of, field, ',');) read.push_back(field);
    if (line.ends_with(',')) read.emplace_back();
    if (read.size() != fields)
      throw std::runtime_error("'" + line + "' does not have " + std::to_string(fields) + " fields");
  }
  if (lines.empty()) throw std::runtime_error(file.string() + " holds no answers");
  return lines;
}

}  // namespace culprit::testing
