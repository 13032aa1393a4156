// SPDX-License-Identifier: Apache-2.0
// Walks through samples and launches in the order of time, and gives the row of the model for each sample.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bench/phases/layout.h"
#include "bench/phases/phase_fit.h"

namespace culprit {

struct RowEntry {
  int column;
  double value;
};

// One sample. predicted = sum of value x unknown.
struct ModelRow {
  struct Part {
    std::uint32_t group;
    std::uint32_t begin, end;  // of its entries
    double launches;           // as shares of their durations
    double busy_ns;
    bool is_cut;  // an edge of the sample lies in a launch
  };
  std::size_t sample = 0;
  double length_ns = 0, idle_ns = 0;
  std::vector<RowEntry> entries;  // groups' parts, then the background if there is one
  std::vector<Part> parts;
  // How the shares before the sample's edges change per nanosecond. Only if asked for.
  struct Slope {
    int column;
    std::uint32_t part;
    double at_start, at_end;
  };
  std::vector<Slope> slopes;
};

// Stamps scatter, so the share of a launch before an edge of a sample is known only on average: this is the share
// convolved with the distribution of the stamps' error. (Regression calibration; it leaves the fit unbiased since edges
// of samples fall everywhere.) The distribution is a triangle with the half width h = sqrt(6) x standard deviation,
// whose mean absolute value differs from that of a normal distribution by 2 %.
class Ramp {
 public:
  explicit Ramp(double jitter_ns) : h_(std::sqrt(6.0) * jitter_ns), scale_(h_ > 0 ? 1 / (6 * h_ * h_) : 0) {}
  double Half() const { return h_; }
  // max(t, 0), convolved.
  double operator()(double t) const {
    if (t <= -h_) return 0;
    if (t >= h_) return t;
    if (t <= 0) return (t + h_) * (t + h_) * (t + h_) * scale_;
    return t + (h_ - t) * (h_ - t) * (h_ - t) * scale_;
  }
  // Its integral.
  double Area(double t) const {
    if (t <= -h_) return 0;
    if (t >= h_) return t * t / 2 + h_ * h_ / 12;
    const double u = h_ - std::abs(t), quartic = u * u * u * u * scale_ / 4;
    return t <= 0 ? quartic : t * t / 2 + h_ * h_ / 12 - quartic;
  }
  double Slope(double t) const {
    if (t <= -h_) return 0;
    if (t >= h_) return 1;
    if (t <= 0) return 3 * (t + h_) * (t + h_) * scale_;
    return 1 - 3 * (h_ - t) * (h_ - t) * scale_;
  }

 private:
  double h_, scale_;
};

// Times are relative to `origin_ns`, so that doubles hold them exactly.
class Sweep {
 public:
  Sweep(const Layout& layout, std::span<const ClassLaunch> launches, std::size_t classes, std::int64_t origin_ns,
        double offset_ns, double jitter_ns, Background background, bool slopes)
      : layout_(layout),
        launches_(launches),
        classes_(classes),
        origin_(origin_ns),
        offset_(offset_ns),
        ramp_(jitter_ns),
        background_(background),
        slopes_(slopes),
        place_(layout.groups.size(), -1),
        values_(static_cast<std::size_t>(layout.columns)),
        starts_(slopes ? static_cast<std::size_t>(layout.columns) : 0),
        ends_(starts_.size()) {}

  // The samples must come in ascending order.
  const ModelRow& Row(std::size_t sample, std::int64_t start_ns, std::int64_t end_ns);

 private:
  struct Running {
    double start, end;
    std::uint32_t group;
  };
  void AddCut(const Running& launch, double from, double to, const LaunchGroup& group);

  const Layout& layout_;
  std::span<const ClassLaunch> launches_;
  std::size_t classes_;
  std::int64_t origin_;
  double offset_;
  Ramp ramp_;
  Background background_;
  bool slopes_;
  std::size_t next_ = 0;
  std::vector<Running> running_;
  std::vector<int> place_;                      // of a group in row_.parts, or -1
  std::vector<double> values_, starts_, ends_;  // by column
  ModelRow row_;
};

}  // namespace culprit
