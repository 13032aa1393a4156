// SPDX-License-Identifier: Apache-2.0
// Stages and builds.
#include "db/database_impl.h"
#include "db/failure.h"
#include "db/read.h"
#include "db/shared_access_text.h"

namespace culprit {

ReadingStatus StatusOf(std::string_view text) {
  for (const auto status : {ReadingStatus::kOk, ReadingStatus::kUnsupported, ReadingStatus::kDenied})
    if (text == ToText(status)) return status;
  return ReadingStatus::kFailed;
}

std::vector<StaticAttribute> LoadAttributes(Connection& connection, std::int64_t build) {
  Lease row = connection.Prepared(SelectText("static_attribute") + " WHERE build_id = ? ORDER BY name, source");
  row.Bind(build);
  std::vector<StaticAttribute> attributes;
  while (row.Step())
    attributes.push_back({row.Text(At("static_attribute", "name")), row.Text(At("static_attribute", "source")),
                          row.MaybeReal(At("static_attribute", "value")),
                          StatusOf(row.Text(At("static_attribute", "status")))});
  return attributes;
}

StageRecord LoadStage(Connection& connection, RunId run, std::int64_t id) {
  StageRecord stage;
  {
    Lease row = connection.Prepared(SelectText("stage") + " WHERE id = ?");
    row.Bind(id).NeedRow("a stage");
    stage = {.id = row.Text(At("stage", "key")),
             .family = row.Text(At("stage", "family")),
             .parent = row.Text(At("stage", "parent")),
             .idea = row.Text(At("stage", "idea")),
             .constraint = row.Text(At("stage", "constraint")),
             .source_file = row.Text(At("stage", "source_file")),
             .source_line = row.Int(At("stage", "source_line")),
             .factors = {}};
  }
  {
    Lease row = connection.Prepared("SELECT factor, value FROM stage_factor WHERE stage_id = ?");
    row.Bind(id);
    while (row.Step()) stage.factors[row.Text(0)] = row.Text(1);
  }
  Lease row = connection.Prepared(SelectText("shared_access") + " WHERE run_id = ? AND stage_id = ? ORDER BY position");
  row.Bind(run, id);
  while (row.Step())
    stage.shared_accesses.push_back(
        {row.Text(At("shared_access", "name")), row.Text(At("shared_access", "array")),
         row.Int(At("shared_access", "row_bytes")), SharedOpOf(row.Text(At("shared_access", "op"))),
         row.Int(At("shared_access", "lane_bytes")), AddressesOf(row.Text(At("shared_access", "addresses")))});
  return stage;
}

std::vector<StageRecord> Database::Stages(RunId run) const {
  Connection& connection = impl_->connection;
  return SayingOf(connection, run, "list the stages", [&] {
    impl_->RequireIntact(run);
    const ReadSnapshot snapshot(connection);
    Lease row = connection.Prepared("SELECT stage_id FROM run_stage WHERE run_id = ? ORDER BY position");
    row.Bind(run);
    std::vector<StageRecord> stages;
    while (row.Step()) stages.push_back(LoadStage(connection, run, row.Integer(0)));
    return stages;
  });
}

std::vector<BuildRecord> Database::Builds(RunId run) const {
  Connection& connection = impl_->connection;
  return SayingOf(connection, run, "list the builds", [&] {
    impl_->RequireIntact(run);
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
