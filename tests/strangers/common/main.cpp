// SPDX-License-Identifier: Apache-2.0
// The kernels of a program, one after the other.
//   program                 runs them
//   program --save FILE     and writes what they computed
//   program --against FILE  and says how far that is from what another build wrote; exit status 1 beyond 1e-4
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "job.h"

int main(int count, char** arguments) {
  const bool save = count == 3 && !std::strcmp(arguments[1], "--save");
  const bool against = count == 3 && !std::strcmp(arguments[1], "--against");
  std::FILE* file = save || against ? std::fopen(arguments[2], save ? "wb" : "rb") : nullptr;
  if ((save || against) && !file) return std::fprintf(stderr, "cannot open %s\n", arguments[2]), 2;
  results_wanted = file != nullptr;
  bool right = true;
  for (const Job& job : Jobs()) {
    const std::vector<double> got = job.run();
    if (save) std::fwrite(got.data(), sizeof(double), got.size(), file);
    if (!against) continue;
    std::vector<double> wanted(got.size());
    right &= std::fread(wanted.data(), sizeof(double), wanted.size(), file) == wanted.size();
    double largest = 0, worst = 0;
    for (double w : wanted) largest = std::max(largest, std::abs(w));
    for (std::size_t i = 0; i < got.size(); ++i) {
      const double off = std::abs(got[i] - wanted[i]) / (std::abs(wanted[i]) + 1e-3 * largest);
      worst = off <= worst ? worst : off;  // also takes a NaN
      if (std::isnan(off)) worst = INFINITY;
    }
    std::printf("%-10s %9zu numbers, the largest %g, off by %.2g at most%s\n", job.name, got.size(), largest, worst,
                worst < 1e-4 && largest > 0 ? "" : ": WRONG");
    right &= worst < 1e-4 && largest > 0;
  }
  if (file) std::fclose(file);
  std::puts("done");
  return right ? 0 : 1;
}
