// SPDX-License-Identifier: Apache-2.0
#include "bench/phases/sharing.h"

#include <algorithm>
#include <utility>

namespace culprit {
namespace {

constexpr std::size_t kRun = 16;  // samples
// Neighbours that were not fitted, since there are so many samples, are shared out together.
constexpr std::size_t kTogether = 8;
constexpr double kMostLeverage = 0.8;

std::size_t ClusterOf(std::size_t index) {
  std::uint64_t run = index / kRun;  // the finalizer of SplitMix64 (Steele, Lea, Flood 2014)
  run = (run ^ (run >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  run = (run ^ (run >> 27U)) * 0x94d049bb133111ebULL;
  return (run ^ (run >> 31U)) % kClusters;
}

class Sharer {
 public:
  Sharer(const RateModel& model, const Rows& unknowns, const Rows& draws)
      : model_(model),
        unknowns_(unknowns),
        draws_(draws),
        counters_(static_cast<Eigen::Index>(model.samples.all.counters)),
        groups_(static_cast<Eigen::Index>(model.layout.groups.size())) {
    out_.total = out_.unassigned = out_.noise = Eigen::RowVectorXd::Zero(counters_);
    out_.given = out_.fitted = out_.alone = out_.shared = misfit_ = weight_ = Rows::Zero(groups_, counters_);
    out_.launches.assign(model.layout.groups.size(), 0);
    out_.touched = touched_alone_ = all_alone_ = all_touched_ = out_.launches;
    out_.mixed = Eigen::VectorXd::Zero(model.layout.Unknowns());
    for (Rows& scores : out_.scores) scores = Rows::Zero(model.layout.Unknowns(), counters_);
    error_ = sum_ = inverse_ = background_ = Eigen::RowVectorXd(counters_);
  }

  // `samples`: how many neighbours the row stands for.
  void Share(const ModelRow& row, const Eigen::RowVectorXd& y, double samples) {
    Predict(row, y);
    const bool mixed = IsMixed(row);
    inverse_ = (sum_.array() > 0).select(y.array() / sum_.array(), 0.0);
    const bool has_all = (sum_.array() > 0).all();
    Eigen::Index p = 0;
    for (const ModelRow::Part& part : row.parts) {
      const auto g = static_cast<Eigen::Index>(part.group);
      out_.given.row(g).array() += shares_.row(p).array() * inverse_.array();
      out_.fitted.row(g) += shares_.row(p);
      out_.launches[part.group] += part.launches;
      out_.busy_ns += part.busy_ns;
      (mixed ? all_touched_ : all_alone_)[part.group] += samples;
      ++p;
    }
    if (!has_all) ShareByTime(row, y);
    out_.unassigned.array() += background_.array() * inverse_.array();
    out_.total += y;
    if (mixed)
      for (const RowEntry& entry : row.entries) out_.mixed(entry.column) += entry.value;
  }

  // The same row again, if it was fitted.
  void Judge(const ModelRow& row, std::size_t index) {
    const bool mixed = IsMixed(row);
    inverse_ = (sum_.array() > 0).select(sum_.array().inverse(), 0.0);
    Eigen::Index p = 0;
    for (const ModelRow::Part& part : row.parts) {
      const auto g = static_cast<Eigen::Index>(part.group);
      auto fitted = shares_.row(p++).array();
      const auto share = fitted * inverse_.array();
      if (mixed) {
        misfit_.row(g).array() += share * error_.array().square();
        weight_.row(g).array() += fitted * sum_.array();
        out_.shared.row(g).array() += (fitted * (1 - share)).square();
        ++out_.touched[part.group];
      } else {
        // What the group did is no error here, only the sample's own noise, which differs from sample to sample.
        if (last_alone_ == part.group && index == last_index_ + 1) {
          out_.alone.row(g) += (error_ - last_error_).cwiseAbs2() / 2;
          ++touched_alone_[part.group];
        }
        last_alone_ = part.group;
        last_index_ = index;
        last_error_ = error_;
      }
    }
    if (mixed) {
      out_.noise += error_.cwiseAbs2();
      ++out_.noise_samples;
    }
    // A sample that decides a part of the fit has a smaller residual than its noise. 1 - leverage is the ratio if the
    // sample is left out (HC3: MacKinnon and White 1985). The draws estimate the leverage.
    if (draws_.cols() > 0) {
      drawn_.setZero(draws_.cols());
      for (const RowEntry& entry : row.entries) drawn_ += entry.value * draws_.row(entry.column);
      error_ /= 1 - std::min(drawn_.squaredNorm() / static_cast<double>(draws_.cols()), kMostLeverage);
    }
    Rows& scores = out_.scores[ClusterOf(index)];
    for (const RowEntry& entry : row.entries) scores.row(entry.column) += entry.value * error_;
  }

  SharedOut Finish() {
    for (Eigen::Index g = 0; g < groups_; ++g) {
      const auto i = static_cast<std::size_t>(g);
      const double scale = out_.touched[i] > 0 ? all_touched_[i] / out_.touched[i] : 0;
      out_.shared.row(g).array() *=
          scale * (weight_.row(g).array() > 0).select(misfit_.row(g).array() / weight_.row(g).array(), 0.0);
      if (touched_alone_[i] > 0) out_.alone.row(g) *= all_alone_[i] / touched_alone_[i];
    }
    return std::move(out_);
  }

 private:
  bool IsMixed(const ModelRow& row) const {
    return row.parts.size() > 1 || model_.background == Background::kAlways || row.idle_ns > 0;
  }

  void Predict(const ModelRow& row, const Eigen::RowVectorXd& y) {
    const auto parts = static_cast<Eigen::Index>(row.parts.size());
    if (shares_.rows() < parts) shares_.resize(parts, counters_);
    error_ = y;
    sum_.setZero();
    Eigen::Index p = 0;
    for (const ModelRow::Part& part : row.parts) {
      auto share = shares_.row(p++);
      share.setZero();
      for (std::uint32_t j = part.begin; j < part.end; ++j)
        share += row.entries[j].value * unknowns_.row(row.entries[j].column);
      error_ -= share;
      share = share.cwiseMax(0);
      sum_ += share;
    }
    background_.setZero();
    const std::uint32_t used = row.parts.empty() ? 0 : row.parts.back().end;
    if (used < row.entries.size()) {
      background_ = row.entries[used].value * unknowns_.row(model_.layout.Background());
      error_ -= background_;
      background_ = background_.cwiseMax(0);
      sum_ += background_;
    }
  }

  // The counters of which the fit expects nothing in this sample.
  void ShareByTime(const ModelRow& row, const Eigen::RowVectorXd& y) {
    double time = row.idle_ns;
    for (const ModelRow::Part& part : row.parts) time += part.busy_ns;
    for (Eigen::Index c = 0; c < counters_; ++c) {
      if (sum_(c) > 0) continue;
      out_.unassigned(c) += time > 0 ? y(c) * row.idle_ns / time : y(c);
      if (time > 0)
        for (const ModelRow::Part& part : row.parts)
          out_.given(static_cast<Eigen::Index>(part.group), c) += y(c) * part.busy_ns / time;
    }
  }

  const RateModel& model_;
  const Rows &unknowns_, &draws_;
  Eigen::Index counters_, groups_;
  SharedOut out_;
  Rows misfit_, weight_;  // groups x counters, of shared samples
  std::vector<double> touched_alone_, all_alone_, all_touched_;
  Rows shares_;                                   // parts x counters
  std::uint32_t last_alone_ = ~std::uint32_t{0};  // the group that had the last such sample alone
  std::size_t last_index_ = 0;
  Eigen::RowVectorXd last_error_;
  Eigen::RowVectorXd error_, sum_, inverse_, background_, drawn_;
};

}  // namespace

SharedOut ShareOut(const RateModel& model, const Rows& unknowns, std::span<const std::uint32_t> fitted,
                   const Rows& draws) {
  Sharer sharer(model, unknowns, draws);
  Sweep sweep = model.Start();
  const auto counters = static_cast<Eigen::Index>(model.samples.all.counters);
  const std::vector<std::uint32_t>& used = model.samples.used;
  const std::span<const std::int64_t> starts = model.samples.all.start_ns, ends = model.samples.all.end_ns;
  Eigen::RowVectorXd y(counters);
  std::size_t next = 0;
  for (std::size_t i = 0; i < used.size();) {
    const auto is_fitted = [&](std::size_t j) { return next < fitted.size() && fitted[next] == used[j]; };
    y = Eigen::Map<const Eigen::RowVectorXd>(model.samples.Values(used[i]), counters);
    if (is_fitted(i)) {
      const ModelRow& row = sweep.Row(used[i], starts[used[i]], ends[used[i]]);
      sharer.Share(row, y, 1);
      sharer.Judge(row, next++);
      ++i;
      continue;
    }
    std::size_t last = i;
    while (last + 1 < used.size() && last + 1 - i < kTogether && starts[used[last + 1]] == ends[used[last]] &&
           !is_fitted(last + 1))
      y += Eigen::Map<const Eigen::RowVectorXd>(model.samples.Values(used[++last]), counters);
    sharer.Share(sweep.Row(used[i], starts[used[i]], ends[used[last]]), y, static_cast<double>(last - i + 1));
    i = last + 1;
  }
  return sharer.Finish();
}

}  // namespace culprit
