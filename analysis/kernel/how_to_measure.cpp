// SPDX-License-Identifier: Apache-2.0
#include "analysis/kernel/how_to_measure.h"

#include <fmt/format.h>

#include <algorithm>

namespace culprit {
namespace {

template <class T>
void SortUnique(std::vector<T>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace

std::string MeasuringCommand(Needs needs) {
  SortUnique(needs.stages);
  SortUnique(needs.sizes);
  return fmt::format("gemm_bench --profile=full --stages {} --shapes {} --db FILE", fmt::join(needs.stages, ","),
                     fmt::join(needs.sizes, ","));
}

}  // namespace culprit
