// SPDX-License-Identifier: Apache-2.0
#include "bench/phases/phase_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>
#include <random>

#include "bench/phases/alignment.h"
#include "bench/phases/layout.h"
#include "bench/phases/normal_matrix.h"
#include "bench/phases/rates.h"
#include "bench/phases/samples.h"
#include "bench/phases/sharing.h"
#include "bench/phases/sweep.h"

namespace culprit {
namespace {

// The 95 % quantile of Student's t with kClusters - 1 degrees of freedom, against the normal distribution's.
constexpr double kStudent = 1.7139 / 1.6449;
constexpr int kDraws = 32;
// A class that touches about this many samples gets half of its variance from the noise of all classes.
constexpr double kFewSamples = 20;
// A variance this many times that of undisturbed samples is the prior's (see kRidge).
constexpr double kMostInflated = 1e4;
// An error above this share of the count that a class would have at the mean rate says nothing.
constexpr double kMostError = 0.5;
// With this many samples for each unknown, no sample decides much.
constexpr double kManySamples = 200;
constexpr int kMostUnknowns = 1200, kMostSparse = 16000, kDenseUnknowns = 400;
// A matrix with more neighbours for each group fills up when it is factored.
constexpr double kMostNeighbours = 40;
// Where launches follow each other within kApartNs, this much of the time of one may be counted as the other's. It was
// found on 16 kernels of a CUDA graph (H200, gaps of 64 to 128 ns, docs/evidence/cupti.md).
constexpr double kEdgeNs = 60;
constexpr std::int64_t kApartNs = 200;
// Of each count. Kernels that are right to this are the best that sampled_truth has.
constexpr double kLeastError = 6e-4;
// Of the stamps' scatter, added to see how much it moves counts.
constexpr double kWorse = 1.7;
constexpr std::size_t kBiasSamples = 50'000;

// Samples that `unknowns` follow scatter too little.
double Scale(double samples, double unknowns) {
  return samples / std::max(1.0, samples - std::min(unknowns, samples / 2));
}

// From the scatter of `samples` themselves, and from that of all samples where these are few.
double Variance(double samples, double scatter, double pooled) {
  return (samples * scatter * kStudent * kStudent + kFewSamples * pooled) / (samples + kFewSamples);
}

// What a launch may have of its neighbours, or they of it, where they touch: one sigma, for classes x counters. `rates` are
// those of the classes, in counts a nanosecond.
Rows ErrorsOfEdges(std::span<const ClassLaunch> launches, const Rows& rates) {
  const auto classes = static_cast<std::size_t>(rates.rows());
  Rows squares = Rows::Zero(rates.rows(), rates.cols());
  Eigen::VectorXd launched = Eigen::VectorXd::Zero(rates.rows());
  std::vector<const ClassLaunch*> before;  // those that later ones may touch
  for (const ClassLaunch& launch : launches) {
    if (!IsUsable(launch, classes)) continue;
    launched(launch.kernel_class) += 1;
    std::erase_if(before, [&](const ClassLaunch* other) { return launch.start_ns - other->end_ns >= kApartNs; });
    for (const ClassLaunch* other : before) {
      if (other->end_ns - launch.start_ns >= kApartNs) continue;  // it still runs
      const Eigen::RowVectorXd difference = rates.row(launch.kernel_class) - rates.row(other->kernel_class);
      squares.row(other->kernel_class) += difference.cwiseAbs2();
      squares.row(launch.kernel_class) += difference.cwiseAbs2();
    }
    before.push_back(&launch);
  }
  for (Eigen::Index k = 0; k < rates.rows(); ++k) squares.row(k) /= std::max(1.0, launched(k));
  return kEdgeNs * squares.cwiseSqrt();
}

// The profile of a group: its rate at each edge, from the unknowns. Not below 0.
std::vector<double> EdgeRates(const LaunchGroup& group, const Rows& unknowns, Eigen::Index counter) {
  std::vector<double> rates;
  for (int i = 0; i < group.unknowns; ++i) {
    const double before = i > 0 ? unknowns(group.column + i - 1, counter) : 0;
    rates.push_back(std::max(0.0, unknowns(group.column + i, counter) - before) /
                    group.Area(static_cast<std::size_t>(i)));
  }
  return rates;
}

// What a profile counts from relative time 0 to `time`.
double CountUntil(const LaunchGroup& group, const std::vector<double>& rates, double time) {
  double count = 0;
  for (std::size_t q = 0; q < group.Phases() && group.edges[q] < time; ++q) {
    const double width = group.edges[q + 1] - group.edges[q], part = std::min(1.0, (time - group.edges[q]) / width);
    count += width * part * (rates[q] + part * (rates[q + 1] - rates[q]) / 2);
  }
  return count;
}

class Fitter {
 public:
  Fitter(std::span<const ClassLaunch> launches, std::size_t classes, const UsableSamples& samples,
         const PhaseFitOptions& options)
      : launches_(launches), classes_(classes), samples_(samples), options_(options) {
    counters_ = static_cast<Eigen::Index>(samples.all.counters);
  }

