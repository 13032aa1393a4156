// SPDX-License-Identifier: Apache-2.0
// Stages and their builds as a run's binary offered them.
#include "db/run_stage.h"

#include <fmt/format.h>

#include <set>

#include "db/database_impl.h"
#include "db/failure.h"
#include "db/rows.h"
#include "db/shared_access_text.h"

namespace culprit {
namespace {

std::string JsonString(std::string_view text) {
  std::string json = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      json += '\\';
      json += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      json += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      json += c;
    }
  }
  return json + '"';
}

std::int64_t RowOf(Connection& connection, const StageRecord& s) {
  const FoundRow row = RowWith(connection, "stage", s.id, s.family, s.parent, s.idea, s.constraint, s.source_file,
                               s.source_line, FactorsAsJson(s.factors));
  if (row.is_new)
    for (const auto& [factor, value] : s.factors) InsertRow(connection, "stage_factor", row.id, factor, value);
  return row.id;
}

// Within a run a key names one row: restating a stage in other words moves what was measured of it along.
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
              access.row_bytes, ToText(access.op), access.lane_bytes, AddressesAsJson(access.address));
  }
}

void StoreBuild(Connection& connection, RunId run, std::int64_t stage, const BuildRecord& build) {
  connection.Prepared("DELETE FROM build WHERE run_id = ? AND stage_id = ? AND arch = ?")
      .Bind(run, stage, build.arch)
      .Run();
  InsertRow(connection, "build", run, stage, build.arch, build.kernel, build.cubin_digest);
  const std::int64_t id = connection.LastRowId();
  for (const StaticAttribute& attribute : build.attributes) {
    const std::optional<double> value = Measurement(attribute.value, RangeOf("static_attribute", "value"));
    InsertRow(connection, "static_attribute", id, attribute.name, attribute.source, value,
              ToText(value || !attribute.value ? attribute.status : ReadingStatus::kFailed));
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
  // A key has few rows of stage, a run may have thousands of stages.
  Lease row = connection.Prepared(
      "SELECT stage.id FROM stage CROSS JOIN run_stage ON run_id = ? AND stage_id = stage.id WHERE key = ?");
  return row.Bind(run, key).Step() ? std::optional(row.Integer(0)) : std::nullopt;
}

std::int64_t StageOfRun(Connection& connection, RunId run, std::string_view key) {
  if (const auto stage = FindStageOfRun(connection, run, key)) return *stage;
  throw Error(fmt::format("cannot store a launch of '{}': store the stage in run {} first", key, run));
}

void Database::StoreStage(RunId run, const StageRecord& stage, std::span<const BuildRecord> builds) {
  Connection& connection = impl_->connection;
  Saying(connection.file(), "store a stage", [&] {
    WriteTransaction transaction(connection);
    const std::int64_t id = RowOf(connection, stage);
    Join(connection, run, id, stage.id);
    StoreSharedAccesses(connection, run, id, stage);
    for (const BuildRecord& build : builds) {
      if (build.stage != stage.id)
        throw Error(fmt::format("cannot store a build of '{}' with stage '{}': pass each stage its own builds",
                                build.stage, stage.id));
      StoreBuild(connection, run, id, build);
    }
    transaction.Commit();
  });
}

}  // namespace culprit
