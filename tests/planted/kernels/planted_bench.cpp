// SPDX-License-Identifier: Apache-2.0
// The planted pairs and mixtures under Google Benchmark.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "bench/workload.h"
#include "db/error.h"
#include "tests/planted/kernels/planted.h"

namespace culprit {
namespace {

// The buffers of all kernels of a pair or mixture at one size: they are counted in turn, pass by pass, and making
// inputs takes longer than a pass. Another's, or another size's, make room for themselves by replacing them.
const PlantedRun& Prepared(const std::string& alike, const PlantedKernel& kernel, int size) {
  static std::map<std::string, PlantedRun> held;
  static std::string whose;
  const std::string wanted = fmt::format("{}/{}", alike, size);
  if (whose != wanted) {
    held.clear();
    whose = wanted;
  }
  auto found = held.find(kernel.id);
  if (found == held.end()) found = held.emplace(kernel.id, kernel.make(size)).first;
  return found->second;
}

// `alike` is the pair or mixture of the kernel.
template <class Alike>
Workload Make(const Alike& alike, const PlantedKernel& kernel, const std::string& parent, int size) {
  Workload w;
  w.id = kernel.id;
  w.shape = std::to_string(size);
  w.group = "planted";
  w.family = "planted";
  w.parent = parent;
  w.idea = kernel.idea;
  w.constraint = "sizes of its pair";
  w.factors = {kernel.factors.begin(), kernel.factors.end()};
  w.source_file = kernel.source_file;
  w.source_line = kernel.source_line;
  if (alike.flop != nullptr) w.flop = alike.flop(size);
  if (alike.min_bytes != nullptr) w.min_bytes = alike.min_bytes(size);
  const LaunchConfig config = kernel.config(size);
  w.block_threads = static_cast<int>(config.block.x * config.block.y * config.block.z);
  w.dynamic_shared_bytes = static_cast<int>(config.dynamic_shared_bytes);
  w.set_up = [&alike, &kernel, size] { Prepared(alike.id, kernel, size); };
  w.launch = [&alike, &kernel, size](cudaStream_t stream) { Prepared(alike.id, kernel, size).launch(stream); };
  w.verify = [&alike, &kernel, size] {
    const PlantedCheck check = Prepared(alike.id, kernel, size).check();
    return VerifyResult{check.error_over_bound <= 1, check.error_over_bound, "float64", check.message};
  };
  return w;
}

int SizeOf(const std::string& text) {
  int size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (error == std::errc{} && end == text.data() + text.size() && size > 0) return size;
  throw Error("'" + text + "' is no size of a planted pair: write one number, 4096");
}

std::vector<Workload> Planted(const BenchOptions& options) {
  std::vector<int> wanted;
  for (const std::string& text : options.shapes) wanted.push_back(SizeOf(text));
  const auto taken = [&wanted](int size) {
    return wanted.empty() || std::find(wanted.begin(), wanted.end(), size) != wanted.end();
  };
  std::vector<Workload> workloads;
  for (const PlantedPair& pair : PlantedPairs())
    for (const int size : pair.sizes) {
      if (!taken(size)) continue;
      workloads.push_back(Make(pair, pair.base, "", size));
      workloads.push_back(Make(pair, pair.candidate, pair.base.id, size));
      for (Workload* w : {&workloads.end()[-2], &workloads.end()[-1]}) w->refusal = DeviceRefusal(w->id, pair.device);
    }
  // A stage has one parent: the step from b to both, like the other three, is found by the one factor that changes.
  for (const PlantedMixture& mixture : PlantedMixtures())
    for (const int size : mixture.sizes) {
      if (!taken(size)) continue;
      workloads.push_back(Make(mixture, mixture.base, "", size));
      workloads.push_back(Make(mixture, mixture.a, mixture.base.id, size));
      workloads.push_back(Make(mixture, mixture.b, mixture.base.id, size));
      workloads.push_back(Make(mixture, mixture.both, mixture.a.id, size));
    }
  return workloads;
}

}  // namespace
}  // namespace culprit

int main(int argc, char** argv) {
  const int status = culprit::BenchMain(argc, argv, culprit::Planted);
  // Everything is stored. The driver takes memory and context back faster than their destructors give them.
  std::fflush(nullptr);
  std::quick_exit(status);
}
