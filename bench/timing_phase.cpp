// SPDX-License-Identifier: Apache-2.0
#include "bench/timing_phase.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "bench/sample_marks.h"
#include "db/stage_input.h"
#include "profiler/cuda_context.h"

namespace culprit {
namespace {

// Before the first sample of each invocation: instruction cache, TLB and clock settle.
constexpr int kWarmUpLaunches = 3;

class TimingPhase {
 public:
  TimingPhase(std::vector<Job>& jobs, const BenchOptions& options, const std::optional<Device>& device,
              Recorder& recorder)
      : options_(options), device_(device), recorder_(recorder) {
    for (Job& job : jobs) entries_[job.Name()].job = &job;
  }

  // One call of Google Benchmark: it calls with growing iteration counts until it is satisfied, and only the last call
  // of each repetition is reported.
  void Measure(benchmark::State& state, const std::string& name) {
    Entry& entry = entries_.at(name);
    Job& job = *entry.job;
    try {
      if (!Prepare(job, true)) return state.SkipWithError(job.record.message.c_str());
      if (!timer_) timer_ = std::make_unique<Timer>(options_.l2, nullptr);
      const auto launch = [&] { job.workload.launch(nullptr); };
      for (int i = 0; i < kWarmUpLaunches; ++i) timer_->Measure(launch);
      timer_->TakeSamples();
      for (auto _ : state) state.SetIterationTime(timer_->Measure(launch) * 1e-6);
      entry.invocations.push_back(Mark(timer_->TakeSamples()));
      SetCounters(state, job, MedianTime(entry.invocations.back()));
    } catch (const std::exception& e) {  // a user's workload may throw what it likes
      job.record.state = LaunchState::kFailed;
      job.record.message = e.what();
      state.SkipWithError(e.what());
    }
  }

  // Called when a benchmark with all its repetitions is done.
  void Store(const std::string& name, std::size_t repetitions) {
    const auto found = entries_.find(name);
    if (found == entries_.end()) return;  // a BENCHMARK() of the user's own
    Entry& entry = found->second;
    if (entry.invocations.empty() && entry.job->stored)
      return;  // aggregates of repetitions arrive in a report of their own
    std::vector<Sample> samples;
    const std::size_t first = entry.invocations.size() - std::min(repetitions, entry.invocations.size());
    for (std::size_t i = first; i < entry.invocations.size(); ++i)
      for (Sample s : entry.invocations[i]) {
        s.repetition = static_cast<int>(i - first);
        samples.push_back(s);
      }
    entry.invocations.clear();
    StoreLaunch(*entry.job, recorder_, samples);
    WarnOfLowClock(*entry.job, samples);
    WarnOfOpenGate(*entry.job, samples);
    ran_ = true;
  }

  bool ran() const { return ran_; }

 private:
  struct Entry {
    Job* job = nullptr;
    std::vector<std::vector<Sample>> invocations;
  };

  void SetCounters(benchmark::State& state, const Job& job, double median_us) {
    if (!(job.workload.flop > 0) || !(median_us > 0)) return;
    const double gflops = job.workload.flop / median_us * 1e-3;
    state.counters["GFLOP/s"] = gflops;
    const std::string input = InputOf(job.workload.factors);
    // Against the clock that the driver names as maximum: a peak that no measurement can move.
    if (device_ && input == kSinglePrecision)
      state.counters["%FFMA"] =
          100 * gflops * 1e9 / (2.0 * device_->fp32_lanes_per_sm * device_->sm_count * device_->sm_clock_mhz * 1e6);
    const std::pair key(input, job.workload.shape);
    if (job.workload.family == "reference") reference_us_[key] = median_us;
    if (const auto r = reference_us_.find(key); r != reference_us_.end())
      state.counters["%cuBLAS"] = 100 * r->second / median_us;
  }

  // One sample below its own median is marked; a whole launch below the others of this run is said aloud.
  void WarnOfLowClock(const Job& job, const std::vector<Sample>& samples) {
    std::vector<double> clocks;
    for (const Sample& s : samples)
      if (s.clock_mhz) clocks.push_back(*s.clock_mhz);
    const double clock = Median(std::move(clocks));
    if (!(clock > 0)) return;
    highest_clock_ = std::max(highest_clock_, clock);
    if (clock < kLowClockShare * highest_clock_)
      recorder_.Warn(
          {"low_clock", fmt::format("ran at {:.0f} MHz where this run has seen {:.0f} MHz: compare cycles, not times",
                                    clock, highest_clock_)},
          job.Name(), job.stored);
  }

