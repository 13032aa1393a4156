// SPDX-License-Identifier: Apache-2.0
// Deletes what is no longer wanted, and writes tables for other programs.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "db/fleet/fleet_impl.h"

namespace culprit {
namespace {

constexpr std::array<std::string_view, 3> kTables = {"fleet_kernel_time", "fleet_metric", "fleet_run"};

}  // namespace

Fleet::Pruned Fleet::Prune(const std::string& before, bool counters, bool only_count) {
  Server& server = impl_->server;
  const TimeExpression time = TimeOf("--older-than", before);
  const std::string old =
      fmt::format("SELECT id FROM run WHERE started < {}", fmt::format(fmt::runtime(time.sql), "$1"));
  const std::array<Parameter, 1> parameters = {time.parameter};
  Pruned pruned;
  server.InTransaction("prune", [&] {
    const Rows counted = server.Query(
        "count what is old",
        fmt::format(
            "SELECT count(DISTINCT run_id), coalesce(sum(length(bytes)), 0)::bigint FROM archive WHERE run_id IN ({})",
            old),
        parameters);
    pruned = {counted.Integer(0, 0), counted.Integer(0, 1)};
    if (only_count) return;
    server.Query("delete archives", fmt::format("DELETE FROM archive WHERE run_id IN ({})", old), parameters);
    if (counters)
      server.Query("delete counters", fmt::format("DELETE FROM metric_values WHERE run_id IN ({})", old), parameters);
  });
  return pruned;
}

std::span<const std::string_view> Fleet::CsvTables() { return kTables; }

void Fleet::Csv(std::string_view table, std::ostream& out) {
  if (std::ranges::find(kTables, table) == kTables.end())
    throw Error(fmt::format("the server has no table {} for export; it has {}.", table, fmt::join(kTables, ", ")));
  impl_->server.CopyOut("write a table", fmt::format("COPY (SELECT * FROM {}) TO STDOUT (FORMAT csv, HEADER)", table),
                        [&](std::string_view row) { out << row; });
}

}  // namespace culprit
