// SPDX-License-Identifier: Apache-2.0
#include "bench/phases/alignment.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>
#include <utility>

#include "bench/phases/rates.h"

namespace culprit {
namespace {

constexpr double kMostOffsetNs = 1500;
constexpr double kStepNs = 250;
// GPUs stamp launches and samples by one clock, so the offset is 0. kSameClockNs is its error, one sigma: on an H200, the
// counts of 16 kernels of a CUDA graph agree with replay best at offsets of -150 to 0 ns. A fit there gives 30 to 300 ns,
// because rates change within phases. So an offset is believed only if it is clear, and larger than this bias can be.
constexpr double kSameClockNs = 60, kLargestBiasNs = 500;
// Before an offset is fitted: uniform within +-1 us has this standard deviation.
constexpr double kUnknownOffsetNs = 600;
constexpr double kMostJitterNs = 400;
// In simulations stamps that scatter by 200 ns moved the offset by up to 340 ns, and by 100 ns up to 30 ns.
constexpr double kBiasScaleNs = 150;
// For the grid, so that the sum of squares is smooth between its points.
constexpr double kGridJitterNs = 80;
constexpr std::size_t kGridSamples = 8192, kFineSamples = 16384;
constexpr int kGridUnknowns = 300, kUnknowns = 800;
// A rate that changes suddenly looks like another offset if phases are long. So few classes get this many phases, and
// this many unknowns in all.
constexpr int kMostPhases = 40, kFineUnknowns = 200;
// With more groups, only some are used: those of one stretch of the program, and the samples in which no others ran. If
// there are few such samples, those with the most time, and the samples whose edges cut no others.
constexpr std::size_t kMostGroups = 60, kStretchGroups = 40, kLongestGroups = 40;
constexpr std::size_t kFewestSamples = 800;
// Launches longer than this many samples tell little about the offset, and their rate can be complicated.
constexpr double kLongSamples = 10;
// The logarithm of the sum of squares, by counter, at the worst offset within the limits less that at the best. In
// simulations with about 1 and more, the offset is right; below 0.1 it may be anywhere.
constexpr double kClear = 0.4;
// Residuals below this share of the sum of squares are rounding.
constexpr double kExact = 1e-12;
constexpr std::size_t kScores = 24, kRun = 16;
constexpr int kMostSteps = 5;

class Aligner {
 public:
  Aligner(const Layout& layout, std::size_t classes, const UsableSamples& samples, const SampleBlocks& blocks,
          Background background)
      : samples_(samples),
        blocks_(blocks),
        model_{layout, blocks.launches, classes, samples, 0, 0, background, false},
        counters_(static_cast<Eigen::Index>(samples.all.counters)) {}

  // Fits and returns sum over counters of log(residual sum of squares).
  double Fit(double offset, double jitter) {
    model_.offset_ns = offset;
    model_.jitter_ns = jitter;
    fit_.emplace(FitRates(model_, blocks_.used));
    residual_ = fit_->Residual().cwiseMax(kExact * fit_->squares);
    double sum = 0;
    for (Eigen::Index c = 0; c < counters_; ++c)
      if (residual_(c) > 0) sum += std::log(residual_(c));
    return sum;
  }

