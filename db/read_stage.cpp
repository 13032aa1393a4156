// SPDX-License-Identifier: Apache-2.0
// Reads stages and builds.
#include "db/database_impl.h"
#include "db/fields.h"
#include "db/shared_access_text.h"

namespace culprit {

std::vector<StaticAttribute> LoadAttributes(Connection& connection, std::int64_t build) {
  const std::string sql = SelectText("static_attribute") + " WHERE build_id = ? ORDER BY name, source";
  return connection.Prepared(sql).Bind(build).All<StaticAttribute>();
}

StageRecord LoadStage(Connection& connection, RunId run, std::int64_t id) {
  StageRecord stage;
  {
    Lease row = connection.Prepared(SelectText("stage") + " WHERE id = ?");
    row.Bind(id).NeedRow("a stage");
    row.Read(stage);
  }
  {
    Lease row = connection.Prepared("SELECT factor, value FROM stage_factor WHERE stage_id = ?");
    row.Bind(id);
    while (row.Step()) stage.factors[row.Text(0)] = row.Text(1);
  }
  Lease row = connection.Prepared(SelectText("shared_access") + " WHERE run_id = ? AND stage_id = ? ORDER BY position");
  row.Bind(run, id);
  while (row.Step()) {
    SharedAccess& access = stage.shared_accesses.emplace_back();
    int position = 0;
    std::string op, addresses;
    row.Read(At("shared_access", "name"),
             std::tie(access.name, position, access.array, access.row_bytes, op, access.lane_bytes, addresses));
    access.op = SharedOpOf(op);
    access.address = AddressesOf(addresses);
  }
  return stage;
}

std::vector<StageRecord> Database::Stages(RunId run) const {
  return impl_->Read(run, "list the stages", [&](Connection& connection) {
    const ReadSnapshot snapshot(connection);
    Lease row = connection.Prepared("SELECT stage_id FROM run_stage WHERE run_id = ? ORDER BY position");
    std::vector<StageRecord> stages;
    for (const std::int64_t stage : row.Bind(run).Integers()) stages.push_back(LoadStage(connection, run, stage));
    return stages;
  });
}

std::vector<BuildRecord> Database::Builds(RunId run) const {
  return impl_->Read(run, "list the builds", [&](Connection& connection) {
    const ReadSnapshot snapshot(connection);
    Lease row = connection.Prepared(
        "SELECT stage.key, arch, kernel, cubin_digest, build.id FROM build JOIN stage ON stage.id = build.stage_id "
        "LEFT JOIN run_stage ON run_stage.run_id = build.run_id AND run_stage.stage_id = build.stage_id "
        "WHERE build.run_id = ? ORDER BY position, arch");
    row.Bind(run);
    std::vector<BuildRecord> builds;
    while (row.Step())
      builds.push_back(
          {row.Text(0), row.Text(1), row.Text(2), row.Text(3), LoadAttributes(connection, row.Integer(4))});
    return builds;
  });
}

}  // namespace culprit
