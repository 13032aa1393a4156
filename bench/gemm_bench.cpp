// SPDX-License-Identifier: Apache-2.0
// The ladder under Google Benchmark.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>

#include "bench/gemm_data.h"
#include "bench/workload.h"
#include "db/error.h"
#include "kernels/stage.h"
#include "kernels/verifier.h"

namespace culprit {
namespace {

GemmShape ParseShape(const std::string& text) {
  std::vector<int> extents;
  const char* at = text.data();
  const char* const end = at + text.size();
  bool complete = false;  // false while a number must follow
  while (!complete) {
    int extent = 0;
    const auto [next, error] = std::from_chars(at, end, extent);
    if (error != std::errc{} || extent < 0) break;
    extents.push_back(extent);
    complete = next == end;
    if (!complete && *next != 'x') break;
    at = next + 1;
  }
  if (complete && extents.size() == 1) return {extents[0], extents[0], extents[0]};
  if (complete && extents.size() == 3) return {extents[0], extents[1], extents[2]};
  throw Error("'" + text + "' is not a shape: write 4096 for a square one, or MxNxK such as 2048x1024x512");
}

Workload Make(const Stage& stage, const GemmShape& shape, std::uint64_t seed) {
  const double m = shape.m, n = shape.n, k = shape.k;
  const ElementType element = ElementOf(stage);
  const bool half = element == ElementType::kHalf;
  Workload w;
  w.group = half ? "hgemm" : "sgemm";
  if (GemmData::BothAreHeld(shape)) w.inputs = "gemm";
  w.id = stage.id;
  w.shape = fmt::format("{}x{}x{}", shape.m, shape.n, shape.k);
  w.family = stage.family;
  w.parent = stage.parent;
  w.idea = stage.idea;
  w.constraint = Describe(stage.constraint);
  w.factors = {stage.factors.begin(), stage.factors.end()};
  w.source_file = stage.source_file;
  w.source_line = stage.source_line;
  w.shared_accesses = stage.shared_accesses;
  w.flop = 2 * m * n * k;
  w.min_bytes = (half ? 2 : 4) * (m * k + k * n) + sizeof(float) * m * n;
  w.refusal = Refusal(stage, shape);
  if (w.refusal.empty()) w.refusal = DeviceRefusal(stage);
  if (stage.config != nullptr) {
    const LaunchConfig config = stage.config(shape);
    w.block_threads = static_cast<int>(config.block.x * config.block.y * config.block.z);
    w.dynamic_shared_bytes = static_cast<int>(config.dynamic_shared_bytes);
  }
  const auto data = [shape, element, seed]() -> GemmData& { return GemmData::For(shape, element, seed); };
  w.set_up = [data] { data(); };
  w.launch = [&stage, data](cudaStream_t stream) { data().LaunchTimed(stage, stream); };
  // Beyond the extents that are checked in double precision cuBLAS in single precision is the reference, and to compare
  // it with itself proves nothing.
  const bool is_the_reference =
      stage.family == "reference" && !half && std::max({shape.m, shape.n, shape.k}) > kFloat64Extent;
  if (!is_the_reference) w.verify = [&stage, data] { return data().Verify(stage); };
  return w;
}

std::vector<Workload> Ladder(const BenchOptions& options) {
  std::vector<Workload> workloads;
  for (const std::string& text :
       options.shapes.empty() ? std::vector<std::string>{"1024", "2048", "4096"} : options.shapes) {
    const GemmShape shape = ParseShape(text);
    // One element type after the other: GemmData need not hold the matrices of both. References first: the others are
    // shown as a share of them.
    for (const ElementType element : {ElementType::kFloat, ElementType::kHalf})
      for (const bool reference : {true, false})
        for (const Stage& stage : AllStages())
          if (ElementOf(stage) == element && (stage.family == "reference") == reference)
            workloads.push_back(Make(stage, shape, static_cast<std::uint64_t>(options.seed)));
  }
  return workloads;
}

}  // namespace
}  // namespace culprit

int main(int argc, char** argv) {
  const int status = culprit::BenchMain(argc, argv, culprit::Ladder);
  // Everything is stored. The driver takes matrices, handles and context back faster than their destructors give them.
  std::fflush(nullptr);
  std::quick_exit(status);
}
