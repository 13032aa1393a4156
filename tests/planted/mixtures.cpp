// SPDX-License-Identifier: Apache-2.0
#include "tests/planted/mixtures.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace culprit::testing {
namespace {

// The lines behind the header, each of `count` fields.
std::vector<std::vector<std::string>> ReadLines(const std::filesystem::path& csv, std::size_t count) {
  std::ifstream in(csv);
  std::string line;
  std::getline(in, line);
  std::vector<std::vector<std::string>> lines;
  while (std::getline(in, line)) {
    std::vector<std::string> fields;
    std::istringstream split(line);
    for (std::string field; std::getline(split, field, ',');) fields.push_back(field);
    if (fields.size() != count)
      throw std::runtime_error("'" + line + "' does not have " + std::to_string(count) + " fields");
    lines.push_back(std::move(fields));
  }
  if (lines.empty()) throw std::runtime_error(csv.string() + " holds no lines");
  return lines;
}

}  // namespace

std::vector<MixtureAnswer> ReadMixtures(const std::filesystem::path& csv) {
  std::vector<MixtureAnswer> mixtures;
  for (const auto& f : ReadLines(csv, 9)) mixtures.push_back({f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8]});
  return mixtures;
}

std::vector<HarmlessPair> ReadHarmless(const std::filesystem::path& csv) {
  std::vector<HarmlessPair> pairs;
  for (const auto& f : ReadLines(csv, 5)) pairs.push_back({f[0], f[1], f[2], f[3], f[4]});
  return pairs;
}

double ShareOfA(double base_us, double a_us, double b_us, double both_us) {
  const double a = a_us - base_us, b = b_us - base_us, both = both_us - base_us;
  return (a + (both - a - b) / 2) / both;
}

}  // namespace culprit::testing
