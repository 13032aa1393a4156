// SPDX-License-Identifier: Apache-2.0
#include "analysis/fleet/change_points.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace culprit {
namespace {

// A floor is a 99th percentile of |differences|, which lies 2.576 standard deviations from 0 if noise is normal.
constexpr double kFloorInSigmas = 2.576;

// Larger p are reported as 1, so that most looks need no distribution.
constexpr double kLeastInteresting = 0.05;

// A suspect may be a mode: of nights that are independent, in at most this share of the looks.
constexpr double kModeSuspects = 0.01;

// Below it, a slope counts as drift for the rank test.
constexpr double kSlopeLevel = 0.01;

// The accepted probability of a false step on a whole server.
constexpr double kFalseOnServer = 0.05;

// The confidence of intervals.
constexpr double kStepConfidence = 0.95;

// The rank test uses no more of the smaller side: 20 of 40 runs have a level of 1e-11.
constexpr std::size_t kMostRanked = 20;

// A level is that of an earlier stretch within so many standard errors, and within this share of the step.
constexpr double kSameLevelErrors = 3, kSameLevelShare = 0.25;

// 95 % quantile of a step's likelihood ratio: -2 log (Eo and Morley, 2015).
constexpr double kPlaceBound = 7.35;

// Of equal values: rounding errors of logarithms are smaller.
constexpr double kLeastVariance = 1e-18;

// Of one day: rounding errors of the sums of squared days are a smaller share of them.
constexpr double kLeastShareOfDays = 1e-12;

double D(std::size_t n) { return static_cast<double>(n); }

// Of the runs [begin, end) with a step before `split`.
struct Fit {
  double step = 0, slope = 0;
  double squares = 0;  // of the residuals
  // Their variances, in units of the residuals' variance. Each side on one day has no slope, and its weight is 0.
  double step_weight = 0, slope_weight = 0;
  double degrees = 0;  // of freedom
};

class Series {
 public:
  Series(std::span<const double> values, std::span<const double> days) : values_(values), sums_(values.size() + 1) {
    days_.reserve(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double y = values[i] - values[0], t = days.empty() ? D(i) : days[i] - days[0];
      days_.push_back(t);
      const Sums& so_far = sums_[i];
      sums_[i + 1] = {so_far.y + y, so_far.t + t, so_far.ty + t * y, so_far.yy + y * y, so_far.tt + t * t};
    }
  }

  std::size_t size() const { return values_.size(); }

  Fit FitStep(std::size_t begin, std::size_t split, std::size_t end) const {
    const Part before = Centred(begin, split), after = Centred(split, end);
    const double between = after.day - before.day;
    Fit fit;
    fit.step = after.mean - before.mean;
    fit.squares = before.yy + after.yy;
    fit.step_weight = 1 / D(split - begin) + 1 / D(end - split);
    fit.degrees = D(end - begin) - 2;
    if (const double tt = before.tt + after.tt; tt > 0) {
      fit.slope = (before.ty + after.ty) / tt;
      fit.step -= fit.slope * between;
      fit.squares -= fit.slope * fit.slope * tt;
      fit.slope_weight = 1 / tt;
      fit.step_weight += between * between / tt;
      --fit.degrees;
    }
    fit.squares = std::max(0.0, fit.squares);
    return fit;
  }

  // The residuals' correlation of neighbours, at least 0.
  double Likeness(const Fit& fit, std::size_t begin, std::size_t split, std::size_t end) const {
    const Part before = Centred(begin, split), after = Centred(split, end);
    const auto residual = [&](std::size_t i) {
      const Part& side = i < split ? before : after;
      return values_[i] - values_[0] - side.mean - fit.slope * (days_[i] - side.day);
    };
    double products = 0;
    for (std::size_t i = begin + 1; i < end; ++i) products += residual(i - 1) * residual(i);
    return fit.squares > 0 ? std::clamp(products / fit.squares, 0.0, 0.99) : 0;
  }