  void WarnOfOpenGate(const Job& job, const std::vector<Sample>& samples) {
    const auto open = std::count_if(samples.begin(), samples.end(), [](const Sample& s) { return s.gate_open; });
    if (open == 0) return;
    recorder_.Warn({"gate_open", fmt::format("the timer's gate gave up in {} of {} samples before the launch was "
                                             "enqueued, so their times may hold waiting for the host: launch without "
                                             "waiting for the device",
                                             open, samples.size())},
                   job.Name(), job.stored);
  }

  const BenchOptions& options_;
  const std::optional<Device>& device_;
  Recorder& recorder_;
  std::unique_ptr<Timer> timer_;
  std::map<std::string, Entry> entries_;
  std::map<std::pair<std::string, std::string>, double> reference_us_;  // by input and shape
  double highest_clock_ = 0;
  bool ran_ = false;
};

// Passes everything on to the reporter that Google Benchmark's own flags choose, and stores what was reported.
class StoringReporter : public benchmark::BenchmarkReporter {
 public:
  explicit StoringReporter(TimingPhase& phase) : phase_(phase), shown_(benchmark::CreateDefaultDisplayReporter()) {}
  bool ReportContext(const Context& context) override { return shown_->ReportContext(context); }
  void ReportRuns(const std::vector<Run>& runs) override {
    shown_->ReportRuns(runs);
    std::map<std::string, std::size_t> repetitions;
    // Not counted run by run: with --benchmark_report_aggregates_only only aggregates arrive here.
    for (const Run& run : runs) repetitions[run.run_name.function_name] = static_cast<std::size_t>(run.repetitions);
    for (const auto& [name, count] : repetitions) phase_.Store(name, count);
  }
  void Finalize() override { shown_->Finalize(); }

 private:
  TimingPhase& phase_;
  std::unique_ptr<benchmark::BenchmarkReporter> shown_;
};

}  // namespace

bool Prepare(Job& job, bool verify) {
  if (job.workload.set_up) job.workload.set_up();
  if (job.prepared) return job.record.state == LaunchState::kOk;
  job.prepared = true;
  Probe(job);
  if (job.kernels == 0) {
    // What a library allocates at its first launch cannot be captured, so launch once for real and ask again.
    job.workload.launch(nullptr);
    CheckCuda(cudaDeviceSynchronize(), "run " + job.Name());
    Probe(job);
  }
  if (!verify || !job.workload.verify) return true;
  const Verification verification = job.workload.verify();
  job.record.verify_error_over_bound = verification.error_over_bound;
  job.record.verify_reference = verification.reference;
  if (verification.passed) return true;
  job.record.state = LaunchState::kFailed;
  job.record.message = "verification failed: " + verification.message;
  return false;
}

bool RunTimingPhase(std::vector<Job>& jobs, const BenchOptions& options, const std::optional<Device>& device,
                    Recorder& recorder, std::vector<std::string> google_benchmark) {
  TimingPhase phase(jobs, options, device, recorder);
  for (const Job& job : jobs) {
    benchmark::internal::Benchmark* registered =
        benchmark::RegisterBenchmark(
            job.Name().c_str(), [&phase, name = job.Name()](benchmark::State& state) { phase.Measure(state, name); })
            ->UseManualTime()
            ->Unit(benchmark::kMicrosecond);
    if (options.samples > 0) registered->Iterations(options.samples);
  }
  std::vector<char*> argv;
  for (std::string& arg : google_benchmark) argv.push_back(arg.data());
  int argc = static_cast<int>(argv.size());
  benchmark::Initialize(&argc, argv.data());
  if (argc > 1) throw Error(fmt::format("unknown argument '{}' (see --help)", argv[1]));
  StoringReporter reporter(phase);
  benchmark::RunSpecifiedBenchmarks(&reporter);
  benchmark::Shutdown();
  return phase.ran();
}

}  // namespace culprit
