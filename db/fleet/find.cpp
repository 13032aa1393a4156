// SPDX-License-Identifier: Apache-2.0
// Finds runs on a server, and brings them back.
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>

#include "db/fleet/fleet_impl.h"
#include "db/fleet/setup.h"

namespace culprit {
namespace {

// A prefix of a UUID that does not look like a label.
bool IsUuidPrefix(std::string_view text) {
  static const RE2 pattern("[0-9a-f]{4,8}(-[0-9a-f-]*)?");
  return RE2::FullMatch(text, pattern);
}

// Bytes of COPY's text format for a bytea: "\\x6162".
void AppendBytes(std::string& out, std::string_view row) {
  while (row.ends_with('\n')) row.remove_suffix(1);
  if (!row.starts_with("\\\\x")) throw Error("the server sent an archive in a form that this culprit cannot read.");
  row.remove_prefix(3);
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  for (std::size_t i = 0; i + 1 < row.size(); i += 2) out += static_cast<char>(digit(row[i]) << 4 | digit(row[i + 1]));
}

// Characters that LIKE would read as patterns.
std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '%' || c == '_' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

}  // namespace

Fleet::Fleet(const std::string& uri) : impl_(std::make_unique<Impl>(uri)) { RequireVersion(impl_->server); }
Fleet::Fleet(Fleet&&) noexcept = default;
Fleet& Fleet::operator=(Fleet&&) noexcept = default;
Fleet::~Fleet() = default;

void Condition::And(std::string_view text, std::string parameter) {
  parameters.emplace_back(std::move(parameter));
  sql += " AND " + fmt::format(fmt::runtime(text), fmt::format("${}", parameters.size()));
}

TimeExpression TimeOf(std::string_view option, std::string_view text) {
  static const RE2 span("(\\d{1,6})([dhw])"), date("\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}:\\d{2}Z)?");
  std::string number, unit;
  if (RE2::FullMatch(text, span, &number, &unit))
    return {"now() - {}::interval", number + (unit == "d" ? " days" : unit == "h" ? " hours" : " weeks")};
  if (RE2::FullMatch(text, date)) return {"{}::timestamptz", std::string(text)};
  throw Error(fmt::format("{} takes a span before now, such as 7d, 36h or 2w, or a date such as 2026-11-21, not '{}'.",
                          option, text));
}

Condition ConditionOf(const FleetFilter& filter) {
  Condition condition;
  if (!filter.runs.empty()) {
    std::vector<std::string> uuids, labels;
    for (const std::string& run : filter.runs) {
      labels.push_back(AsUtf8(run));
      if (IsUuidPrefix(run)) uuids.push_back(run + "%");
    }
    condition.parameters = {ArrayOf(uuids), ArrayOf(labels)};
    condition.sql = "(r.uuid::text LIKE ANY ($1::text[]) OR r.label = ANY ($2::text[]))";
  }
  if (!filter.branch.empty()) condition.And("r.branch = {}", AsUtf8(filter.branch));
  if (!filter.git_sha.empty()) condition.And("r.git_sha LIKE {}", Escaped(AsUtf8(filter.git_sha)) + "%");
  if (!filter.gpu.empty()) condition.And("g.name ILIKE {}", "%" + Escaped(AsUtf8(filter.gpu)) + "%");
  if (!filter.workload.empty()) condition.And("w.name ILIKE {}", "%" + Escaped(AsUtf8(filter.workload)) + "%");
  if (!filter.since.empty()) {
    const TimeExpression time = TimeOf("--since", filter.since);
    condition.And("r.started >= " + time.sql, time.parameter);
  }
  if (!filter.until.empty()) {
    const TimeExpression time = TimeOf("--until", filter.until);
    condition.And("r.started < " + time.sql, time.parameter);
  }
  if (!filter.kernel.empty())
    condition.And(
        "EXISTS (SELECT FROM kernel_time t JOIN launch_class c ON c.id = t.class_id WHERE t.run_id = r.id AND "
        "c.kernel LIKE {})",
        Escaped(AsUtf8(filter.kernel)) + "%");
  return condition;
}

FleetRunSummary RunOf(const Rows& rows, int row) {
  int column = 0;
  const auto text = [&] { return std::string(rows.Text(row, column++)); };
  FleetRunSummary run;
  run.id = rows.Integer(row, column++);
  run.uuid = text();
  run.started = text();
  run.label = text();
  run.git_sha = text();
  run.branch = text();
  run.workload = text();
  run.gpu = text();
  run.gpu_uuids = text();
  run.driver = text();
  run.cuda = text();
  run.launches = rows.Integer(row, column++);
  run.metric_values = rows.Integer(row, column++);
  run.archive_bytes = rows.Integer(row, column++);
  run.pruned = text() == "t";
  run.gpu_us = rows.Real(row, column++);
  run.gpu_id = rows.Integer(row, column++);
  run.workload_id = rows.Integer(row, column++);
  return run;
}

bool Fleet::IsAlive() const { return impl_->server.IsAlive(); }

bool Fleet::CanRead() const {
  return impl_->server.Query("ask for rights", "SELECT has_table_privilege('culprit.archive', 'SELECT')").Text(0, 0) ==
         "t";
}

std::vector<std::pair<std::string, std::string>> Fleet::Known(std::span<const std::string> uuids) {
  // Others cannot be there. Sending such a run says so of it alone.
  static const RE2 form("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
  std::vector<std::string> possible;
  for (const std::string& uuid : uuids)
    if (RE2::FullMatch(uuid, form)) possible.push_back(uuid);
  const Rows rows = impl_->server.Query("look for runs", "SELECT uuid, content FROM run WHERE uuid = ANY ($1::uuid[])",
                                        {ArrayOf(possible)});
  std::vector<std::pair<std::string, std::string>> known;
  for (int i = 0; i < rows.size(); ++i) known.emplace_back(rows.Text(i, 0), rows.Text(i, 1));
  return known;
}

std::vector<FleetRunSummary> Fleet::Find(const FleetFilter& filter) {
  const Condition condition = ConditionOf(filter);
  const Rows rows = impl_->server.Query(
      "look for runs",
      fmt::format("SELECT {} FROM {} WHERE {} ORDER BY r.started DESC, r.uuid DESC {}", kRunColumns, kRunTables,
                  condition.sql, filter.most > 0 ? fmt::format("LIMIT {}", filter.most) : ""),
      condition.parameters);
  std::vector<FleetRunSummary> runs;
  for (int i = 0; i < rows.size(); ++i) runs.push_back(RunOf(rows, i));
  std::ranges::reverse(runs);
  return runs;
}

std::optional<FleetRunSummary> Fleet::FindBase(const FleetRun& run, const std::string& base_branch) {
  const Rows rows = impl_->server.Query(
      "look for the base",
      fmt::format(
          "SELECT {} FROM {} WHERE w.kind = $1 AND w.name = $2 AND w.command = $3 AND (g.name, g.chip, g.sm_count, "
          "g.memory_bytes) = ($4, $5, $6::integer, $7::bigint) AND r.started < $8::timestamptz AND r.branch IN "
          "($9, $10) AND EXISTS (SELECT FROM archive a WHERE a.run_id = r.id) ORDER BY r.branch = $9 DESC, "
          "r.started DESC LIMIT 1",
          kRunColumns, kRunTables),
      {run.workload.kind, AsUtf8(run.workload.name), AsUtf8(run.workload.command), AsUtf8(run.gpu.name),
       AsUtf8(run.gpu.chip), std::to_string(run.gpu.sm_count), std::to_string(FleetMemory(run.gpu)), run.started,
       AsUtf8(run.branch), AsUtf8(base_branch)});
  return rows.size() == 0 ? std::nullopt : std::optional(RunOf(rows, 0));
}

std::string Fleet::Archive(const FleetRunSummary& run) {
  std::string bytes;
  bytes.reserve(static_cast<std::size_t>(run.archive_bytes));
  impl_->server.CopyOut(
      "send a run", fmt::format("COPY (SELECT bytes FROM archive WHERE run_id = {} ORDER BY part) TO STDOUT", run.id),
      [&](std::string_view row) { AppendBytes(bytes, row); });
  if (bytes.empty())
    throw Error(fmt::format("run {} was pruned: the server has only its medians and causes (fleet_kernel_time).",
                            run.uuid.substr(0, 8)));
  if (static_cast<std::int64_t>(bytes.size()) != run.archive_bytes)
    throw Error(fmt::format("the server sent {} of the {} bytes of run {}; try again.", bytes.size(), run.archive_bytes,
                            run.uuid.substr(0, 8)));
  return bytes;
}

}  // namespace culprit
