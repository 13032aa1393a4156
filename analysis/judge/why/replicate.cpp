// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/why/replicate.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <memory>
#include <numbers>
#include <random>
#include <utility>
#include <vector>

#include "analysis/judge/why/repeated_facts.h"
#include "analysis/number/statistics.h"

namespace culprit {
namespace {

constexpr ModelError kModelErrors[] = {
#include "analysis/judge/why/model_error.inc"
};

constexpr std::size_t kReplicates = 200;
// Of sampled counters. Each costs an attribution.
constexpr std::size_t kDrawnRepetitions = 20;
constexpr double kLow = 0.025, kHigh = 0.975;

// The readings of one repetition of the counters, as if it were the only one.
struct Repetition {
  KernelRecord record;
  KernelView view;
  LaunchCounters counters;

  explicit Repetition(KernelRecord r) : record(std::move(r)), view(record) {}
};

// Draws replicates of one kernel.
class Resampler {
 public:
  Resampler(const KernelView& kernel, const NoiseFloor& floor) : random_(SeedOf(kernel.record())), floor_(floor) {
    const KernelRecord& record = kernel.record();
    for (const Sample& sample : record.samples)
      if (IsKept(sample)) samples_.push_back(&sample);
    const std::size_t counted = RepetitionsOf(record);
    are_drawn_ = HasErrors(record) && (counted == 0 || kernel.weights().AreScaled());
    if (!are_drawn_)
      for (std::size_t i = 0; i < counted; ++i) Add(OneRepetition(record, i));
    else  // launches that were scaled differ in what was not scaled, too
      for (std::size_t i = 0; i < kDrawnRepetitions; ++i)
        Add(WithDrawnErrors(counted == 0 ? record : OneRepetition(record, i % counted)));
    // The counters were collected once, or no single repetition can be decomposed.
    if (repetitions_.empty()) Add(Without(record));
  }

  struct Drawn {
    std::size_t repetition;
    LaunchCounters counters;
  };
  // `replicate`: its number, from 0. Drawn counters of the two kernels are independent, so equal numbers go together.
  Drawn Draw(std::size_t replicate) {
    Drawn drawn{are_drawn_ ? replicate % repetitions_.size() : Below(repetitions_.size()), {}};
    drawn.counters = repetitions_[drawn.repetition]->counters;
    if (samples_.size() > 1) DrawSamples(drawn.counters);
    RecordAnew(drawn.counters);
    return drawn;
  }

  bool CanDraw() const { return !repetitions_.empty(); }
  const KernelView& View(std::size_t repetition) const { return repetitions_[repetition]->view; }

 private:
  // FNV-1a (32 bit) of the launch's names, so that the seed is the same in every database.
  static std::uint32_t SeedOf(const KernelRecord& record) {
    std::uint32_t hash = 2166136261u;
    for (const std::string* text : {&record.run.run.uuid, &record.launch.stage, &record.launch.shape})
      for (const char c : *text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
    return hash;
  }

  // Unlike std::uniform_int_distribution, this is the same on every platform.
  std::size_t Below(std::size_t count) { return random_() % count; }

  void Add(KernelRecord record) {
    auto repetition = std::make_unique<Repetition>(std::move(record));
    if (auto counters = CountersOf(repetition->view).counters) {
      repetition->counters = std::move(*counters);
      repetitions_.push_back(std::move(repetition));
    }
  }

  void DrawSamples(LaunchCounters& counters) {
    std::vector<double> times, clocks;
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      const Sample& sample = *samples_[Below(samples_.size())];
      times.push_back(sample.time_us);
      if (const auto clock = ClockOf(sample)) clocks.push_back(*clock);
    }
    const auto median = [](std::vector<double>& values) {
      std::sort(values.begin(), values.end());
      return Quantile(values, 0.5);
    };
    counters.time_us = median(times);
    if (counters.clock_mhz > 0 && !clocks.empty()) counters.clock_mhz = median(clocks);
  }

