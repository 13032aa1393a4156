// SPDX-License-Identifier: Apache-2.0
#include "bench/timing_phase.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <memory>
#include <utility>

#include "bench/rounds.h"
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
              const TimedSink& timed)
      : options_(options), device_(device), timed_(timed) {
    for (Job& job : jobs) entries_[job.Name()].job = &job;
  }

  // One call of Google Benchmark: it calls with growing iteration counts until it is satisfied, and only the last call
  // of each repetition is reported.
  void Measure(benchmark::State& state, const std::string& name) {
    Entry& entry = entries_.at(name);
    Job& job = *entry.job;
    try {
      if (!Prepare(job, !options_.verified)) return state.SkipWithError(job.record.message.c_str());
      if (!timer_) timer_ = std::make_unique<Timer>(options_.l2, nullptr);
      if (options_.in_turns) return Replay(state, entry);
      const auto launch = [&] { job.workload.launch(nullptr); };
      WarmUp(job);
      timer_->TakeSamples();
      for (auto _ : state) state.SetIterationTime(timer_->Measure(launch) * 1e-6);
      entry.invocations.push_back(Mark(timer_->TakeSamples()));
      SetCounters(state, job, MedianTime(entry.invocations.back()));
    } catch (const std::exception& e) {  // a user's workload may throw what it likes
      job.Fail(e.what());
      state.SkipWithError(e.what());
    }
  }

  // Called when a benchmark with all its repetitions is done.
  void Store(const std::string& name, std::size_t repetitions) {
    const auto found = entries_.find(name);
    if (found == entries_.end()) return;  // a BENCHMARK() of the user's own
    Entry& entry = found->second;
    if (entry.invocations.empty() && entry.timed) return;  // aggregates of repetitions arrive in a report of their own
    std::vector<Sample> samples;
    const std::size_t first = entry.invocations.size() - std::min(repetitions, entry.invocations.size());
    for (std::size_t i = first; i < entry.invocations.size(); ++i)
      for (Sample s : entry.invocations[i]) {
        s.repetition = static_cast<int>(i - first);
        samples.push_back(s);
      }
    entry.invocations.clear();
    timed_(*entry.job, samples);
    entry.timed = ran_ = true;
  }

  bool ran() const { return ran_; }

 private:
  // Samples of one invocation that were taken in turns with others.
  struct InTurn {
    std::vector<Sample> samples;
    PairRatios ratios;
  };
  struct Entry {
    Job* job = nullptr;
    std::vector<std::vector<Sample>> invocations;
    std::deque<InTurn> taken;  // in turns with others, and not asked for yet
    bool timed = false;
  };

  void WarmUp(const Job& job) {
    for (int i = 0; i < kWarmUpLaunches; ++i) timer_->Measure([&] { job.workload.launch(nullptr); });
  }

  // The first that Google Benchmark asks for takes the samples of all that it takes turns with.
  void Replay(benchmark::State& state, Entry& entry) {
    if (entry.taken.empty()) TakeInTurn(entry, static_cast<std::size_t>(state.max_iterations));
    const InTurn taken = std::move(entry.taken.front());
    entry.taken.pop_front();
    std::size_t at = 0;
    for (auto _ : state) state.SetIterationTime(taken.samples[at++].time_us * 1e-6);
    SetCounters(state, *entry.job, MedianTime(taken.samples));
    if (!std::isnan(taken.ratios.median)) {
      state.counters["%cuBLAS"] = 100 / taken.ratios.median;
      state.counters["%cuBLAS_p10"] = 100 / taken.ratios.p90;
      state.counters["%cuBLAS_p90"] = 100 / taken.ratios.p10;
    }
    entry.invocations.push_back(taken.samples);
  }

  // One that fails leaves the others their turns; Google Benchmark hears of it when it asks for that one.
  bool MayTakeTurns(Job& job) {
    try {
      if (!Prepare(job, !options_.verified)) return false;
      WarmUp(job);
      return true;
    } catch (const std::exception& e) {
      job.Fail(e.what());
      return false;
    }
  }

  void TakeInTurn(const Entry& first, std::size_t rounds) {
    std::vector<Entry*> taking;
    for (auto& [name, entry] : entries_)
      if (AreInPlaceTogether(entry.job->workload, first.job->workload) && MayTakeTurns(*entry.job))
        taking.push_back(&entry);
    timer_->TakeSamples();
    const auto order = TakeTurns(taking.size(), rounds, [&](std::size_t i) {
      timer_->Measure([&] { taking[i]->job->workload.launch(nullptr); });
    });
    const std::vector<TimedSample> all = timer_->TakeSamples();
    std::vector<std::vector<TimedSample>> own(taking.size());
    for (std::size_t i = 0; i < all.size(); ++i) own[order[i]].push_back(all[i]);
    for (std::size_t i = 0; i < taking.size(); ++i) taking[i]->taken.push_back({Mark(own[i]), {}});
    for (Entry* entry : taking) {
      const auto is_reference = [&](const Entry* other) {
        return other->job->workload.family == "reference" &&
               InputOf(other->job->workload.factors) == InputOf(entry->job->workload.factors);
      };
      const auto reference = std::ranges::find_if(taking, is_reference);
      const std::vector<Sample> none;
      entry->taken.back().ratios = RatiosOfPairs(reference == taking.end() ? none : (*reference)->taken.back().samples,
                                                 entry->taken.back().samples);
    }
  }

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

  const BenchOptions& options_;
  const std::optional<Device>& device_;
  const TimedSink& timed_;
  std::unique_ptr<Timer> timer_;
  std::map<std::string, Entry> entries_;
  std::map<std::pair<std::string, std::string>, double> reference_us_;  // by input and shape
  bool ran_ = false;
};

// Passes everything on to the reporter that Google Benchmark's own flags choose, and stores what was reported.
class StoringReporter : public benchmark::BenchmarkReporter {
 public:
  // `first`: of several processes; the machine is described once.
  StoringReporter(TimingPhase& phase, bool first)
      : phase_(phase), first_(first), shown_(benchmark::CreateDefaultDisplayReporter()) {}
  bool ReportContext(const Context& context) override { return !first_ || shown_->ReportContext(context); }
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
  const bool first_;
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
  const VerifyResult verification = job.workload.verify();
  job.record.verify_error_over_bound = verification.error_over_bound;
  job.record.verify_reference = verification.reference;
  if (verification.passed) return true;
  job.Fail("verification failed: " + verification.message);
  return false;
}

bool RunTimingPhase(std::vector<Job>& jobs, const BenchOptions& options, const std::optional<Device>& device,
                    const TimedSink& timed, std::vector<std::string> google_benchmark) {
  TimingPhase phase(jobs, options, device, timed);
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
  StoringReporter reporter(phase, !options.verified);
  benchmark::RunSpecifiedBenchmarks(&reporter);
  benchmark::Shutdown();
  return phase.ran();
}

}  // namespace culprit
