// SPDX-License-Identifier: Apache-2.0
// Times of kernels over many runs.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_map>

#include "db/fleet/fleet_impl.h"

namespace culprit {
namespace {

constexpr const char* kClassColumns = "c.id, c.kernel, c.name, c.shape, c.block, c.nvtx, c.ordinal";

FleetClass ClassOf(const Rows& rows, int row, int column) {
  const auto text = [&] { return std::string(rows.Text(row, column++)); };
  FleetClass of;
  of.kernel = text();
  of.name = text();
  of.shape = text();
  of.block = text();
  of.nvtx = text();
  of.ordinal = static_cast<int>(rows.Integer(row, column++));
  return of;
}

// "softmax, softmax_fused": kernels whose name has the word's first letters, or any.
std::string Similar(Server& server, const std::string& kernel) {
  const Rows rows =
      server.Query("look for the kernel",
                   "SELECT DISTINCT kernel, other_beginning FROM (SELECT kernel, left(kernel, 3) <> left($1, 3) "
                   "AS other_beginning FROM launch_class) k ORDER BY 2, 1 LIMIT 5",
                   {kernel});
  std::string names;
  for (int i = 0; i < rows.size(); ++i) names += (i == 0 ? "" : ", ") + std::string(rows.Text(i, 0));
  return names;
}

// Who adds rows by hand may have stored anything.
bool IsTime(double us) { return std::isfinite(us) && us > 0; }

// Fields of a row in COPY's text format, without escapes.
class CopiedFields {
 public:
  explicit CopiedFields(std::string_view row) : row_(row) {}
  std::string_view Next() {
    const std::size_t end = std::min(row_.find('\t'), row_.size());
    std::string_view field = row_.substr(0, end);
    row_.remove_prefix(std::min(end + 1, row_.size()));
    if (field.ends_with('\n')) field.remove_suffix(1);
    return field;
  }
  template <class T>
  T Number(T missing) {
    const std::string_view field = Next();
    T number = missing;
    std::from_chars(field.data(), field.data() + field.size(), number);
    return number;
  }