  // Recorded again, a kernel takes longer or less long by the noise floor, and its clock differs. The timed and the counted
  // execution are not the same, so each differs by itself. What is counted stays: the additional cycles are waiting in one
  // of its states, or idle SMs, drawn by how much time each has.
  void RecordAnew(LaunchCounters& counters) {
    const double slower = Varied(floor_.change), counted_slower = Varied(floor_.change);
    const double lower_clock = Varied(floor_.clock_change);
    counters.time_us *= slower * lower_clock;
    counters.clock_mhz /= lower_clock;
    const double before = counters.elapsed, idle = std::max(0.0, before - counters.active) / before;
    counters.elapsed *= counted_slower;
    if (Uniform() < idle) return;
    // SMs that are idle for nearly all of the time work too little to lose that much.
    const double more = std::max(counters.elapsed - before, -counters.active / 2);
    double left = more / counters.active * counters.TotalWarpCycles();
    counters.active += more;
    double at = Uniform() * (counters.TotalWarpCycles() - counters.CyclesIn(kWorking));
    // A state cannot lose more than it has; then the next ones lose the rest.
    for (int round = 0; round < 2 && left != 0; ++round)
      for (auto& [state, cycles] : counters.warp_cycles) {
        if (state == kWorking) continue;
        at -= cycles;
        if (at > 0) continue;
        const double taken = std::max(-cycles, left);
        cycles += taken;
        left -= taken;
        if (left == 0) break;
      }
  }

  static constexpr const char* kWorking = "selected";

  static KernelRecord Without(const KernelRecord& record) {
    KernelRecord one = record;
    one.repeats.clear();
    return one;
  }

  static bool IsWaiting(const Reading& reading) {
    constexpr std::string_view kPrefix = "stall_";
    return reading.metric.id.starts_with(kPrefix) && reading.metric.id.substr(kPrefix.size()) != kWorking;
  }

  static bool HasErrors(const KernelRecord& record) {
    return std::ranges::any_of(record.readings, [](const Reading& r) { return r.error.value_or(0) > 0; });
  }

  // Counters that were sampled, not counted: each value is drawn from its error.
  KernelRecord WithDrawnErrors(const KernelRecord& record) {
    KernelRecord one = Without(record);
    double waiting = 0, drawn = 0, all = 0, all_drawn = 0;
    for (Reading& reading : one.readings) {
      if (!reading.value || !(reading.error.value_or(0) > 0)) continue;
      const double value = std::max(0.0, *reading.value + *reading.error * Normal());
      if (IsWaiting(reading)) waiting += *reading.value, drawn += value;
      // All warp-cycles without those in which a warp issues.
      const double sign = reading.metric.id == "warps_active" ? 1 : reading.metric.id == "stall_selected" ? -1 : 0;
      all += sign * *reading.value, all_drawn += sign * value;
      reading.value = value;
    }
    if (!(drawn > 0)) return one;
    // Samples only divide the waiting among its states, so an error of one is in the others.
    const double total = all > 0 && all_drawn > 0 ? waiting * all_drawn / all : waiting;
    for (Reading& reading : one.readings)
      if (reading.error.value_or(0) > 0 && IsWaiting(reading)) *reading.value *= total / drawn;
    return one;
  }

  // A replicate stands for a second recording, so it differs from this one by a whole difference.
  double Varied(double floor) { return std::exp(floor / kOf99OfPairs * Normal()); }

  double Uniform() { return (static_cast<double>(random_()) + 0.5) / 4294967296.0; }

  // From the standard normal distribution (Box and Muller), the same on every platform.
  double Normal() {
    const double radius = std::sqrt(-2 * std::log(Uniform()));
    return radius * std::cos(2 * std::numbers::pi * Uniform());
  }

