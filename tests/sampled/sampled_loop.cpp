// SPDX-License-Identifier: Apache-2.0
// sampled_loop KIND PLAN SECONDS: launches kernels again and again, for `culprit record` to sample their counters
// (script/sampled-truth). Kinds:
//   planted:PART/PARTS  the planted kernels of a part, counted from 1
//   stages              all stages of the ladder
//   stream              16 short kernels, one after the other, always in the same order
//   shuffled            the same in another order each time
//   graph               the same as nodes of a CUDA graph
//
// An execution that finds no file PLAN chooses sizes and repetitions, writes them to it, and takes SECONDS. One that
// finds it launches each kernel nine times: enough for counting by replay, and for an execution that samples instructions.
#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <nvtx3/nvToolsExt.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <span>

#include "db/error.h"
#include "tests/planted/make_all.h"
#include "tests/planted/range_name.h"
#include "tests/sampled/work.h"

namespace culprit::sampled {
namespace {

// A launch that takes less is not launched, or at its largest size. The page has those of 20 us and more.
constexpr double kLeastUs = 18, kEnoughUs = 24;
// Each kernel is launched so often in a row that it takes about this long: a few records of the GPU, so that all kernels
// have as many, and few that two kernels share.
constexpr double kInARowUs = 400;
constexpr int kMostInARow = 16;
constexpr int kTimed = 3;  // launches
// With a plan. Nine launches, of which the replayed ones find in L2 what the kernel itself left there.
constexpr int kRounds = 3, kInARow = 3;

void Check(cudaError_t error) {
  if (error != cudaSuccess) throw Error(fmt::format("sampled_loop: {}", cudaGetErrorString(error)));
}

class Deadline {
 public:
  explicit Deadline(double seconds)
      : ends_(std::chrono::steady_clock::now() +
              std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds))) {}
  bool HasPassed() const { return Clock::now() >= ends_; }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point ends_;
};

struct Job {
  const Work* work;
  int size, in_a_row = kInARow;
  Launch launch = {};
  long launched = 0;

  const std::string& Name() const { return work->name; }
  void Make() { launch = work->make(size); }
  bool IsMade() const { return launch != nullptr; }
  // In capital letters, because a recording has '#' in place of digits.
  std::string Range() const { return testing::RangeOf(fmt::format("{} {}", work->name, size)); }
  void Run(int times) {
    nvtxRangePushA(Range().c_str());
    for (int i = 0; i < times; ++i) launch(nullptr);
    nvtxRangePop();
    launched += times;
  }
};

double TimeUs(Job& job) {
  cudaEvent_t began, ended;
  Check(cudaEventCreate(&began));
  Check(cudaEventCreate(&ended));
  job.Run(1);
  Check(cudaEventRecord(began));
  job.Run(kTimed);
  Check(cudaEventRecord(ended));
  Check(cudaEventSynchronize(ended));
  float ms = 0;
  Check(cudaEventElapsedTime(&ms, began, ended));
  Check(cudaEventDestroy(began));
  Check(cudaEventDestroy(ended));
  return 1000.0 * static_cast<double>(ms) / kTimed;
}

// Those that last long enough, with their sizes and repetitions.
std::vector<Job> Choose(const std::vector<Work>& all) {
  std::vector<Job> jobs, chosen, again;
  for (const Work& work : all) jobs.push_back({&work, work.sizes.front()});
  const auto keep = [&](Job& job, double us) {
    job.in_a_row = std::clamp(static_cast<int>(std::lround(kInARowUs / us)), 1, kMostInARow);
    chosen.push_back(std::move(job));
  };
  testing::MakeAll(jobs);
  for (Job& job : jobs) {
    if (const double us = TimeUs(job); us >= kEnoughUs)
      keep(job, us);
    else if (job.work->sizes.size() > 1)
      again.push_back({job.work, job.work->sizes.back()});
    else if (us >= kLeastUs)
      keep(job, us);
  }
  jobs.clear();
  testing::MakeAll(again);
  for (Job& job : again)
    if (const double us = TimeUs(job); us >= kLeastUs) keep(job, us);
  return chosen;
}

void Write(const std::string& path, const std::vector<Job>& jobs) {
  std::ofstream plan(path);
  for (const Job& job : jobs) plan << job.work->name << ' ' << job.size << '\n';
  if (!plan.flush()) throw Error("sampled_loop: cannot write " + path);
}

std::vector<Job> Read(std::ifstream& plan, const std::vector<Work>& all) {
  std::vector<Job> jobs;
  std::string name;
  for (int size; plan >> name >> size;) {
    const auto work = std::ranges::find(all, name, &Work::name);
    if (work == all.end()) throw Error("sampled_loop: the plan has '" + name + "', which is not of this kind.");
    jobs.push_back({&*work, size});
  }
  return jobs;
}

void RunRound(std::vector<Job>& jobs) {
  for (Job& job : jobs) job.Run(job.in_a_row);
  Check(cudaDeviceSynchronize());
}

