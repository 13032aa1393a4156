// SPDX-License-Identifier: Apache-2.0
#include "profiler/inject/program_counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "db/sampled_counters.h"
#include "profiler/counter_sampler.h"
#include "profiler/cupti_call.h"
#include "profiler/inject/memory_use.h"
#include "profiler/inject/quiet_thread.h"
#include "profiler/inject/shared_sampler.h"
#include "profiler/inject/turn_length.h"

namespace culprit {
namespace {

using Clock = std::chrono::steady_clock;

// No period of a program is likely to be a multiple of these, and the intervals of successive turns differ.
constexpr std::int64_t kIntervalsNs[] = {127'000, 131'000, 137'000};
// One core decodes a record of the first list in 110 to 250 us, and of others in 20 to 40 (docs/evidence/cupti.md). A
// program that ends waits for what is not decoded yet.
constexpr double kFirstSlower = 2;
// On a machine with few cores, records come more slowly, because the program needs the cores.
constexpr unsigned kFewCores = 4;
constexpr double kSlower = 3;
// Where records come faster than they are decoded, they lose their times, or the hardware's buffer overflows and decoding
// fails. The list's further turns then have intervals that are longer by half, up to so many times the usual ones.
constexpr double kLonger = 1.5, kLongest = 9;
// How often records are fetched, if that takes less time. Each time, one is cut. The hardware's buffer holds those of a
// quarter of a second.
constexpr std::chrono::milliseconds kFetch{20};
// The first turn of the first list, in which kernels run. Further turns are longer.
constexpr std::chrono::milliseconds kFirstTurn{300};
// A turn of another list takes the first list's time divided by this.
constexpr int kOtherTurns = 2;
constexpr int kGrowth = 3;
// Sampling ends after so many records: 25 s, and 25 MB of the trace.
constexpr std::int64_t kMostRecords = 200'000;
// So many of them may be of times in which no kernel ran. Further ones are left out, and with them what copies did.
constexpr std::int64_t kMostIdleRecords = 50'000;
// While sampling rests on a quiet GPU, it looks this often whether a kernel runs that was launched before.
constexpr std::chrono::seconds kRest{1};
// A launch waits for sampling no longer.
constexpr std::chrono::milliseconds kMostWait{100};
// The first record after a rest is left out. So many intervals after the start, it has ended.
constexpr int kLeftOut = 2;
constexpr std::chrono::seconds kPatience{1};
// A larger part of all records that are left out is worth a warning.
constexpr double kFewLost = 0.3;

}  // namespace

// One GPU, and the thread that reads its counters.
class ProgramCounters::Gpu {
 public:
  Gpu(int device, std::string chip, TraceWriter& trace, std::timed_mutex& mutex, Work& work)
      : device_(device),
        chip_(std::move(chip)),
        trace_(trace),
        mutex_(mutex),
        work_(work),
        turns_(CounterTurnsOn(chip_)),
        slower_(turns_.size(), HasFewCores() ? kSlower : 1) {
    if (!slower_.empty()) slower_.front() *= kFirstSlower;
  }

  // On the program's thread that launches first, so that no kernel runs before the counters do.
  void Begin() { BeginNextTurn(); }

  // On a thread of ours.
  void Run() {
    try {
      Sample();
      Drop();
      WriteWarnings();
    } catch (...) {  // out of memory
    }
    const std::lock_guard lock(state_);
    has_ended_ = true;
    wake_.notify_all();
  }

  // On a thread of the program that launches. Returns when the GPU is sampled again.
  void Wake() {
    std::unique_lock lock(state_);
    wake_.notify_all();
    wake_.wait_for(lock, kMostWait, [this] { return !work_.rests; });
  }

  // Takes effect when records are fetched next.
  void SetOpen(bool open) {
    const std::lock_guard lock(state_);
    is_open_ = open;
    wake_.notify_all();
  }

  // Further records would only keep the program waiting at its end.
  void BeginToClose() {
    {
      const std::lock_guard lock(state_);
      closing_ = true;
      wake_.notify_all();
    }
    sampler_.Close(kPatience);
  }

  void AwaitEnd(Clock::time_point until) {
    std::unique_lock lock(state_);
    wake_.wait_until(lock, until, [this] { return has_ended_; });
  }

 private:
  void Sample() try {
    for (;;) {
      is_behind_ = false;
      failure_.clear();
      MakeImage();
      SpendTurn();
      EndTurn();
      const bool ends = is_full_ || IsClosing();
      const bool again = !failure_.empty() && !IsSlowest();
      if (!failure_.empty() && (ends || !again)) Trouble(failure_);
      if (ends) break;
      if (is_behind_ || again) slower_[List()] = std::min(kLongest, kLonger * slower_[List()]);
      if (!again) ++turn_;
      BeginNextTurn();
      if (IsClosing()) break;  // this turn has counted next to nothing
    }
    sampler_.Stop();  // if Close could not
  } catch (const std::exception& e) {
    Trouble(e.what());
  }