  struct Step {
    double offset = 0, error = 0, jitter_squared = 0;
    Rows slopes;  // of the unknowns
  };
  // One step of Gauss and Newton from the last fit.
  Step Improve() const {
    const Eigen::Index unknowns = model_.layout.Unknowns();
    const Rows& solution = fit_->unknowns;
    Eigen::RowVectorXd weight = Eigen::RowVectorXd::Zero(counters_);
    for (Eigen::Index c = 0; c < counters_; ++c)
      if (residual_(c) > 0) weight(c) = static_cast<double>(blocks_.used.size()) / residual_(c);
    Rows crossed = Rows::Zero(unknowns, counters_);
    std::vector<Eigen::RowVectorXd> shifts(blocks_.used.size()), errors(blocks_.used.size());
    Eigen::RowVectorXd before = Eigen::RowVectorXd::Zero(counters_), last_square(counters_), edge(counters_);
    double covariance = 0, squares = 0;
    std::int64_t last_end = -1;
    {
      Sweep sweep = model_.Start(true);
      for (std::size_t i = 0; i < blocks_.used.size(); ++i) {
        const std::uint32_t s = blocks_.used[i];
        const ModelRow& row = Row(sweep, s);
        Eigen::RowVectorXd error = Y(s), shift = Eigen::RowVectorXd::Zero(counters_),
                           square = Eigen::RowVectorXd::Zero(counters_);
        for (const RowEntry& entry : row.entries) error -= entry.value * solution.row(entry.column);
        for (std::size_t j = 0; j < row.slopes.size();) {
          const std::uint32_t part = row.slopes[j].part;
          edge.setZero();
          for (; j < row.slopes.size() && row.slopes[j].part == part; ++j) {
            const ModelRow::Slope& slope = row.slopes[j];
            edge += slope.at_end * solution.row(slope.column);
            // A later launch moves the edges to earlier phases.
            shift += (slope.at_start - slope.at_end) * solution.row(slope.column);
          }
          square += edge.cwiseAbs2();
        }
        for (const RowEntry& entry : row.entries) crossed.row(entry.column) += entry.value * shift;
        if (samples_.all.start_ns[s] == last_end) {
          covariance += (before.array() * error.array() * last_square.array() * weight.array().square()).sum();
          squares += (last_square.array() * weight.array()).square().sum();
        }
        last_end = samples_.all.end_ns[s];
        before = error;
        last_square = square;
        shifts[i] = std::move(shift);
        errors[i] = std::move(error);
      }
    }
    Step step;
    step.jitter_squared = squares > 0 ? std::max(0.0, -covariance / squares) : 0;
    const Rows explained = fit_->matrix.Solve(crossed);
    step.slopes = -explained;
    double information = 0;
    std::array<double, kScores> scores{};
    Sweep sweep = model_.Start();
    for (std::size_t i = 0; i < blocks_.used.size(); ++i) {
      const ModelRow& row = Row(sweep, blocks_.used[i]);
      Eigen::RowVectorXd unexplained = shifts[i];
      for (const RowEntry& entry : row.entries) unexplained -= entry.value * explained.row(entry.column);
      information += (unexplained.array() * shifts[i].array() * weight.array()).sum();
      scores[i / kRun % kScores] += (unexplained.array() * errors[i].array() * weight.array()).sum();
    }
    double score = 0, scatter = 0;
    for (const double s : scores) score += s;
    const double mean = score / kScores;
    for (const double s : scores) scatter += (s - mean) * (s - mean);
    scatter *= static_cast<double>(kScores) / (kScores - 1);
    const double prior = 1 / (kUnknownOffsetNs * kUnknownOffsetNs);
    if (information <= 0) return step.error = kUnknownOffsetNs, step.offset = model_.offset_ns, step;
    const double variance = scatter / (information * information);  // of the estimate, without the prior
    step.error = 1 / std::sqrt(1 / std::max(variance, 1e-6) + prior);
    step.offset = model_.offset_ns + score / information;
    return step;
  }

 private:
  const ModelRow& Row(Sweep& sweep, std::uint32_t s) const {
    return sweep.Row(s, samples_.all.start_ns[s], samples_.all.end_ns[s]);
  }
  Eigen::Map<const Eigen::RowVectorXd> Y(std::uint32_t s) const { return {samples_.Values(s), counters_}; }

