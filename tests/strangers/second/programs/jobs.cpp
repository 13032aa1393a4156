// SPDX-License-Identifier: Apache-2.0
// Eight kernels of other kinds than those of the first program.
#include "job.h"

std::vector<double> Attention();
std::vector<double> SortPass();
std::vector<double> Probe();
std::vector<double> Paths();
std::vector<double> Fourier();
std::vector<double> ConvertPixels();
std::vector<double> NormBackward();
std::vector<double> ExpandFrontier();

std::vector<Job> Jobs() {
  return {{"attention", Attention}, {"sort_pass", SortPass},    {"probe", Probe},       {"paths", Paths},
          {"fourier", Fourier},     {"convert", ConvertPixels}, {"norm", NormBackward}, {"frontier", ExpandFrontier}};
}