  void WriteWarnings() {
    if (!trouble_.empty()) Warn(trouble_);
    for (const auto& [list, why] : refused_) WarnOfList(list, why);
    WarnOfLost();
  }

  static bool HasFewCores() {
    const unsigned cores = std::thread::hardware_concurrency();
    return cores > 0 && cores < kFewCores;
  }
  bool IsClosing() {
    const std::lock_guard lock(state_);
    return closing_;
  }
  // Launches wait while it is there, because their kernels shall be counted.
  class QuietRest {
   public:
    explicit QuietRest(Gpu& gpu) : gpu_(gpu) { gpu_.work_.rests = true; }
    ~QuietRest() {
      const std::lock_guard lock(gpu_.state_);
      gpu_.work_.rests = false;
      gpu_.wake_.notify_all();
    }
    QuietRest(const QuietRest&) = delete;

   private:
    Gpu& gpu_;
  };

  enum class Rested { kNot, kUntilNow, kUntilTheEnd };

  // Samples nothing while the window is closed. If the GPU is quiet, samples nothing until something is launched, because
  // an idle GPU's records keep a core busy. A kernel may begin long after its launch, so a rest ends after kRest
  // in any case.
  Rested Rest(bool is_quiet) {
    {
      const std::lock_guard lock(state_);
      if (is_open_ && !is_quiet) return Rested::kNot;
    }
    std::optional<QuietRest> quiet;
    if (is_quiet) quiet.emplace(*this);
    if (is_quiet && WasLaunched()) return Rested::kNot;
    StopAndFetch();
    const Clock::time_point until = Clock::now() + (is_quiet && !fetched_.kernels_ran ? kRest : Clock::duration());
    {
      std::unique_lock lock(state_);
      while (!closing_ && !(is_open_ && (WasLaunched() || Clock::now() >= until)))
        if (is_open_)
          wake_.wait_until(lock, until);
        else
          wake_.wait(lock);
      if (closing_) return Rested::kUntilTheEnd;
    }
    Start();
    // The first record seems to begin when sampling stopped, so it is left out.
    if (is_quiet) std::this_thread::sleep_for(kLeftOut * interval_);
    return Rested::kUntilNow;
  }
  // Until there is something to fetch. False: sampling must end.
  bool WaitUntil(Clock::time_point when) {
    std::unique_lock lock(state_);
    return !wake_.wait_until(lock, when, [this] { return closing_; });
  }

  void SpendTurn() {
    TurnLength length(TurnTime(), warps_.has_value(), Clock::now());
    auto next = Clock::now() + kFetch;
    Launched();
    fetched_ = {};
    while (WaitUntil(next)) {
      next = Clock::now() + kFetch;
      fetched_.launched = Launched();
      if (!Fetch(length.latest())) return;
      const TurnLength::Next then = length.After(std::exchange(fetched_, {}), Clock::now());
      if (is_full_ || then == TurnLength::Next::kEnd) break;
      const bool is_quiet = then == TurnLength::Next::kRest;
      const Rested rested = Rest(is_quiet);
      if (rested == Rested::kUntilTheEnd) break;
      const auto now = Clock::now();
      if (rested == Rested::kUntilNow) next = now + kFetch;
      length.GoOn(now, rested == Rested::kUntilNow && !is_quiet);
    }
  }

  bool WasLaunched() const { return work_.launches != launched_; }
  // Whether the program launched something since this was asked last.
  bool Launched() {
    const std::int64_t before = std::exchange(launched_, work_.launches);
    return launched_ != before;
  }

  bool IsSlowest() const { return slower_[List()] >= kLongest; }

  std::size_t List() const { return turn_ % turns_.size(); }

  Clock::duration TurnTime() const {
    Clock::duration time = kFirstTurn;
    for (std::size_t round = 0; round < turn_ / turns_.size(); ++round) time *= kGrowth;
    return List() == 0 ? time : time / kOtherTurns;
  }

  // CUPTI may refuse a list that fits by its own plan. The others are sampled all the same.
  void BeginNextTurn() {
    for (;; ++turn_) {
      if (refused_.contains(List())) continue;
      try {
        return BeginTurn();
      } catch (const CuptiError& e) {
        Refuse(e);
      }
    }
  }

  // The program does not wait for this part.
  void MakeImage() {
    for (;;) {
      try {
        sampler_->MakeImage();
        image_bytes_ = static_cast<std::int64_t>(sampler_->image_bytes());
        return NoteMemory(image_bytes_);
      } catch (const CuptiError& e) {
        Refuse(e);
        BeginNextTurn();
      }
    }
  }