void Tell(const std::vector<Job>& jobs) {
  for (const Job& job : jobs) std::printf("launched %ld %s\n", job.launched, job.Range().c_str());
}

// Replay saves and restores memory, so that of a few kernels is there at a time.
void RunPlanned(std::span<const Job> jobs) {
  constexpr std::size_t kAtOnce = 16;
  for (; !jobs.empty(); jobs = jobs.subspan(std::min(kAtOnce, jobs.size()))) {
    const std::span<const Job> some = jobs.first(std::min(kAtOnce, jobs.size()));
    std::vector<Job> made(some.begin(), some.end());
    testing::MakeAll(made);
    for (int round = 0; round < kRounds; ++round) RunRound(made);
    Tell(made);
  }
}

void LoopLong(const std::vector<Work>& all, const std::string& path, double seconds) {
  if (std::ifstream plan(path); plan.is_open()) return RunPlanned(Read(plan, all));
  std::vector<Job> jobs = Choose(all);
  Write(path, jobs);
  std::mt19937 random(1);
  for (const Deadline deadline(seconds); !deadline.HasPassed();) {
    std::ranges::shuffle(jobs, random);
    RunRound(jobs);
  }
  Tell(jobs);
}

enum class Order { kFixed, kShuffled, kGraph };

// Between two looks at the clock: the GPU never waits for the host meanwhile.
constexpr int kRoundsAtOnce = 64;
// Each kernel comes so often in the graph, each time in another neighbourhood.
constexpr int kTimesInGraph = 2;

cudaGraphExec_t GraphOf(const std::vector<ShortKernel>& kernels, std::mt19937& random, cudaStream_t stream) {
  std::vector<std::size_t> order(kernels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  Check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int time = 0; time < kTimesInGraph; ++time) {
    std::ranges::shuffle(order, random);
    for (const std::size_t i : order) kernels[i].launch(stream);
  }
  Check(cudaStreamEndCapture(stream, &graph));
  Check(cudaGraphInstantiate(&exec, graph, 0));
  Check(cudaGraphDestroy(graph));
  return exec;
}

void LoopShort(Order order, const std::string& path, double seconds) {
  const bool has_plan = std::ifstream(path).is_open();
  if (!has_plan && !std::ofstream(path).flush()) throw Error("sampled_loop: cannot write " + path);
  std::vector<ShortKernel> kernels = ShortKernels();
  std::mt19937 random(1);
  cudaStream_t stream;
  Check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const cudaGraphExec_t graph = order == Order::kGraph ? GraphOf(kernels, random, stream) : nullptr;
  long rounds = 0;
  const auto run = [&](int more) {
    for (int i = 0; i < more; ++i, ++rounds) {
      if (graph != nullptr) {
        Check(cudaGraphLaunch(graph, stream));
        continue;
      }
      if (order == Order::kShuffled) std::ranges::shuffle(kernels, random);
      for (const ShortKernel& kernel : kernels) kernel.launch(stream);
    }
    Check(cudaGetLastError());
    Check(cudaStreamSynchronize(stream));
  };
  if (has_plan) run(kRounds * kInARow);
  for (const Deadline deadline(seconds); !has_plan && !deadline.HasPassed();) run(kRoundsAtOnce);
  if (graph != nullptr) Check(cudaGraphExecDestroy(graph));
  std::printf("launched %ld each\n", rounds * (graph != nullptr ? kTimesInGraph : 1));
}

// "planted:2/4" is {1, 4}.
std::optional<std::pair<int, int>> PartOf(std::string_view kind) {
  constexpr std::string_view kPrefix = "planted:";
  if (!kind.starts_with(kPrefix)) return std::nullopt;
  int part = 0, parts = 0;
  if (std::sscanf(std::string(kind.substr(kPrefix.size())).c_str(), "%d/%d", &part, &parts) != 2) return std::nullopt;
  if (part < 1 || part > parts) return std::nullopt;
  return std::pair(part - 1, parts);
}

int Main(int argc, char** argv) {
  const std::string kind = argc == 4 ? argv[1] : "", path = argc == 4 ? argv[2] : "";
  const double seconds = argc == 4 ? std::atof(argv[3]) : 0;
  static const std::map<std::string_view, Order> kOrders = {
      {"stream", Order::kFixed}, {"shuffled", Order::kShuffled}, {"graph", Order::kGraph}};
  if (seconds > 0) {
    if (const auto part = PartOf(kind)) return LoopLong(PlantedWork(part->first, part->second), path, seconds), 0;
    if (kind == "stages") return LoopLong(StageWork(), path, seconds), 0;
    if (const auto order = kOrders.find(kind); order != kOrders.end())
      return LoopShort(order->second, path, seconds), 0;
  }
  std::fprintf(stderr, "usage: %s planted:PART/PARTS|stages|stream|shuffled|graph PLAN SECONDS\n", argv[0]);
  return 2;
}

}  // namespace
}  // namespace culprit::sampled

int main(int argc, char** argv) try { return culprit::sampled::Main(argc, argv); } catch (const culprit::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