  const UsableSamples& samples_;
  const SampleBlocks& blocks_;
  RateModel model_;
  Eigen::Index counters_;
  std::optional<RateFit> fit_;
  Eigen::RowVectorXd residual_;
};

// The groups of the launches in the middle of the program.
std::vector<Detail> GroupsOfAStretch(const Layout& layout, std::span<const ClassLaunch> launches, std::size_t classes) {
  std::vector<Detail> details(layout.groups.size(), Detail::kNone);
  std::size_t count = 0;
  for (std::size_t i = launches.size() / 2; i < launches.size() && count < kStretchGroups; ++i) {
    if (!IsUsable(launches[i], classes)) continue;
    Detail& mine = details[layout.GroupOf(launches[i])];
    count += mine == Detail::kNone ? 1 : 0;
    mine = Detail::kPhases;
  }
  return details;
}

std::vector<Detail> GroupsWithMostTime(const Layout& layout) {
  std::vector<std::size_t> order(layout.groups.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return layout.groups[a].total_ns > layout.groups[b].total_ns; });
  std::vector<Detail> details(order.size(), Detail::kWhole);
  for (std::size_t i = 0; i < std::min(kLongestGroups, order.size()); ++i) details[order[i]] = Detail::kPhases;
  return details;
}

// The samples that these groups describe, whatever the offset is.
std::vector<std::uint32_t> SamplesOf(std::span<const Detail> details, const RateModel& model,
                                     std::span<const std::uint32_t> used) {
  std::vector<std::uint32_t> mine;
  Sweep sweep = model.Start();
  for (const std::uint32_t s : used) {
    const ModelRow& row = sweep.Row(s, model.samples.all.start_ns[s], model.samples.all.end_ns[s]);
    if (!row.parts.empty() && std::all_of(row.parts.begin(), row.parts.end(), [&](const ModelRow::Part& part) {
          return details[part.group] == Detail::kPhases || (details[part.group] == Detail::kWhole && !part.is_cut);
        }))
      mine.push_back(s);
  }
  return mine;
}

// What the alignment looks at.
struct Chosen {
  std::vector<Detail> details;  // empty: all groups with phases
  UsableSamples samples;
};

// None if nothing can be chosen.
std::optional<Chosen> Choose(const Layout& groups, std::span<const ClassLaunch> launches, std::size_t classes,
                             const UsableSamples& samples, const PhaseFitOptions& options, double margin_ns) {
  Layout layout = groups;
  ChoosePhases(layout, 1, std::numeric_limits<int>::max(), 1);
  // Stamps that scatter this much touch every sample that they might touch.
  const RateModel model{layout, launches, classes, samples, 0, margin_ns / std::sqrt(6.0), options.background, true};
  Chosen chosen{{}, samples};
  const auto is_long = [&](const LaunchGroup& g) { return g.MeanNs() > kLongSamples * samples.mean_ns; };
  if (groups.groups.size() <= kMostGroups) {
    if (std::none_of(groups.groups.begin(), groups.groups.end(), is_long)) return chosen;
    for (const LaunchGroup& group : groups.groups)
      chosen.details.push_back(is_long(group) ? Detail::kNone : Detail::kPhases);
    chosen.samples.used = SamplesOf(chosen.details, model, samples.used);
    if (chosen.samples.used.size() >= kFewestSamples) return chosen;
    return Chosen{{}, samples};
  }
  chosen.details = GroupsOfAStretch(groups, launches, classes);
  chosen.samples.used = SamplesOf(chosen.details, model, samples.used);
  if (chosen.samples.used.size() >= kFewestSamples) return chosen;
  if (groups.groups.size() > static_cast<std::size_t>(kUnknowns) / 2) return std::nullopt;
  chosen.details = GroupsWithMostTime(groups);
  chosen.samples.used = SamplesOf(chosen.details, model, samples.used);
  if (chosen.samples.used.size() >= kFewestSamples) return chosen;
  return std::nullopt;
}

// A free rate of the background lets a wrong offset pass: it explains what kernels leave. So it is fitted only if
// samples without any launch show one.
Background BackgroundFor(const Layout& groups, std::span<const ClassLaunch> launches, std::size_t classes,
                         const UsableSamples& samples, const PhaseFitOptions& options) {
  if (options.background != Background::kWhileIdle) return options.background;
  constexpr std::size_t kLooked = 16384;
  constexpr double kLeastRate = 0.005;  // of the busy samples' rate
  const SampleBlocks blocks = TakeBlocks(samples, launches, kLooked, 0);
  Layout layout = groups;
  ChoosePhases(layout, 1, std::numeric_limits<int>::max(), 1);
  const RateModel model{
      layout, blocks.launches, classes, samples, 0, kMostOffsetNs / std::sqrt(6.0), options.background, true};
  const auto counters = static_cast<Eigen::Index>(samples.all.counters);
  Eigen::RowVectorXd idle = Eigen::RowVectorXd::Zero(counters), busy = idle;
  double idle_ns = 0, busy_ns = 0;
  Sweep sweep = model.Start();
  for (const std::uint32_t s : blocks.used) {
    const ModelRow& row = sweep.Row(s, samples.all.start_ns[s], samples.all.end_ns[s]);
    (row.parts.empty() ? idle : busy) += Eigen::Map<const Eigen::RowVectorXd>(samples.Values(s), counters);
    (row.parts.empty() ? idle_ns : busy_ns) += row.length_ns;
  }
  const bool shows = idle_ns > 0 && busy_ns > 0 && (idle.array() * busy_ns > kLeastRate * idle_ns * busy.array()).any();
  return shows ? Background::kWhileIdle : Background::kNone;
}

}  // namespace

