// SPDX-License-Identifier: Apache-2.0
#include "bench/phases/sweep.h"

namespace culprit {

namespace {

// The share of a basis function's area before a time, and its slope.
struct Share {
  double value, slope;
};

// The basis function has the rate 1 at `middle` and falls linearly to 0 at `left` and `right`. At an end of the launch
// one of them equals the middle, and the function jumps there.
Share ShareBefore(const Ramp& ramp, double time, double left, double middle, double right) {
  const double t = time - middle;
  double area = 0, rate = 0;
  if (middle > left) {
    const double scale = 1 / (middle - left);
    area += (ramp.Area(time - left) - ramp.Area(t)) * scale;
    rate += (ramp(time - left) - ramp(t)) * scale;
  } else {
    area += ramp(t);
    rate += ramp.Slope(t);
  }
  if (right > middle) {
    const double scale = 1 / (right - middle);
    area -= (ramp.Area(t) - ramp.Area(time - right)) * scale;
    rate -= (ramp(t) - ramp(time - right)) * scale;
  } else {
    area -= ramp(t);
    rate -= ramp.Slope(t);
  }
  const double whole = 2 / (right - left);
  return {area * whole, rate * whole};
}

// The same for a constant rate.
Share ShareBefore(const Ramp& ramp, double time, double left, double right) {
  const double whole = 1 / (right - left);
  return {(ramp(time - left) - ramp(time - right)) * whole,
          (ramp.Slope(time - left) - ramp.Slope(time - right)) * whole};
}

}  // namespace

// Adds the share of each basis function that lies between `from` and `to`. Function i counts the unknown i, less the
// unknown before.
void Sweep::AddCut(const Running& launch, double from, double to, const LaunchGroup& group) {
  const double h = ramp_.Half(), length = launch.end - launch.start;
  const auto column = static_cast<std::size_t>(group.column);
  const auto edge = [&](std::size_t i) { return launch.start + length * group.edges[i]; };
  const auto unknowns = static_cast<std::size_t>(group.unknowns);
  for (std::size_t i = 0; i < unknowns; ++i) {
    const double left = edge(i == 0 ? 0 : i - 1), right = edge(std::min(i + 1, group.edges.size() - 1));
    if (right + h <= from) continue;
    if (left - h >= to) return;
    double value = 1;
    if (left - h < from || right + h > to) {
      const double middle = edge(i);
      const auto before = [&](double time) -> Share {
        if (time >= right + h) return {1, 0};
        if (time <= left - h) return {0, 0};
        return unknowns == 1 ? ShareBefore(ramp_, time, left, right) : ShareBefore(ramp_, time, left, middle, right);
      };
      const Share start = before(from), end = before(to);
      value = end.value - start.value;
      if (slopes_) {
        starts_[column + i] += start.slope;
        ends_[column + i] += end.slope;
        if (i > 0) {
          starts_[column + i - 1] -= start.slope;
          ends_[column + i - 1] -= end.slope;
        }
      }
    }
    values_[column + i] += value;
    if (i > 0) values_[column + i - 1] -= value;
  }
}

const ModelRow& Sweep::Row(std::size_t sample, std::int64_t start_ns, std::int64_t end_ns) {
  const double from = static_cast<double>(start_ns - origin_), to = static_cast<double>(end_ns - origin_);
  const double h = ramp_.Half();
  row_.sample = sample;
  row_.length_ns = to - from;
  row_.entries.clear();
  row_.slopes.clear();
  row_.parts.clear();
  std::erase_if(running_, [&](const Running& r) { return r.end + h <= from; });
  for (; next_ < launches_.size(); ++next_) {
    const ClassLaunch& launch = launches_[next_];
    const double start = static_cast<double>(launch.start_ns - origin_) + offset_;
    if (start - h >= to) break;
    const double end = static_cast<double>(launch.end_ns - origin_) + offset_;
    if (end + h <= from || !IsUsable(launch, classes_)) continue;
    running_.push_back({start, end, layout_.GroupOf(launch)});
  }
  double covered = from, busy = 0;  // launches are sorted by start
  for (const Running& r : running_) {
    const LaunchGroup& group = layout_.groups[r.group];
    int& place = place_[r.group];
    if (place < 0) {
      place = static_cast<int>(row_.parts.size());
      row_.parts.push_back({r.group, 0, 0, 0, 0, false});
    }
    ModelRow::Part& part = row_.parts[static_cast<std::size_t>(place)];
    if (r.start - h >= from && r.end + h <= to) {
      if (group.unknowns > 0) values_[static_cast<std::size_t>(group.Last())] += 1;
      part.launches += 1;
      part.busy_ns += r.end - r.start;
    } else {
      part.is_cut = true;
      AddCut(r, from, to, group);
      const double inside = std::max(0.0, std::min(r.end, to) - std::max(r.start, from));
      part.launches += inside / (r.end - r.start);
      part.busy_ns += inside;
    }
    const double begin = std::max(r.start, covered), end = std::min(r.end, to);
    if (end > begin) {
      busy += end - begin;
      covered = end;
    }
  }
  row_.idle_ns = std::max(0.0, row_.length_ns - busy);
  for (std::size_t i = 0; i < row_.parts.size(); ++i) {
    ModelRow::Part& part = row_.parts[i];
    const LaunchGroup& group = layout_.groups[part.group];
    place_[part.group] = -1;
    part.begin = static_cast<std::uint32_t>(row_.entries.size());
    const int last = group.Last();
    for (int column = part.is_cut || group.unknowns == 0 ? group.column : last; column <= last; ++column) {
      double& value = values_[static_cast<std::size_t>(column)];
      if (value != 0) row_.entries.push_back({column, value});
      value = 0;
      if (!slopes_) continue;
      double &at_start = starts_[static_cast<std::size_t>(column)], &at_end = ends_[static_cast<std::size_t>(column)];
      if (at_start != 0 || at_end != 0)
        row_.slopes.push_back({column, static_cast<std::uint32_t>(i), at_start, at_end});
      at_start = at_end = 0;
    }
    if (group.unknowns == 0) row_.entries.push_back({layout_.Rest(), part.busy_ns});
    part.end = static_cast<std::uint32_t>(row_.entries.size());
  }
  const double background = background_ == Background::kAlways ? row_.length_ns : row_.idle_ns;
  if (background > 0 && background_ != Background::kNone) row_.entries.push_back({layout_.Background(), background});
  return row_;
}

}  // namespace culprit
