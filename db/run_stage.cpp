// SPDX-License-Identifier: Apache-2.0
// Stores the stages and builds that a run's binary offers.
#include "db/run_stage.h"

#include <fmt/format.h>

#include <set>

#include "db/database_impl.h"
#include "db/json_text.h"
#include "db/rows.h"
#include "db/shared_access_text.h"

namespace culprit {
namespace {

std::int64_t RowOf(Connection& connection, const StageRecord& s) {
  const FoundRow row = RowWith(connection, "stage", Fields(s), FactorsAsJson(s.factors));
  if (row.is_new)
    for (const auto& [factor, value] : s.factors) InsertRow(connection, "stage_factor", row.id, factor, value);
  return row.id;
}

// A key names one row within a run: changing a stage's text moves its measurements to the new row.
void Join(Connection& connection, RunId run, std::int64_t stage, std::string_view key) {
  const std::optional<std::int64_t> before = FindStageOfRun(connection, run, key);
  if (before == stage) return;
  if (!before) {
    connection
        .Prepared(
            "INSERT INTO run_stage (run_id, stage_id, position) "
            "VALUES (?1, ?2, (SELECT 1 + coalesce(max(position), 0) FROM run_stage WHERE run_id = ?1))")
        .Bind(run, stage)
        .Run();
    return;
  }
  for (const char* sql : {"UPDATE run_stage SET stage_id = ?1 WHERE run_id = ?2 AND stage_id = ?3",
                          "UPDATE launch SET stage_id = ?1 WHERE run_id = ?2 AND stage_id = ?3",
                          "UPDATE build SET stage_id = ?1 WHERE run_id = ?2 AND stage_id = ?3",
                          "UPDATE shared_access SET stage_id = ?1 WHERE run_id = ?2 AND stage_id = ?3"})
    connection.Prepared(sql).Bind(stage, run, *before).Run();
}

void StoreSharedAccesses(Connection& connection, RunId run, std::int64_t stage, const StageRecord& record) {
  connection.Prepared("DELETE FROM shared_access WHERE run_id = ? AND stage_id = ?").Bind(run, stage).Run();
  std::set<std::string_view> names;
  for (const SharedAccess& access : record.shared_accesses) {
    if (!names.insert(access.name).second)
      throw Error(fmt::format("cannot store stage '{}': it states two shared accesses called '{}', name them apart",
                              record.id, access.name));
    InsertRow(connection, "shared_access", run, stage, access.name, static_cast<int>(names.size()), access.array,
              access.row_bytes, access.op, access.lane_bytes, AddressesAsJson(access.address));
  }
}

void StoreBuild(Connection& connection, RunId run, std::int64_t stage, const BuildRecord& build) {
  connection.Prepared("DELETE FROM build WHERE run_id = ? AND stage_id = ? AND arch = ?")
      .Bind(run, stage, build.arch)
      .Run();
  InsertRow(connection, "build", run, stage, build.arch, build.kernel, build.cubin_digest);
  const std::int64_t id = connection.LastRowId();
  for (const StaticAttribute& attribute : build.attributes) {
    StaticAttribute stored = attribute;
    stored.value = Measurement(attribute.value, RangeOf("static_attribute", "value"));
    if (attribute.value && !stored.value) stored.status = ReadingStatus::kFailed;
    InsertRow(connection, "static_attribute", id, Fields(stored));
  }
}

}  // namespace

std::string FactorsAsJson(const std::map<std::string, std::string>& factors) {
  std::string json = "{";
  for (const auto& [factor, value] : factors) {
    if (json.size() > 1) json += ',';
    json += JsonString(factor) + ':' + JsonString(value);
  }
  return json + '}';
}

std::optional<std::int64_t> FindStageOfRun(Connection& connection, RunId run, std::string_view key) {
  // Searches by key, which has few rows; a run may have thousands of stages.
  Lease row = connection.Prepared(
      "SELECT stage.id FROM stage CROSS JOIN run_stage ON run_id = ? AND stage_id = stage.id WHERE key = ?");
  return row.Bind(run, key).Step() ? std::optional(row.Integer(0)) : std::nullopt;
}

std::int64_t StageOfRun(Connection& connection, RunId run, std::string_view key) {
  if (const auto stage = FindStageOfRun(connection, run, key)) return *stage;
  throw Error(fmt::format("cannot store a launch of '{}': store the stage in run {} first", key, run));
}

void Database::StoreStage(RunId run, const StageRecord& stage, std::span<const BuildRecord> builds) {
  impl_->Write("store a stage", [&](Connection& connection) {
    const std::int64_t id = RowOf(connection, stage);
    Join(connection, run, id, stage.id);
    StoreSharedAccesses(connection, run, id, stage);
    for (const BuildRecord& build : builds) {
      if (build.stage != stage.id)
        throw Error(fmt::format("cannot store a build of '{}' with stage '{}': pass each stage its own builds",
                                build.stage, stage.id));
      StoreBuild(connection, run, id, build);
    }
  });
}

}  // namespace culprit