  std::mt19937 random_;
  NoiseFloor floor_;
  bool are_drawn_ = false;
  std::vector<const Sample*> samples_;
  std::vector<std::unique_ptr<Repetition>> repetitions_;  // must not move, because views point into records
};

template <class Key>
using Series = std::map<Key, std::vector<double>, std::less<>>;
template <class Key>
using Scatters = std::map<Key, Scatter, std::less<>>;

template <class Key>
Scatters<Key> Percentiles(Series<Key> series) {
  Scatters<Key> scatters;
  for (auto& [key, values] : series) {
    values.resize(kReplicates, 0.0);  // a replicate without this cause counts as 0
    std::sort(values.begin(), values.end());
    scatters[key] = {Quantile(values, kLow), Quantile(values, kHigh)};
  }
  return scatters;
}

// Widens the range to contain the part itself. The part comes from the medians of all repetitions, so it can lie
// outside the range if there are few repetitions.
void Widen(Scatter& scatter, double part_us) {
  scatter.low = std::min(scatter.low, part_us);
  scatter.high = std::max(scatter.high, part_us);
}

}  // namespace

double FloorUs(const NoiseFloor& floor, const Decomposition& whole, bool of_clock) {
  return (of_clock ? floor.clock_change : floor.change) * std::hypot(whole.base_us, whole.candidate_us);
}

Replicates Replicate(const KernelView& base, const KernelView& candidate, const SampledPair* sampled,
                     const Attributor& attributor, const Decomposition& whole, const Attribution& attribution,
                     const NoiseFloor& floor) {
  Resampler from(base, floor), to(candidate, floor);
  if (!from.CanDraw() || !to.CanDraw()) return {};
  // The demand depends only on the two repetitions, and there are few of these.
  std::map<std::pair<std::size_t, std::size_t>, Attributor> attributors;
  Series<Factor> factors;
  Series<std::string> stalls, causes;
  for (std::size_t i = 0; i < kReplicates; ++i) {
    auto drawn_from = from.Draw(i), drawn_to = to.Draw(i);
    if (sampled != nullptr) TellApart(*sampled, drawn_from.counters, drawn_to.counters);
    const std::pair pair(drawn_from.repetition, drawn_to.repetition);
    const Attributor& of_pair =
        attributors.try_emplace(pair, from.View(pair.first), to.View(pair.second), sampled, &attributor).first->second;
    const Decomposition d = Decompose(drawn_from.counters, drawn_to.counters);
    for (const auto& [factor, us] : d.factors) factors[factor].push_back(us);
    for (const StallDifference& stall : d.stalls) stalls[stall.reason].push_back(stall.DeltaUs());
    for (const auto& [cause, us] : of_pair.Attribute(d).parts) causes[cause].push_back(us);
  }
  Replicates result{Percentiles(std::move(factors)), Percentiles(std::move(stalls)), Percentiles(std::move(causes))};

  for (auto& [factor, scatter] : result.factors) Widen(scatter, whole.factors.at(factor));
  for (auto& [reason, scatter] : result.stalls) {
    const StallDifference* stall = whole.Find(reason);
    Widen(scatter, stall == nullptr ? 0 : stall->DeltaUs());
  }
  for (auto& [cause, scatter] : result.causes) {
    const auto part = attribution.parts.find(cause);
    Widen(scatter, part == attribution.parts.end() ? 0 : part->second);
  }
  return result;
}

std::span<const ModelError> ModelErrors() { return kModelErrors; }

PartSize::PartSize(double part_us, double unexplained_us, double base_us, double candidate_us)
    : share(std::abs(part_us / (candidate_us - base_us))),
      change(std::abs(candidate_us - base_us) / std::min(base_us, candidate_us)),
      unexplained(std::abs(unexplained_us / (candidate_us - base_us))) {}

const ModelError& RowOf(std::span<const ModelError> errors, const PartSize& size) {
  const ModelError* row = &errors.front();
  for (const ModelError& error : errors)
    if (error.from_share <= size.share && error.from_change <= size.change) row = &error;
  return *row;
}

Scatter IntervalOf(double part_us, double unexplained_us, double base_us, double candidate_us, const Scatter& scatter) {
  const PartSize size(part_us, unexplained_us, base_us, candidate_us);
  const double delta_us = std::abs(candidate_us - base_us);
  const auto reach = [&](double scatter_us) {
    return std::hypot(RowOf(kModelErrors, size).half_width * delta_us, unexplained_us, k90Of95 * scatter_us);
  };
  return {part_us - reach(part_us - scatter.low), part_us + reach(scatter.high - part_us)};
}

}  // namespace culprit