  // One side: its mean and mean day, and sums of squares and products around them.
  struct Part {
    double mean = 0, day = 0, ty = 0, yy = 0, tt = 0;
  };
  Part Centred(std::size_t begin, std::size_t end) const {
    const Sums &from = sums_[begin], &to = sums_[end];
    const double n = D(end - begin), y = to.y - from.y, t = to.t - from.t;
    const double squared_days = to.tt - from.tt, tt = squared_days - t * t / n;
    return {y / n, t / n, to.ty - from.ty - t * y / n, to.yy - from.yy - y * y / n,
            tt > kLeastShareOfDays * squared_days ? tt : 0};
  }

  std::span<const double> values() const { return values_; }
  std::span<const double> days() const { return days_; }  // since the first run

 private:
  struct Sums {
    double y = 0, t = 0, ty = 0, yy = 0, tt = 0;
  };
  std::span<const double> values_;
  std::vector<double> days_;
  std::vector<Sums> sums_;
};

double VarianceOf(const Fit& fit, double noise) {
  return std::max({fit.squares / fit.degrees, noise * noise, kLeastVariance});
}

double TwoSided(double t, double degrees) {
  return 2 * boost::math::cdf(boost::math::complement(boost::math::students_t(degrees), std::abs(t)));
}

// Exact, two-sided: of all orders of these runs, the share in which the sides overlap as little. Ties overlap.
// Partitions of the number of inversions into at most `n` parts of at most `m` (Gauss' binomial coefficients).
double RankP(std::vector<double> before, std::vector<double> after, bool rises) {
  if (before.size() > kMostRanked && after.size() > kMostRanked) after.resize(kMostRanked);
  std::ranges::sort(before);
  std::size_t inversions = 0;
  for (const double a : after)
    inversions += static_cast<std::size_t>(rises ? before.end() - std::ranges::lower_bound(before, a)
                                                 : std::ranges::upper_bound(before, a) - before.begin());
  const std::size_t n = std::min(before.size(), after.size()), m = std::max(before.size(), after.size());
  if (2 * inversions >= n * m) return 1;
  std::vector<double> orders(inversions + 1, 0);
  orders[0] = 1;
  for (std::size_t i = 1; i <= n; ++i) {
    for (std::size_t u = inversions + 1; u-- > m + i;) orders[u] -= orders[u - m - i];
    for (std::size_t u = i; u <= inversions; ++u) orders[u] += orders[u - i];
  }
  double share = 0;
  for (const double of_u : orders) share += of_u;
  for (std::size_t i = 1; i <= n; ++i) share *= D(i) / D(m + i);
  return std::min(1.0, 2 * share);
}

struct Look {
  std::size_t split = 0;
  double p = 1;          // of both tests
  double p_of_step = 1;  // of the t test alone
  bool is_suspect = false;
};

class Finder {
 public:
  Finder(std::span<const double> values, double noise, std::span<const double> days)
      : series_(values, days), noise_(noise) {}

  // The runs [begin, end), of which the last ones are compared with all before them.
  Look LookAt(std::size_t begin, std::size_t end) const {
    Look look;
    const std::size_t runs = end - begin;
    Fit best;
    double splits = 0, largest = 0;
    for (std::size_t after = kFewestRuns; after + kFewestRuns <= runs; after += std::max<std::size_t>(1, after / 4)) {
      const Fit fit = series_.FitStep(begin, end - after, end);
      const double t2 = fit.step * fit.step / (VarianceOf(fit, noise_) * fit.step_weight);
      ++splits;
      if (t2 > largest) largest = t2, best = fit, look.split = end - after;
    }
    const double comparisons = splits * D(runs) * D(runs + 1) / (kFewestRuns * 2);
    if (splits == 0 || std::sqrt(largest) < Interesting(comparisons)) return look;
    // Alike neighbours: the variance of means grows, and the degrees of freedom shrink.
    const double alike = series_.Likeness(best, begin, look.split, end), grow = (1 + alike) / (1 - alike);
    const double degrees = std::max(1.0, best.degrees / grow);
    look.p_of_step = std::min(1.0, comparisons * TwoSided(std::sqrt(largest / grow), degrees));
    if (look.p_of_step > kLeastInteresting) return look;
    const double slope = IsDrift(best) ? best.slope : 0;
    const auto side = [&](std::size_t from, std::size_t to) {
      std::vector<double> of_side;
      for (std::size_t i = from; i < to; ++i) of_side.push_back(series_.values()[i] - slope * series_.days()[i]);
      return of_side;
    };
    const double ranks = RankP(side(begin, look.split), side(look.split, end), best.step > 0);
    look.p = std::min(1.0, std::max(look.p_of_step, comparisons * ranks));
    look.is_suspect = splits * ranks <= kModeSuspects;
    return look;
  }