  void Run(PhaseFit& fit);

 private:
  RateModel Model() const {
    return {layout_,   launches_, classes_, samples_, alignment_.offset_ns, alignment_.jitter_ns, options_.background,
            is_sparse_};
  }
  bool IsFitted(std::uint32_t group) const {
    return sharing_.launches[group] > 0 && layout_.groups[group].unknowns > 0;
  }
  Eigen::Index Groups() const { return static_cast<Eigen::Index>(layout_.groups.size()); }
  void FindBias();
  void FindErrors();
  // Of the whole program, in counts a nanosecond.
  Eigen::RowVectorXd MeanRates() const { return sharing_.total / std::max(sharing_.busy_ns, 1.0); }
  // Returns the mean rates of classes x counters. A class that was not sampled has that of the whole program.
  Rows Report(PhaseFit& fit) const;
  void ReportErrors(PhaseFit& fit, const Rows& rates) const;
  std::vector<double> PhaseCounts(const LaunchGroup& group, Eigen::Index counter, double whole) const;
  std::vector<double> PhaseErrors(std::size_t group, Eigen::Index counter) const;
  // The mean count per launch of a class as a function of the unknowns, where they matter.
  std::vector<RowEntry> Gradient(std::size_t kernel_class) const;

  std::span<const ClassLaunch> launches_;
  std::size_t classes_;
  const UsableSamples& samples_;
  const PhaseFitOptions& options_;
  Eigen::Index counters_ = 0;
  Layout layout_;
  Alignment alignment_;
  bool is_sparse_ = false;
  std::optional<RateFit> fit_;
  Rows draws_;  // unknowns x kDraws: their covariance is the inverse of the matrix
  SharedOut sharing_;
  Rows bias_;                     // groups x counters: how much counts move if the fit gets coarser
  std::vector<Rows> moves_;       // by cluster: how it moves the unknowns, by counter
  Eigen::RowVectorXd noise_;      // variance of a sample, by counter
  std::vector<Rows> phase_bias_;  // by group, phases x counters: the same of each phase's count; empty: no phases
  Rows errors_;                   // classes x counters
  std::vector<char> is_fitted_;   // by class
  std::vector<double> inflated_;
};

std::vector<RowEntry> Fitter::Gradient(std::size_t kernel_class) const {
  std::vector<RowEntry> gradient;
  double launches = 0;
  for (std::uint32_t g = layout_.first_group[kernel_class]; g < layout_.first_group[kernel_class + 1]; ++g) {
    const LaunchGroup& group = layout_.groups[g];
    if (!IsFitted(g)) continue;
    launches += group.launches;
    for (int column = group.column; column <= group.Last(); ++column)
      gradient.push_back({column, sharing_.mixed(column) * group.launches / sharing_.launches[g]});
  }
  for (RowEntry& entry : gradient) entry.value /= launches;
  return gradient;
}

void Fitter::FindBias() {
  const auto margin = static_cast<std::int64_t>(std::abs(alignment_.offset_ns) + 10 * alignment_.jitter_ns +
                                                alignment_.offset_error_ns);
  SampleBlocks blocks = TakeBlocks(samples_, launches_, kBiasSamples, margin + 1000);
  RateModel model = Model();
  const bool all = blocks.used.size() == samples_.used.size();
  std::optional<RateFit> same;
  if (!all) {
    model.launches = blocks.launches;
    same.emplace(FitRates(model, blocks.used));
  }
  const Rows& found = all ? fit_->unknowns : same->unknowns;
  ScatterStamps(blocks.launches, classes_, kWorse * alignment_.jitter_ns);
  Layout coarse = layout_;
  CoarsenPhases(coarse);
  const double shift = alignment_.has_slopes ? 0 : alignment_.offset_error_ns;
  const RateModel other{coarse,
                        blocks.launches,
                        classes_,
                        samples_,
                        alignment_.offset_ns + shift,
                        std::hypot(1, kWorse) * alignment_.jitter_ns,
                        options_.background,
                        is_sparse_};
  const RateFit changed = FitRates(other, blocks.used);
  bias_ = Rows::Zero(Groups(), counters_);
  for (Eigen::Index g = 0; g < Groups(); ++g) {
    const auto i = static_cast<std::size_t>(g);
    if (layout_.groups[i].unknowns > 0)
      bias_.row(g) = changed.unknowns.row(coarse.groups[i].Last()) - found.row(layout_.groups[i].Last());
  }
  phase_bias_.resize(layout_.groups.size());
  for (std::size_t g = 0; g < layout_.groups.size(); ++g) {
    const LaunchGroup& fine = layout_.groups[g];
    const LaunchGroup& other_group = coarse.groups[g];
    if (fine.unknowns < 2 || other_group.unknowns < 2) continue;
    phase_bias_[g] = Rows::Zero(static_cast<Eigen::Index>(fine.Phases()), counters_);
    for (Eigen::Index c = 0; c < counters_; ++c) {
      const std::vector<double> rates = EdgeRates(fine, found, c);
      const std::vector<double> coarse_rates = EdgeRates(other_group, changed.unknowns, c);
      double before = 0;
      for (std::size_t q = 0; q < fine.Phases(); ++q) {
        const double until =
            CountUntil(other_group, coarse_rates, fine.edges[q + 1]) - CountUntil(fine, rates, fine.edges[q + 1]);
        phase_bias_[g](static_cast<Eigen::Index>(q), c) = until - before;
        before = until;
      }
    }
  }
}

void Fitter::FindErrors() {
  errors_ = Rows::Zero(static_cast<Eigen::Index>(classes_), counters_);
  is_fitted_.assign(classes_, 0);
  inflated_.assign(classes_, 0);
  const double samples = sharing_.noise_samples;
  noise_ = sharing_.noise / std::max(1.0, samples - std::min(static_cast<double>(layout_.Unknowns()), samples / 2));
  for (const Rows& scores : sharing_.scores) moves_.emplace_back(fit_->matrix.Solve(scores));
  for (std::size_t k = 0; k < classes_; ++k) {
    const auto row = static_cast<Eigen::Index>(k);
    const std::uint32_t first = layout_.first_group[k], last = layout_.first_group[k + 1];
    if (first == last) continue;
    const std::vector<RowEntry> gradient = Gradient(k);
    double launches = 0, touched = 0, ideal = 0, phases = 0;
    for (std::uint32_t g = first; g < last; ++g) {
      if (!IsFitted(g)) continue;
      launches += layout_.groups[g].launches;
      touched += sharing_.touched[g];
      phases += layout_.groups[g].unknowns;
    }
    if (launches == 0) continue;  // its launches were not sampled, or share the rate of the rest
    is_fitted_[k] = 1;
    Eigen::RowVectorXd slope = Eigen::RowVectorXd::Zero(counters_), local = slope, bias = slope;
    for (std::uint32_t g = first; g < last; ++g) {
      if (!IsFitted(g)) continue;
      const LaunchGroup& group = layout_.groups[g];
      const double part = group.launches / launches;
      const int whole = group.Last();
      if (alignment_.has_slopes)
        slope += part * sharing_.mixed(whole) / sharing_.launches[g] * alignment_.slopes.row(g);
      bias += part * sharing_.mixed(whole) / sharing_.launches[g] * bias_.row(g);
      const double per_launch = part / sharing_.launches[g];
      ideal += part * part / std::max(fit_->matrix.Diagonal(whole), 1e-300);
      local += per_launch * per_launch * (sharing_.alone.row(g) + sharing_.shared.row(g));
    }
    Eigen::RowVectorXd drawn = Eigen::RowVectorXd::Zero(kDraws), moved(counters_);
    for (const RowEntry& entry : gradient) drawn += entry.value * draws_.row(entry.column);
    const double variance = drawn.squaredNorm() / kDraws;
    Eigen::RowVectorXd scatter = Eigen::RowVectorXd::Zero(counters_);
    for (const Rows& move : moves_) {
      moved.setZero();
      for (const RowEntry& entry : gradient) moved += entry.value * move.row(entry.column);
      scatter += moved.cwiseAbs2();
    }
    inflated_[k] = variance / ideal;
    const double scale = Scale(touched, phases);
    for (Eigen::Index c = 0; c < counters_; ++c) {
      const double pooled = noise_(c) * variance;
      const double squared = Variance(touched, scale * scatter(c), pooled) + local(c) + bias(c) * bias(c) +
                             slope(c) * slope(c) * alignment_.offset_error_ns * alignment_.offset_error_ns;
      errors_(row, c) = std::sqrt(std::max(squared, 0.0));
    }
  }
}

std::vector<double> Fitter::PhaseCounts(const LaunchGroup& group, Eigen::Index counter, double whole) const {
  const std::size_t phases = group.Phases();
  std::vector<double> counts(phases, 1);
  if (group.unknowns > 1) {
    const std::vector<double> rates = EdgeRates(group, fit_->unknowns, counter);
    for (std::size_t q = 0; q < phases; ++q)
      counts[q] = (rates[q] + rates[q + 1]) / 2 * (group.edges[q + 1] - group.edges[q]);
  }
  const double sum = std::accumulate(counts.begin(), counts.end(), 0.0);
  for (std::size_t q = 0; q < phases; ++q)
    counts[q] = whole * (sum > 0 ? counts[q] / sum : group.edges[q + 1] - group.edges[q]);
  return counts;
}

std::vector<double> Fitter::PhaseErrors(std::size_t index, Eigen::Index counter) const {
  const LaunchGroup& group = layout_.groups[index];
  std::vector<double> errors(group.Phases(), 0);
  if (group.unknowns < 2) return errors;
  const double touched = sharing_.touched[index], scale = Scale(touched, group.unknowns);
  for (std::size_t q = 0; q < group.Phases(); ++q) {
    // PhaseCounts as a function of three unknowns.
    const double half = (group.edges[q + 1] - group.edges[q]) / 2;
    const double begin = half / group.Area(q), end = half / group.Area(q + 1);
    const int at = group.column + static_cast<int>(q);
    const auto of = [&](const Rows& unknowns, Eigen::Index column) {
      const double before = q > 0 ? unknowns(at - 1, column) : 0;
      return begin * (unknowns(at, column) - before) + end * (unknowns(at + 1, column) - unknowns(at, column));
    };
    double variance = 0, scatter = 0;
    for (Eigen::Index d = 0; d < kDraws; ++d) variance += of(draws_, d) * of(draws_, d) / kDraws;
    for (const Rows& move : moves_) scatter += of(move, counter) * of(move, counter);
    const double bias = phase_bias_[index].size() > 0 ? phase_bias_[index](static_cast<Eigen::Index>(q), counter) : 0;
    errors[q] = std::sqrt(Variance(touched, scale * scatter, noise_(counter) * variance) + bias * bias);
  }
  return errors;
}

Rows Fitter::Report(PhaseFit& fit) const {
  Rows rates = MeanRates().replicate(static_cast<Eigen::Index>(classes_), 1);
  fit.offset_ns = alignment_.offset_ns;
  fit.offset_error_ns = alignment_.offset_error_ns;
  fit.jitter_ns = alignment_.jitter_ns;
  for (std::size_t k = 0; k < classes_; ++k) {
    ClassPhases& phases = fit.classes[k];
    const LaunchGroup* main = nullptr;
    std::size_t main_group = 0;
    double time = 0, launches = 0;
    for (std::uint32_t g = layout_.first_group[k]; g < layout_.first_group[k + 1]; ++g) {
      const LaunchGroup& group = layout_.groups[g];
      phases.launches += static_cast<std::size_t>(group.launches);
      phases.launches_sampled += sharing_.launches[g];
      time += group.total_ns;
      if (sharing_.launches[g] <= 0) continue;
      launches += group.launches;
      if (!main || group.total_ns > main->total_ns) main = &group, main_group = g;
    }
    if (phases.launches > 0) phases.mean_duration_ns = time / static_cast<double>(phases.launches);
    if (!main) continue;
    phases.phase_edges = main->edges;
    for (Eigen::Index c = 0; c < counters_; ++c) {
      ClassCount& count = fit.counts[k * fit.sums.size() + static_cast<std::size_t>(c)];
      bool first = true;
      for (std::uint32_t g = layout_.first_group[k]; g < layout_.first_group[k + 1]; ++g) {
        if (sharing_.launches[g] <= 0) continue;
        const LaunchGroup& group = layout_.groups[g];
        const double fitted = group.unknowns > 0 ? fit_->unknowns(group.Last(), c) : 0;
        const double per_launch = sharing_.fitted(g, c) > 0 && fitted > 0
                                      ? fitted * sharing_.given(g, c) / sharing_.fitted(g, c)
                                      : sharing_.given(g, c) / sharing_.launches[g];
        count.given += sharing_.given(g, c);
        count.per_launch += group.launches / launches * per_launch;
        count.least = first ? per_launch : std::min(count.least, per_launch);
        count.most = first ? per_launch : std::max(count.most, per_launch);
        first = false;
      }
      count.phase_counts = PhaseCounts(*main, c, count.per_launch);
      count.phase_errors = PhaseErrors(main_group, c);
      rates(static_cast<Eigen::Index>(k), c) = count.per_launch / phases.mean_duration_ns;
      fit.sums[static_cast<std::size_t>(c)].classes += count.given;
    }
  }
  for (Eigen::Index c = 0; c < counters_; ++c) {
    CounterSum& sum = fit.sums[static_cast<std::size_t>(c)];
    sum.counted = sharing_.total(c);
    sum.unassigned = sharing_.unassigned(c);
  }
  return rates;
}

void Fitter::ReportErrors(PhaseFit& fit, const Rows& rates) const {
  const Rows of_edges = ErrorsOfEdges(launches_, rates);
  const Eigen::RowVectorXd mean_rates = MeanRates();
  for (std::size_t k = 0; k < classes_; ++k) {
    const ClassPhases& phases = fit.classes[k];
    if (phases.phase_edges.empty()) continue;
    const auto row = static_cast<Eigen::Index>(k);
    for (Eigen::Index c = 0; c < counters_; ++c) {
      ClassCount& count = fit.counts[k * fit.sums.size() + static_cast<std::size_t>(c)];
      count.error = std::hypot(errors_(row, c), of_edges(row, c), kLeastError * count.per_launch);
      const double usual = std::max(count.per_launch, phases.mean_duration_ns * mean_rates(c));
      count.told_apart = is_fitted_[k] && inflated_[k] < kMostInflated && count.error <= kMostError * usual;
    }
  }
}

void Fitter::Run(PhaseFit& fit) {
  layout_ = GroupLaunches(launches_, classes_, samples_.mean_ns);
  alignment_ = Align(layout_, launches_, classes_, samples_, options_);
  double first = 0, last = 0;
  if (!launches_.empty()) {
    first = static_cast<double>(launches_.front().start_ns - samples_.origin_ns);
    last = static_cast<double>(launches_.back().end_ns - samples_.origin_ns);
  }
  const double sampled = last > first ? std::min(1.0, samples_.total_ns / (last - first)) : 1;
  const double wanted = static_cast<double>(layout_.groups.size()) * (options_.phases + 1);
  is_sparse_ =
      wanted > kDenseUnknowns && MeanNeighbours(layout_, launches_, classes_, samples_.mean_ns) < kMostNeighbours;
  ChoosePhases(layout_, options_.phases, is_sparse_ ? kMostSparse : kMostUnknowns, sampled);
  const std::vector<std::uint32_t> fitted = TakeForFit(samples_, launches_, layout_, classes_, alignment_.offset_ns);
  fit_.emplace(FitRates(Model(), fitted));

  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  Matrix draws(layout_.Unknowns(), kDraws);
  for (double& value : draws.reshaped()) value = normal(random);
  draws_ = fit_->matrix.Draws(draws);
  const bool many = static_cast<double>(fitted.size()) > kManySamples * static_cast<double>(layout_.Unknowns());
  sharing_ = ShareOut(Model(), fit_->unknowns, fitted, many ? Rows{} : draws_);

  FindBias();
  FindErrors();
  ReportErrors(fit, Report(fit));
}

}  // namespace

PhaseFit FitPhases(std::span<const ClassLaunch> launches, std::size_t classes, const PmSamples& samples,
                   const PhaseFitOptions& options) {
  PhaseFit fit;
  fit.classes.resize(classes);
  fit.counts.resize(classes * samples.counters);
  fit.sums.resize(samples.counters);
  const UsableSamples usable = FindUsable(samples);
  fit.samples = usable.used.size();
  if (usable.used.empty()) {
    for (const ClassLaunch& launch : launches)
      if (launch.kernel_class < classes) ++fit.classes[launch.kernel_class].launches;
    return fit;
  }
  Fitter(launches, classes, usable, options).Run(fit);
  return fit;
}

}  // namespace culprit