  // Call it where `e` was caught. Throws it again if no other list can be sampled.
  void Refuse(const CuptiError& e) {
    Drop();
    if (StatusOf(e.code()) == ReadingStatus::kDenied) throw;
    refused_.emplace(List(), e.what());
    if (refused_.size() == turns_.size()) throw;
  }

  void BeginTurn() {
    const CounterTurn& turn = turns_[List()];
    const auto usual_ns = static_cast<double>(kIntervalsNs[turn_ % std::size(kIntervalsNs)]);
    interval_ = std::chrono::nanoseconds(static_cast<std::int64_t>(slower_[List()] * usual_ns));
    sampler_.Make(device_, chip_, turn, interval_.count());
    Start();
    std::vector<MetricDefinition> metrics;
    scales_.clear();
    warps_.reset();
    for (const TurnCounter& counter : turn.counters) {
      if (counter.id == kWarpsCounter) warps_ = scales_.size();
      scales_.push_back(counter.scale);
      metrics.push_back(SampledMetric(counter.id, counter.name));
    }
    const std::lock_guard lock(mutex_);
    number_ = trace_.Counters(device_, metrics);
  }

  void Start() { has_records_ = sampler_.Start(); }

  void Drop() {
    NoteMemory(-std::exchange(image_bytes_, 0));
    has_records_ = false;
    sampler_.Drop();
  }

  void StopAndFetch() {
    if (!std::exchange(has_records_, false)) return;
    sampler_.Stop();
    Fetch(Clock::time_point::max());
  }

  void EndTurn() {
    try {
      StopAndFetch();
    } catch (const std::exception& e) {
      Trouble(e.what());
    }
    const CounterSampler::Lost lost = sampler_->lost();
    lost_.untimed += lost.untimed, lost_.cut += lost.cut, lost_.full += lost.full;
    Drop();
  }

  void Trouble(const std::string& why) {
    if (trouble_.empty()) trouble_ = why;
  }

  // Fetches until nothing is left or the turn ends. False: sampling failed, and the turn must end.
  bool Fetch(Clock::time_point ends) try {
    for (bool more = true; more && Clock::now() < ends;) {
      records_.clear();
      more = sampler_->Read(records_);
      is_behind_ = is_behind_ || more;
      const std::lock_guard lock(mutex_);
      for (CounterRecord& record : records_) {
        if (!std::ranges::all_of(record.values, [](double value) { return std::isfinite(value) && value >= 0; })) {
          ++no_counts_;
          continue;
        }
        fetched_.any = true;
        if (IsOfKernels(record)) {
          fetched_.kernels_ran = true;
          fetched_.with_kernels += std::chrono::nanoseconds(record.end_ns - record.start_ns);
        }
        const bool is_idle = !fetched_.kernels_ran && (warps_ || !fetched_.launched);
        if (is_idle && ++idle_records_ > kMostIdleRecords) continue;
        for (std::size_t i = 0; i < scales_.size(); ++i) record.values[i] *= scales_[i];
        trace_.Record(number_, record.start_ns, record.end_ns, record.values);
        ++written_;
      }
      is_full_ = written_ >= kMostRecords || trace_.IsSumming();
      if (is_full_) break;
    }
    return true;
  } catch (const std::exception& e) {
    if (failure_.empty()) failure_ = e.what();
    return false;
  }

  // Whether a kernel ran in it. L2 and device memory count a little in an idle GPU, too. The clock is the first counter.
  bool IsOfKernels(const CounterRecord& record) const {
    if (warps_) return record.values[*warps_] > 0;
    return std::any_of(record.values.begin() + 1, record.values.end(), [](double value) { return value > 0; });
  }

  void Warn(const std::string& why) {
    const std::lock_guard lock(mutex_);
    trace_.Warn(
        {"counters_not_sampled",
         fmt::format("sampling of counters failed for a part of the program, so kernels that ran then have too few "
                     "counts or none ({}): record again, or count them by name with -k",
                     why)});
  }

  void WarnOfList(std::size_t list, const std::string& why) {
    const std::lock_guard lock(mutex_);
    trace_.Warn({"counters_not_sampled", fmt::format("this GPU did not sample {}: {}", turns_[list].what, why)});
  }

  void WarnOfLost() {
    const std::int64_t lost = lost_.untimed + lost_.cut + no_counts_;
    const std::int64_t all = written_ + std::max(idle_records_ - kMostIdleRecords, std::int64_t{0}) + lost;
    if (static_cast<double>(lost) <= kFewLost * static_cast<double>(all)) return;
    const std::lock_guard lock(mutex_);
    trace_.Warn({"counter_records_lost",
                 fmt::format("{} of {} records of sampled counters were left out: {} have no time, {} have values that "
                             "are no counts, {} are not whole. The GPU's buffer for records was full {} times.",
                             lost, all, lost_.untimed, no_counts_, lost_.cut, lost_.full)});
  }