  // `use(look, begin, end)` returns whether a new stretch begins at the look's split.
  template <class Use>
  void ForEachLook(Use use) const {
    std::size_t begin = 0;
    for (std::size_t end = 2 * kFewestRuns; end <= series_.size(); ++end) {
      if (end - begin < 2 * kFewestRuns) continue;
      const Look look = LookAt(begin, end);
      if (const auto next = use(look, begin, end)) begin = *next;
    }
  }

  // The best place of the step, and those that are nearly as likely.
  Step Place(std::size_t begin, std::size_t end, const Look& look) const {
    Step step{.p = look.p};
    std::optional<Fit> best;
    for (std::size_t split = begin + kFewestRuns; split + kFewestRuns <= end; ++split)
      if (const Fit here = series_.FitStep(begin, split, end); !best || here.squares < best->squares)
        best = here, step.run = split;
    const double most = best->squares + kPlaceBound * VarianceOf(*best, noise_);
    step.earliest = step.latest = step.run;
    for (std::size_t split = begin + kFewestRuns; split + kFewestRuns <= end; ++split)
      if (series_.FitStep(begin, split, end).squares <= most) {
        step.earliest = std::min(step.earliest, split);
        step.latest = std::max(step.latest, split);
      }
    return step;
  }

  // The change, from the stretches on both sides.
  void Measure(std::size_t begin, std::size_t end, Step& step) const {
    const Fit fit = series_.FitStep(begin, step.run, end);
    const double wide = boost::math::quantile(boost::math::students_t(fit.degrees), (1 + kStepConfidence) / 2) *
                        std::sqrt(VarianceOf(fit, noise_) * fit.step_weight);
    step.change = std::expm1(fit.step);
    step.low = std::expm1(fit.step - wide);
    step.high = std::expm1(fit.step + wide);
  }

  // Whether two stretches have the same level, compared with a step.
  bool IsSameLevel(std::size_t begin, std::size_t end, std::size_t other_begin, std::size_t other_end,
                   double step) const {
    const Series::Part one = series_.Centred(begin, end), other = series_.Centred(other_begin, other_end);
    const double n = D(end - begin), m = D(other_end - other_begin);
    const double variance = std::max((one.yy + other.yy) / (n + m - 2), noise_ * noise_);
    const double apart = std::abs(one.mean - other.mean);
    return apart <= kSameLevelErrors * std::sqrt(variance * (1 / n + 1 / m)) &&
           apart <= kSameLevelShare * std::abs(step);
  }

 private:
  bool IsDrift(const Fit& fit) const {
    if (fit.slope_weight == 0) return false;
    return TwoSided(fit.slope / std::sqrt(VarianceOf(fit, noise_) * fit.slope_weight), fit.degrees) < kSlopeLevel;
  }

  // A normal t below this has p > kLeastInteresting; Student's needs more.
  static double Interesting(double comparisons) { return std::sqrt(std::max(0.0, 2 * std::log(comparisons))); }

  Series series_;
  double noise_;
};

}  // namespace

