// SPDX-License-Identifier: Apache-2.0
// Stores and reads timelines of programs and profiles of launches.
#include "db/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "db/database_impl.h"
#include "db/number_list.h"
#include "db/rows.h"

namespace culprit {
namespace {

// No recording writes longer lists. Phases: at most 60 (bench/phases/phase_fit.h).
constexpr std::size_t kMostBins = 100 * kMostTimelineBins, kMostEdges = 1000;

void CheckTurn(const TimelineTurn& turn) {
  for (const TimelineCounter& counter : turn.counters)
    if (counter.sums.size() != turn.covered_ns.size())
      throw Error(fmt::format("cannot store the timeline: {} has {} bins, and its turn has {}", counter.metric.id,
                              counter.sums.size(), turn.covered_ns.size()));
}

bool HasPhases(const PhaseProfile& profile) {
  const std::size_t phases = profile.counts.size();
  return phases > 0 && profile.edges.size() == phases + 1 && profile.errors.size() == phases;
}

void CheckProfile(const PhaseProfile& profile) {
  if (!HasPhases(profile))
    throw Error(fmt::format("cannot store the profile of {}: it has {} edges, {} counts and {} errors",
                            profile.metric.id, profile.edges.size(), profile.counts.size(), profile.errors.size()));
}

void Clear(Connection& connection, RunId run) {
  for (const char* table :
       {"timeline", "timeline_window", "timeline_range", "timeline_copy", "timeline_turn", "timeline_total"})
    connection.Prepared(fmt::format("DELETE FROM {} WHERE run_id = ?", table)).Bind(run).Run();
  connection.Prepared("DELETE FROM timeline_launch WHERE launch_id IN (SELECT id FROM launch WHERE run_id = ?)")
      .Bind(run)
      .Run();
}

void StoreLaunches(Connection& connection, RunId run, const TimelineRecord& timeline) {
  std::map<std::string, int> ranges;
  std::map<LaunchId, std::int64_t> calls;
  for (const TimelineLaunch& launch : timeline.launches) {
    const auto [seq, is_first] = calls.try_emplace(launch.launch, 0);
    if (is_first && RunOf(connection, launch.launch) != run)
      throw Error(fmt::format("cannot store the timeline: run {} has no launch {}", run, launch.launch));
    std::optional<int> range;
    if (!launch.range.empty()) {
      const auto [known, is_new] = ranges.try_emplace(launch.range, static_cast<int>(ranges.size()));
      if (is_new) InsertRow(connection, "timeline_range", run, known->second, launch.range);
      range = known->second;
    }
    InsertRow(connection, "timeline_launch", launch.launch, seq->second++, launch.gpu, launch.stream, launch.start_ns,
              launch.duration_ns, launch.from_graph, range);
  }
  std::int64_t seq = 0;
  for (const TimelineCopy& copy : timeline.copies)
    InsertRow(connection, "timeline_copy", run, seq++, copy.kind, copy.gpu, copy.bytes, copy.start_ns,
              copy.duration_ns);
}

void LoadLaunches(Connection& connection, RunId run, TimelineRecord& timeline) {
  std::map<std::int64_t, std::string> ranges;
  {
    Lease row = connection.Prepared("SELECT number, path FROM timeline_range WHERE run_id = ?");
    row.Bind(run);
    while (row.Step()) ranges.emplace(row.Integer(0), row.Text(1));
  }
  Lease row = connection.Prepared(
      "SELECT launch_id, gpu, stream, start_ns, duration_ns, from_graph, range_number FROM launch CROSS JOIN "
      "timeline_launch "
      "ON launch_id = launch.id WHERE run_id = ? ORDER BY start_ns, gpu, stream, launch_id, seq");
  row.Bind(run);
  while (row.Step()) {
    TimelineLaunch& launch = timeline.launches.emplace_back();
    launch.launch = row.Integer(0);
    launch.gpu = row.Int(1, RangeOf("timeline_launch", "gpu"));
    launch.stream = row.Integer(2);
    launch.start_ns = row.Integer(3, RangeOf("timeline_launch", "start_ns"));
    launch.duration_ns = row.Integer(4, RangeOf("timeline_launch", "duration_ns"));
    launch.from_graph = row.Int(5) != 0;
    if (row.IsNull(6)) continue;
    const auto range = ranges.find(row.Integer(6));
    if (range == ranges.end())
      throw BadRow(fmt::format("timeline_launch.range_number is {}, which is not there", row.Int(6)));
    launch.range = range->second;
  }
}

void LoadCopies(Connection& connection, RunId run, TimelineRecord& timeline) {
  Lease row = connection.Prepared(
      "SELECT kind, gpu, bytes, start_ns, duration_ns FROM timeline_copy WHERE run_id = ? ORDER BY seq");
  row.Bind(run);
  while (row.Step()) {
    const auto kind = KindNamed<CopyKind>(row.Text(0));
    if (!kind) continue;  // an edited file may contain an unknown kind
    timeline.copies.push_back({*kind, row.Int(1, RangeOf("timeline_copy", "gpu")),
                               row.Real(2, RangeOf("timeline_copy", "bytes")),
                               row.Integer(3, RangeOf("timeline_copy", "start_ns")),
                               row.Integer(4, RangeOf("timeline_copy", "duration_ns"))});
  }
}

MetricDefinition MetricAt(const Lease& row, int column) {
  return {row.Text(column), row.Text(column + 1), row.Text(column + 2), row.Text(column + 3), row.Text(column + 4)};
}

void LoadCounters(Connection& connection, std::int64_t turn, TimelineTurn& into) {
  Lease row = connection.Prepared(
      "SELECT key, source, cupti_name, unit, meaning, sums FROM timeline_counter JOIN metric ON metric.id = metric_id "
      "WHERE timeline_turn_id = ? ORDER BY key");
  row.Bind(turn);
  while (row.Step()) {
    into.counters.push_back({MetricAt(row, 0), MaybeNumbersOf(row.Text(5), "timeline_counter.sums", kMostBins)});
    if (into.counters.back().sums.size() != into.covered_ns.size())
      throw BadRow("timeline_counter.sums does not have the bins of its turn");
  }
}

void LoadTurns(Connection& connection, RunId run, TimelineRecord& timeline) {
  std::vector<std::int64_t> ids;
  {
    Lease row =
        connection.Prepared("SELECT id, gpu, covered_ns FROM timeline_turn WHERE run_id = ? ORDER BY gpu, position");
    row.Bind(run);
    while (row.Step()) {
      ids.push_back(row.Integer(0));
      timeline.turns.push_back({row.Int(1, RangeOf("timeline_turn", "gpu")),
                                NumbersOf(row.Text(2), "timeline_turn.covered_ns", kMostBins),
                                {}});
    }
  }
  for (std::size_t i = 0; i < ids.size(); ++i) LoadCounters(connection, ids[i], timeline.turns[i]);
}

void LoadTotals(Connection& connection, RunId run, TimelineRecord& timeline) {
  Lease row = connection.Prepared(
      "SELECT key, source, cupti_name, unit, meaning, gpu, counted, kernels, copies FROM timeline_total JOIN metric ON "
      "metric.id = metric_id WHERE run_id = ? ORDER BY gpu, key");
  row.Bind(run);
  while (row.Step())
    timeline.totals.push_back({row.Int(5, RangeOf("timeline_total", "gpu")), MetricAt(row, 0),
                               row.Real(6, RangeOf("timeline_total", "counted")),
                               row.Real(7, RangeOf("timeline_total", "kernels")),
                               row.Real(8, RangeOf("timeline_total", "copies"))});
}

}  // namespace

void Database::StoreTimeline(RunId run, const TimelineRecord& timeline) {
  for (const TimelineTurn& turn : timeline.turns) CheckTurn(turn);
  impl_->Write("store the timeline", [&](Connection& connection) {
    Clear(connection, run);
    InsertRow(connection, "timeline", run, timeline.span_ns, timeline.bin_ns, timeline.left_out);
    for (const TimelineWindow& window : timeline.windows)
      InsertRow(connection, "timeline_window", run, window.start_ns, window.end_ns);
    StoreLaunches(connection, run, timeline);
    std::map<int, int> positions;  // by GPU
    for (const TimelineTurn& turn : timeline.turns) {
      InsertRow(connection, "timeline_turn", run, turn.gpu, positions[turn.gpu]++, NumberList(turn.covered_ns));
      const std::int64_t id = connection.LastRowId();
      for (const TimelineCounter& counter : turn.counters)
        InsertRow(connection, "timeline_counter", id, impl_->metric_ids.IdOf(connection, counter.metric),
                  NumberList(counter.sums));
    }
    for (const TimelineTotal& total : timeline.totals)
      InsertRow(connection, "timeline_total", run, total.gpu, impl_->metric_ids.IdOf(connection, total.metric),
                total.counted, total.kernels, total.copies);
  });
}

void Database::StoreProfiles(LaunchId launch, std::span<const PhaseProfile> profiles) {
  for (const PhaseProfile& profile : profiles) CheckProfile(profile);
  impl_->WriteOf(launch, "store profiles of a launch", [&](Connection& connection) {
    connection.Prepared("DELETE FROM phase_profile WHERE launch_id = ?").Bind(launch).Run();
    for (const PhaseProfile& profile : profiles)
      InsertRow(connection, "phase_profile", launch, impl_->metric_ids.IdOf(connection, profile.metric),
                profile.duration_ns, NumberList(profile.edges), NumberList(profile.counts), NumberList(profile.errors));
  });
}

std::optional<TimelineRecord> Database::Timeline(RunId run) const {
  const auto read = [&](Connection& connection) -> std::optional<TimelineRecord> {
    const ReadSnapshot snapshot(connection);
    TimelineRecord timeline;
    {
      Lease row = connection.Prepared("SELECT span_ns, bin_ns, left_out FROM timeline WHERE run_id = ?");
      if (!row.Bind(run).Step()) return std::nullopt;
      timeline.span_ns = row.Integer(0, RangeOf("timeline", "span_ns"));
      timeline.bin_ns = row.Integer(1, RangeOf("timeline", "bin_ns"));
      timeline.left_out = row.Integer(2, RangeOf("timeline", "left_out"));
    }
    {
      Lease row =
          connection.Prepared("SELECT start_ns, end_ns FROM timeline_window WHERE run_id = ? ORDER BY start_ns");
      row.Bind(run);
      while (row.Step())
        timeline.windows.push_back({row.Integer(0, RangeOf("timeline_window", "start_ns")),
                                    row.Integer(1, RangeOf("timeline_window", "end_ns"))});
    }
    LoadLaunches(connection, run, timeline);
    LoadCopies(connection, run, timeline);
    LoadTurns(connection, run, timeline);
    LoadTotals(connection, run, timeline);
    return timeline;
  };
  return impl_->Read(run, "read the timeline", read);
}

std::vector<PhaseProfile> Database::Profiles(LaunchId launch) const {
  const auto read = [&](Connection& connection) {
    std::vector<PhaseProfile> profiles;
    Lease row = connection.Prepared(
        "SELECT key, source, cupti_name, unit, meaning, duration_ns, edges, counts, errors FROM phase_profile JOIN "
        "metric ON metric.id = metric_id WHERE launch_id = ? ORDER BY key");
    row.Bind(launch);
    while (row.Step()) {
      const PhaseProfile& profile =
          profiles.emplace_back(PhaseProfile{MetricAt(row, 0), row.Real(5, RangeOf("phase_profile", "duration_ns")),
                                             NumbersOf(row.Text(6), "phase_profile.edges", kMostEdges),
                                             NumbersOf(row.Text(7), "phase_profile.counts", kMostEdges),
                                             NumbersOf(row.Text(8), "phase_profile.errors", kMostEdges)});
      if (!HasPhases(profile) || !std::ranges::is_sorted(profile.edges))
        throw BadRow("phase_profile.edges are not the edges of its counts");
    }
    return profiles;
  };
  return impl_->Read(RunOf(impl_->connection, launch), "read profiles of a launch", read);
}

}  // namespace culprit