 private:
  std::string_view row_;
};

}  // namespace

FleetHistory Fleet::History(std::string_view kernel, const FleetFilter& filter, std::string_view shape) {
  Server& server = impl_->server;
  const std::string name = AsUtf8(kernel);
  Condition of = ConditionOf(filter);
  of.And("md5(c.kernel) = md5({})", name);
  if (!shape.empty()) of.And("c.shape = {}", AsUtf8(shape));
  const Rows found = server.Query(
      "look for the kernel",
      fmt::format(
          "SELECT c.id FROM launch_class c JOIN kernel_time t ON t.class_id = c.id JOIN run r ON r.id = t.run_id "
          "JOIN workload w ON w.id = r.workload_id JOIN gpu g ON g.id = r.gpu_id WHERE {} ORDER BY r.started DESC, "
          "t.total_us DESC NULLS LAST, c.id LIMIT 1",
          of.sql),
      of.parameters);
  if (found.size() == 0) {
    // As in a file, the first letters are enough if they name one kernel.
    const Rows names =
        server.Query("look for the kernel",
                     "SELECT DISTINCT kernel FROM launch_class WHERE starts_with(kernel, $1) LIMIT 2", {name});
    if (names.size() == 1 && names.Text(0, 0) != name) return History(std::string(names.Text(0, 0)), filter, shape);
    const bool several = names.size() > 1;
    const Rows there =
        server.Query("look for the kernel", "SELECT FROM launch_class WHERE kernel = $1 LIMIT 1", {name});
    if (there.size() > 0)
      throw Error(fmt::format("no run that you asked for has {}{}; leave out an option.", kernel,
                              shape.empty() ? "" : fmt::format(" at {}", shape)));
    throw Error(fmt::format("the server has {} kernel {}{}; it has {}.", several ? "several kernels, so no one" : "no",
                            kernel, several ? "..." : "", Similar(server, name)));
  }
  return HistoryOf(found.Integer(0, 0), filter);
}

FleetHistory Fleet::HistoryOf(std::int64_t class_id, const FleetFilter& filter) {
  Server& server = impl_->server;
  FleetHistory history;
  Condition of = ConditionOf(filter);
  of.And("t.class_id = {}::integer", std::to_string(class_id));
  const Rows rows = server.Query(
      "read the kernel's history",
      fmt::format(
          "SELECT {}, t.median_us, t.low_us, t.high_us, t.clock_mhz, t.total_us, t.calls, t.verdict, t.change, "
          "t.change_low, t.change_high, t.cause, t.cause_share, t.source, t.same_code FROM kernel_time t "
          "JOIN run r ON r.id = t.run_id JOIN workload w ON w.id = r.workload_id JOIN gpu g ON g.id = r.gpu_id WHERE "
          "{} ORDER BY r.started DESC, r.uuid DESC",
          kRunColumns, of.sql),
      of.parameters);
  // The newest run says which GPU model and branch are meant.
  const FleetRunSummary newest = rows.size() == 0 ? FleetRunSummary() : RunOf(rows, 0);
  for (int i = rows.size() - 1; i >= 0; --i) {
    FleetRunSummary run = RunOf(rows, i);
    int column = kRunColumnCount;
    if (run.gpu_id != newest.gpu_id || run.branch != newest.branch) continue;
    FleetPoint point;
    point.median_us = rows.Real(i, column++).value_or(0);
    if (!IsTime(point.median_us)) continue;
    for (auto* real : {&point.low_us, &point.high_us, &point.clock_mhz, &point.total_us})
      *real = rows.Real(i, column++);
    point.calls = rows.Integer(i, column++);
    point.verdict.verdict = rows.Text(i, column++);
    for (auto* real : {&point.verdict.change, &point.verdict.change_low, &point.verdict.change_high})
      *real = rows.Real(i, column++);
    point.verdict.cause = rows.Text(i, column++);
    point.verdict.cause_share = rows.Real(i, column++);
    point.verdict.source = rows.Text(i, column++);
    if (!rows.IsNull(i, column)) point.verdict.same_code = rows.Text(i, column) == "t";
    history.runs.push_back(std::move(run));
    history.points.push_back(std::move(point));
  }
  if (history.runs.empty()) throw Error("no run that you asked for has this kernel; leave out an option.");
  const std::int64_t ids[] = {class_id};
  history.series = Series(ids).front();
  history.series.gpu = history.runs.back().gpu;
  history.series.branch = history.runs.back().branch;
  // An upper bound that needs no look at every time.
  history.all_series = server
                           .Query("count its series",
                                  "SELECT (SELECT max(id) FROM launch_class) * (SELECT count(*) FROM (SELECT DISTINCT "
                                  "gpu_id, branch FROM run) g)")
                           .Integer(0, 0);
  return history;
}

std::vector<FleetSeries> Fleet::Series(std::span<const std::int64_t> class_ids) {
  const Rows rows = impl_->server.Query(
      "read kernels' names",
      fmt::format(
          "SELECT {}, w.name FROM unnest($1::integer[]) WITH ORDINALITY AS k (id, at) JOIN launch_class c ON c.id = "
          "k.id JOIN workload w ON w.id = c.workload_id ORDER BY at",
          kClassColumns),
      {ArrayOf(class_ids)});
  std::vector<FleetSeries> series;
  for (int i = 0; i < rows.size(); ++i) {
    FleetSeries& one = series.emplace_back();
    one.class_id = rows.Integer(i, 0);
    one.of = ClassOf(rows, i, 1);
    one.workload = rows.Text(i, 7);
  }
  return series;
}

std::vector<Fleet::ClassTime> Fleet::ClassTimes(std::int64_t run_id) {
  const Rows rows = impl_->server.Query(
      "read a run's kernels",
      fmt::format("SELECT {}, t.total_us FROM kernel_time t JOIN launch_class c ON c.id = t.class_id WHERE t.run_id = "
                  "$1::integer AND t.total_us IS NOT NULL ORDER BY t.total_us DESC",
                  kClassColumns),
      {std::to_string(run_id)});
  std::vector<ClassTime> times;
  for (int i = 0; i < rows.size(); ++i) times.push_back({ClassOf(rows, i, 1), rows.Real(i, 7).value_or(0)});
  return times;
}

FleetWindow Fleet::Window(const FleetFilter& filter, const std::string& span) {
  Server& server = impl_->server;
  FleetWindow window;
  FleetFilter earlier = filter;
  earlier.since.clear();
  Condition of = ConditionOf(earlier);
  const TimeExpression since = TimeOf("--since", filter.since), before = TimeOf("--history", span);
  of.parameters.emplace_back(since.parameter);
  of.parameters.emplace_back(before.parameter);
  const std::string from = fmt::format(fmt::runtime(since.sql), fmt::format("${}", of.parameters.size() - 1));
  const Rows rows =
      server.Query("look for runs",
                   fmt::format("SELECT {}, r.started >= {} FROM {} WHERE {} AND r.started >= {} - ${}::interval "
                               "ORDER BY r.started, r.uuid",
                               kRunColumns, from, kRunTables, of.sql, from, of.parameters.size()),
                   of.parameters);
  std::unordered_map<std::int64_t, std::uint32_t> index;
  std::vector<std::int64_t> ids;
  window.first_new = static_cast<std::size_t>(rows.size());
  for (int i = 0; i < rows.size(); ++i) {
    if (rows.Text(i, kRunColumnCount) == "t")
      window.first_new = std::min(window.first_new, static_cast<std::size_t>(i));
    window.runs.push_back(RunOf(rows, i));
    ids.push_back(window.runs.back().id);
    index[ids.back()] = static_cast<std::uint32_t>(i);
  }
  if (ids.empty()) return window;
  server.CopyOut("read times of kernels",
                 fmt::format("COPY (SELECT run_id, class_id, median_us, clock_mhz FROM kernel_time WHERE "
                             "run_id = ANY ('{}'::integer[])) TO STDOUT",
                             ArrayOf(ids)),
                 [&](std::string_view row) {
                   CopiedFields fields(row);
                   FleetWindow::Point& point = window.points.emplace_back();
                   point.run = index.at(fields.Number<std::int64_t>(0));
                   point.class_id = fields.Number<std::int32_t>(0);
                   point.median_us = fields.Number<float>(0);
                   point.clock_mhz = fields.Number<float>(0);
                 });
  std::ranges::sort(window.points, [](const auto& a, const auto& b) {
    return std::pair(a.class_id, a.run) < std::pair(b.class_id, b.run);
  });
  return window;
}

}  // namespace culprit