std::vector<Step> FindSteps(std::span<const double> log_values, double noise, double level,
                            std::span<const double> days) {
  if (log_values.size() < 2 * kFewestRuns) return {};
  const Finder finder(log_values, noise, days);
  std::vector<Step> steps;
  finder.ForEachLook([&](const Look& look, std::size_t begin, std::size_t end) -> std::optional<std::size_t> {
    const bool lasts = look.p <= level;
    const bool is_last = end == log_values.size();
    if (!lasts && !(is_last && look.is_suspect && look.p_of_step <= level)) return std::nullopt;
    Step step = finder.Place(begin, end, look);
    step.known_at = end - 1;
    step.is_lasting = lasts;
    if (!lasts) step.p = look.p_of_step;
    steps.push_back(step);
    return step.run;
  });
  const auto begin_of = [&](std::size_t stretch) { return stretch == 0 ? 0 : steps[stretch - 1].run; };
  const auto end_of = [&](std::size_t stretch) {
    return stretch < steps.size() ? steps[stretch].run : log_values.size();
  };
  for (std::size_t i = 0; i < steps.size(); ++i) {
    finder.Measure(begin_of(i), end_of(i + 1), steps[i]);
    for (std::size_t earlier = 0; earlier < i; ++earlier)
      if (finder.IsSameLevel(begin_of(earlier), end_of(earlier), begin_of(i + 1), end_of(i + 1),
                             std::log1p(steps[i].change)))
        steps[i].level_of = begin_of(earlier);
  }
  return steps;
}

std::optional<Drift> FindDrift(std::span<const double> log_values, std::span<const Step> steps, double noise,
                               double level, std::span<const double> days) {
  const Series series(log_values, days);
  double ty = 0, tt = 0, yy = 0;
  for (std::size_t stretch = 0; stretch <= steps.size(); ++stretch) {
    const Series::Part part = series.Centred(stretch == 0 ? 0 : steps[stretch - 1].run,
                                             stretch < steps.size() ? steps[stretch].run : log_values.size());
    ty += part.ty, tt += part.tt, yy += part.yy;
  }
  const double degrees = D(log_values.size()) - D(steps.size()) - 2;
  if (degrees < D(kFewestRuns) || !(tt > 0)) return std::nullopt;
  const double slope = ty / tt, variance = std::max({(yy - slope * ty) / degrees, noise * noise, kLeastVariance});
  const double error = std::sqrt(variance / tt), all = series.days().back();
  const double wide = boost::math::quantile(boost::math::students_t(degrees), (1 + kStepConfidence) / 2) * error;
  const Drift drift{std::expm1(all * slope), std::expm1(all * (slope - wide)), std::expm1(all * (slope + wide)),
                    TwoSided(slope / error, degrees)};
  return drift.p <= level ? std::optional(drift) : std::nullopt;
}

double NoiseBetweenRuns(const NoiseFloor& floor, bool by_cycles) {
  return (by_cycles ? floor.change : floor.OfTime()) / (kFloorInSigmas * std::sqrt(2.0));
}

double FleetLevel(std::size_t series) { return kFalseOnServer / static_cast<double>(std::max<std::size_t>(series, 1)); }

double LeastP(std::span<const double> log_values, double noise, double level, std::size_t from,
              std::span<const double> days) {
  if (log_values.size() < 2 * kFewestRuns) return 1;
  const Finder finder(log_values, noise, days);
  double least = 1;
  finder.ForEachLook([&](const Look& look, std::size_t begin, std::size_t end) -> std::optional<std::size_t> {
    const bool is_suspect = look.is_suspect && end == log_values.size();
    if (end > from) least = std::min(least, is_suspect ? look.p_of_step : look.p);
    if (look.p > level) return std::nullopt;
    return finder.Place(begin, end, look).run;
  });
  return least;
}

double ScreeningLevel(std::vector<double> least_p, double false_share) {
  std::ranges::sort(least_p);
  for (std::size_t i = least_p.size(); i-- > 0;)
    if (least_p[i] <= false_share * D(i + 1) / D(least_p.size())) return least_p[i];
  return 0;
}

}  // namespace culprit