Alignment Align(const Layout& groups, std::span<const ClassLaunch> launches, std::size_t classes,
                const UsableSamples& samples, const PhaseFitOptions& options) {
  Alignment result;
  result.slopes =
      Rows::Zero(static_cast<Eigen::Index>(groups.groups.size()), static_cast<Eigen::Index>(samples.all.counters));
  result.offset_error_ns = kSameClockNs;
  const double margin = kMostOffsetNs + 500;
  const Background background = BackgroundFor(groups, launches, classes, samples, options);
  const std::optional<Chosen> chosen = Choose(groups, launches, classes, samples, options, margin);
  const auto take = [&](std::size_t most) {
    return TakeBlocks(chosen->samples, launches, most, static_cast<std::int64_t>(margin));
  };
  const SampleBlocks blocks = chosen ? take(kFineSamples) : SampleBlocks{};
  if (blocks.launches.empty()) return result;
  const auto groups_chosen = chosen->details.empty()
                                 ? static_cast<std::ptrdiff_t>(groups.groups.size())
                                 : std::count(chosen->details.begin(), chosen->details.end(), Detail::kPhases);
  const int phases =
      std::min(kMostPhases, kFineUnknowns / static_cast<int>(std::max<std::ptrdiff_t>(1, groups_chosen)));
  const auto choose = [&](std::size_t used, int unknowns) {
    Layout layout = groups;
    ChoosePhases(layout, std::max(options.phases, phases), unknowns,
                 static_cast<double>(used) / static_cast<double>(chosen->samples.used.size()), chosen->details);
    return layout;
  };
  bool is_fitted = false;
  {
    const SampleBlocks some = take(kGridSamples);
    const Layout layout = choose(some.used.size(), kGridUnknowns);
    Aligner aligner(layout, classes, samples, some, background);
    double best = 0, worst = 0, best_offset = 0;
    for (double offset = -kMostOffsetNs; offset <= kMostOffsetNs; offset += kStepNs) {
      const double sum = aligner.Fit(offset, kGridJitterNs);
      worst = offset == -kMostOffsetNs ? sum : std::max(worst, sum);
      if (offset == -kMostOffsetNs || sum < best) {
        best = sum;
        best_offset = offset;
      }
    }
    const double clear = (worst - best) / static_cast<double>(samples.all.counters);
    is_fitted = clear >= kClear && std::abs(best_offset) > kLargestBiasNs && std::abs(best_offset) < kMostOffsetNs;
    if (is_fitted) result.offset_ns = best_offset;
  }
  const Layout layout = choose(blocks.used.size(), kUnknowns);
  {
    Aligner aligner(layout, classes, samples, blocks, background);
    for (int i = 0; i < kMostSteps; ++i) {
      aligner.Fit(result.offset_ns, result.jitter_ns);
      const Aligner::Step step = aligner.Improve();
      result.jitter_ns = std::min(kMostJitterNs, std::sqrt(step.jitter_squared));
      double moved = 0;
      if (is_fitted) {
        moved = std::clamp(step.offset - result.offset_ns, -kStepNs, kStepNs);
        result.offset_ns = std::clamp(result.offset_ns + moved, -kMostOffsetNs, kMostOffsetNs);
        result.offset_error_ns = step.error;
      }
      for (std::size_t g = 0; g < layout.groups.size(); ++g)
        if (layout.groups[g].unknowns > 0)
          result.slopes.row(static_cast<Eigen::Index>(g)) = step.slopes.row(layout.groups[g].Last());
      if (i > 0 && std::abs(moved) <= 0.2 * result.offset_error_ns) break;
    }
  }
  result.has_slopes = std::none_of(layout.groups.begin(), layout.groups.end(),
                                   [](const LaunchGroup& group) { return group.unknowns == 0; });
  if (!is_fitted) return result;
  // How far the offset moves if the fit gets coarser and the stamps worse.
  SampleBlocks scattered = blocks;
  ScatterStamps(scattered.launches, classes, result.jitter_ns);
  Layout coarse = layout;
  CoarsenPhases(coarse);
  Aligner aligner(coarse, classes, samples, scattered, background);
  double other = result.offset_ns;
  for (int i = 0; i < 2; ++i) {
    aligner.Fit(other, std::numbers::sqrt2 * result.jitter_ns);
    other += std::clamp(aligner.Improve().offset - other, -kStepNs, kStepNs);
  }
  // Stamps' errors in the model bias the offset in proportion to their variance.
  const double bias = result.jitter_ns * result.jitter_ns / kBiasScaleNs;
  result.offset_error_ns =
      std::min(kUnknownOffsetNs, std::hypot(result.offset_error_ns, other - result.offset_ns, bias));
  return result;
}

}  // namespace culprit
