// SPDX-License-Identifier: Apache-2.0
#include "tests/planted/mixtures.h"

#include "tests/planted/csv.h"

namespace culprit::testing {

std::vector<MixtureAnswer> ReadMixtures(const std::filesystem::path& csv) {
  std::vector<MixtureAnswer> mixtures;
  for (const auto& f : ReadCsv(csv, 9)) mixtures.push_back({f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8]});
  return mixtures;
}

std::vector<HarmlessPair> ReadHarmless(const std::filesystem::path& csv) {
  std::vector<HarmlessPair> pairs;
  for (const auto& f : ReadCsv(csv, 5)) pairs.push_back({f[0], f[1], f[2], f[3], f[4]});
  return pairs;
}

double ShareOfA(double base_us, double a_us, double b_us, double both_us) {
  const double a = a_us - base_us, b = b_us - base_us, both = both_us - base_us;
  return (a + (both - a - b) / 2) / both;
}

}  // namespace culprit::testing