  const int device_;
  const std::string chip_;
  TraceWriter& trace_;
  std::timed_mutex& mutex_;    // guards trace_
  Work& work_;                 // on this GPU
  std::int64_t launched_ = 0;  // when Launched() was asked last
  Fetched fetched_;            // since the length of the turn was told last
  std::int64_t idle_records_ = 0;
  const std::span<const CounterTurn> turns_;
  std::size_t turn_ = 0;
  std::vector<double> slower_;  // by list: its intervals, in usual ones
  std::chrono::nanoseconds interval_{};
  bool is_behind_ = false;  // in this turn, records came faster than they were decoded
  SharedSampler<CounterSampler> sampler_;
  std::int64_t image_bytes_ = 0;
  bool has_records_ = false;  // sampling was started, and not all of its records are fetched
  std::vector<CounterRecord> records_;
  std::vector<double> scales_;        // by counter
  std::optional<std::size_t> warps_;  // which counter is kWarpsCounter; none: the list lacks it
  std::string failure_;               // of reading, in this turn; empty: none
  std::string trouble_;               // why something was not sampled, the first time; empty: all was
  std::int64_t number_ = 0, written_ = 0;
  std::map<std::size_t, std::string> refused_;  // lists, and why
  CounterSampler::Lost lost_;                   // of all turns that have ended
  std::int64_t no_counts_ = 0;                  // records with values that are no counts
  std::mutex state_;                            // guards the next three
  bool is_open_ = true, closing_ = false, has_ended_ = false;
  std::condition_variable wake_;
  bool is_full_ = false;
};

ProgramCounters::ProgramCounters(TraceWriter& trace, std::timed_mutex& mutex) : trace_(trace), mutex_(mutex) {}
ProgramCounters::~ProgramCounters() = default;

void ProgramCounters::Begin(int device, const std::string& chip) {
  if (CounterTurnsOn(chip).empty())
    return Warn(fmt::format("this GPU ({}) cannot sample them, or culprit does not know how", chip));
  try {
    Check(InitializeProfiler(), "initialise CUPTI's profiler");
    auto gpu = std::make_shared<Gpu>(device, chip, trace_, mutex_, WorkOn(device));
    gpu->Begin();
    {
      const std::lock_guard lock(gpus_mutex_);
      gpus_[device] = gpu;
    }
    StartQuietThread([gpu] { gpu->Run(); });
    if (!WereSampledCountersCompared(chip)) {
      const std::lock_guard lock(mutex_);
      trace_.Warn({"sampled_counters_not_compared",
                   fmt::format("nobody has compared the sampled counters of such a GPU ({}) with replayed ones: before "
                               "you rely on one, count it by --profile core",
                               chip)});
    }
  } catch (const CuptiError& e) {
    const Warning why = Explain(e);
    Warn(why.text, why.code);
  } catch (const std::exception& e) {
    Warn(e.what());
  }
}

void ProgramCounters::Wake(int device) {
  std::shared_ptr<Gpu> gpu;
  {
    const std::lock_guard lock(gpus_mutex_);
    if (const auto found = gpus_.find(device); found != gpus_.end()) gpu = found->second;
  }
  if (gpu) gpu->Wake();
}

std::vector<std::shared_ptr<ProgramCounters::Gpu>> ProgramCounters::Gpus() {
  const std::lock_guard lock(gpus_mutex_);
  std::vector<std::shared_ptr<Gpu>> gpus;
  for (const auto& [device, gpu] : gpus_) gpus.push_back(gpu);
  return gpus;
}

void ProgramCounters::Pause() {
  for (const std::shared_ptr<Gpu>& gpu : Gpus()) gpu->SetOpen(false);
}

void ProgramCounters::Resume() {
  for (const std::shared_ptr<Gpu>& gpu : Gpus()) gpu->SetOpen(true);
}

void ProgramCounters::Close() {
  const auto until = Clock::now() + kPatience;
  const std::vector<std::shared_ptr<Gpu>> gpus = Gpus();
  for (const std::shared_ptr<Gpu>& gpu : gpus) gpu->BeginToClose();
  for (const std::shared_ptr<Gpu>& gpu : gpus) gpu->AwaitEnd(until);
}

void ProgramCounters::Warn(const std::string& why, const std::string& code) {
  const std::lock_guard lock(mutex_);
  trace_.Warn({code, "no counters were sampled: " + why});
}

}  // namespace culprit
