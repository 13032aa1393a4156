// SPDX-License-Identifier: Apache-2.0
// Private to db/fleet/.
#pragma once
#include <string>
#include <vector>

#include "db/fleet/fleet.h"
#include "db/fleet/server.h"

namespace culprit {

struct Fleet::Impl {
  explicit Impl(const std::string& uri) : server(uri) {}
  Server server;
};

// A model's memory in whole GiB, because the driver's reservations change its bytes.
inline std::int64_t FleetMemory(const Device& gpu) {
  constexpr std::int64_t kGib = std::int64_t{1} << 30;
  return (gpu.memory_bytes + kGib / 2) / kGib * kGib;
}

// A condition on culprit.run r, workload w and gpu g, with parameters from $1 on.
struct Condition {
  std::string sql = "TRUE";
  std::vector<Parameter> parameters;

  // `text`: "r.branch = {}"; {} becomes the parameter's number.
  void And(std::string_view text, std::string parameter);
};

// Everything of a filter but `most`. Throws for a time that is none.
Condition ConditionOf(const FleetFilter& filter);

// "7d" or "36h" before now, "2026-11-21", or "2026-11-21T00:25:46Z", as an SQL expression with one parameter {}.
struct TimeExpression {
  std::string sql;
  std::string parameter;
};
TimeExpression TimeOf(std::string_view option, std::string_view text);

inline constexpr const char* kRunColumns =
    "r.id, r.uuid, to_char(r.started, 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'), r.label, r.git_sha, r.branch, w.name, g.name, "
    "r.gpu_uuids, r.driver, r.cuda, r.launches, r.metric_values, r.archive_bytes, "
    "NOT EXISTS (SELECT FROM archive a WHERE a.run_id = r.id), r.gpu_us, r.gpu_id, r.workload_id";
inline constexpr int kRunColumnCount = 18;
inline constexpr const char* kRunTables = "run r JOIN workload w ON w.id = r.workload_id JOIN gpu g ON g.id = r.gpu_id";
FleetRunSummary RunOf(const Rows& rows, int row);

}  // namespace culprit
