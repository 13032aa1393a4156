// SPDX-License-Identifier: Apache-2.0
#include "db/travel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <iterator>

#include "db/error.h"

namespace culprit {
namespace {

// Sorts rows by positions of names instead of names, because names may be long (C++ symbols, users' names) and a sort
// copies them for each row.
std::string Places(std::string_view table, std::string_view order, std::string_view id) {
  return fmt::format(
      "(SELECT id AS placed_{0}, dense_rank() OVER (ORDER BY {1}) AS {0}_place FROM {0}) ON placed_{0} = {2}", table,
      order, id);
}

std::vector<TravelTable> MakeTables() {
  using enum RowKind;
  using enum Chooses;
  const std::string functions = Places("function_source", "function", "function_source_id");
  const std::string metrics = Places("metric", "key, source, cupti_name, unit, meaning", "metric_id");
  const std::string codes = Places("code", "function, digest, listing", "code_id");
  // Rows of a table that refers to launches, those of `more` joined, by launch and then as `order` says.
  const auto of_launches = [](std::string_view table, const std::string& more = "", std::string_view order = "") {
    return fmt::format(
        "FROM launch CROSS JOIN {0} ON {0}.launch_id = launch.id {1} WHERE run_id = ?1 ORDER BY launch.id{2}{3}", table,
        more, order.empty() ? "" : ", ", order);
  };
  const auto join = [](const std::string& table) { return "CROSS JOIN " + table + " "; };
  // Rows of a shared table whose ids are among these, which refer to rows of launches of the run.
  const std::string sampled_codes =
      "SELECT code_id FROM launch CROSS JOIN sampled_code ON sampled_code.launch_id = launch.id WHERE run_id = ?1";
  const auto among = [](std::string_view table, const std::string& ids, std::string_view order) {
    return fmt::format("FROM {} WHERE id IN ({}) ORDER BY {}", table, ids, order);
  };
  const auto in_code = [&](std::string_view column) {
    return fmt::format("SELECT {} FROM code_instruction WHERE code_id IN ({})", column, sampled_codes);
  };
  const std::string values = join("instruction_value ON instruction_id = instruction.id");
  const std::string counters = "timeline_turn CROSS JOIN timeline_counter ON timeline_turn_id = timeline_turn.id ";
  const std::string samples = join("instruction_sample ON sampled_code_id = sampled_code.id");
  TravelTable tables[] = {
      {"device", kShared, "FROM device WHERE id = (SELECT device_id FROM run WHERE id = ?1)", kItself},
      {"toolchain", kShared, "FROM toolchain WHERE id = (SELECT toolchain_id FROM run WHERE id = ?1)"},
      {"run", kOwned, "FROM run WHERE id = ?1", kItself},
      {"run_checksum", kDetail, "FROM run_checksum WHERE run_id = ?1", kNo, false},
      {"stage", kShared,
       "FROM stage JOIN run_stage ON run_stage.stage_id = stage.id WHERE run_stage.run_id = ?1 ORDER BY "
       "run_stage.position",
       kLaunches},
      {"stage_factor", kDetail,
       "FROM stage_factor JOIN run_stage USING (stage_id) WHERE run_stage.run_id = ?1 ORDER BY position, factor"},
      {"run_stage", kDetail, "FROM run_stage WHERE run_id = ?1 ORDER BY position", kLaunches},
      {"build", kOwned,
       "FROM build JOIN run_stage USING (run_id, stage_id) WHERE build.run_id = ?1 ORDER BY position, arch"},
      {"static_attribute", kDetail,
       "FROM static_attribute JOIN build ON build.id = build_id JOIN run_stage USING (run_id, stage_id) WHERE "
       "build.run_id = ?1 ORDER BY position, arch, static_attribute.name, static_attribute.source"},
      {"shared_access", kDetail,
       "FROM shared_access JOIN run_stage USING (run_id, stage_id) WHERE shared_access.run_id = ?1 ORDER BY "
       "run_stage.position, shared_access.position"},
      {"launch", kOwned, "FROM launch WHERE run_id = ?1 ORDER BY id", kLaunches},
      {"sample", kDetail, of_launches("sample", "", "seq")},
      {"metric", kShared,
       among("metric",
             "SELECT metric_id FROM launch CROSS JOIN metric_value ON metric_value.launch_id = launch.id WHERE run_id "
             "= ?1 UNION SELECT metric_id FROM launch CROSS JOIN instruction ON instruction.launch_id = launch.id " +
                 values +
                 "WHERE run_id = ?1 UNION SELECT metric_id FROM launch CROSS JOIN metric_repeat ON "
                 "metric_repeat.launch_id = launch.id WHERE run_id = ?1 UNION SELECT metric_id FROM launch CROSS JOIN "
                 "phase_profile ON phase_profile.launch_id = launch.id WHERE run_id = ?1 UNION SELECT metric_id FROM " +
                 counters + "WHERE run_id = ?1 UNION SELECT metric_id FROM timeline_total WHERE run_id = ?1",
             "key, source, cupti_name, unit, meaning")},
      {"metric_value", kDetail, of_launches("metric_value", join(metrics), "metric_place")},
      {"metric_repeat", kDetail, of_launches("metric_repeat", join(metrics), "metric_place, repetition")},
      {"intervention", kDetail, of_launches("intervention", "", "kind, setting")},
      {"function_source", kShared,
       among("function_source",
             "SELECT function_source_id FROM launch CROSS JOIN instruction ON instruction.launch_id = launch.id WHERE "
             "run_id = ?1",
             "function, source_file")},
      {"instruction", kOwned, of_launches("instruction", join(functions), "function_source_place, pc_offset")},
      {"instruction_value", kDetail,
       of_launches("instruction", values + join(functions) + join(metrics),
                   "function_source_place, pc_offset, metric_place")},
      {"line_chain", kShared, among("line_chain", in_code("line_chain_id"), "source_file, source_line, frames")},
      {"machine_instruction", kShared,
       among("machine_instruction", in_code("machine_instruction_id"),
             "encoding, opcode, operands, stall_cycles, yield, write_scoreboard, read_scoreboard, wait_mask")},
      {"code", kShared, among("code", sampled_codes, "function, digest, listing")},
      {"code_instruction", kDetail,
       fmt::format("FROM code_instruction {}WHERE code_id IN ({}) ORDER BY code_place, pc_offset", join(codes),
                   sampled_codes)},
      {"sampling", kDetail, of_launches("sampling")},
      {"sampled_code", kOwned, of_launches("sampled_code", join(codes), "code_place")},
      {"sample_reason", kShared,
       among("sample_reason",
             "SELECT sample_reason_id FROM launch CROSS JOIN sampled_code ON sampled_code.launch_id = launch.id " +
                 samples + "WHERE run_id = ?1",
             "name")},
      {"instruction_sample", kDetail,
       of_launches("sampled_code", join(codes) + samples + join("sample_reason ON sample_reason.id = sample_reason_id"),
                   "code_place, instruction_sample.pc_offset, sample_reason.name")},
      {"source_text", kDetail, "FROM source_text WHERE run_id = ?1 ORDER BY source_file, source_line"},
      {"program", kDetail, "FROM program WHERE run_id = ?1", kItself},
      {"program_copy", kDetail, "FROM program_copy WHERE run_id = ?1 ORDER BY kind"},
      {"program_process", kDetail, "FROM program_process WHERE run_id = ?1 ORDER BY process"},
      {"run_version", kDetail, "FROM run_version WHERE run_id = ?1 ORDER BY name"},
      {"program_launch", kDetail, of_launches("program_launch")},
      {"python_frame", kDetail, of_launches("python_frame", "", "depth")},
      {"timeline", kDetail, "FROM timeline WHERE run_id = ?1"},
      {"timeline_window", kDetail, "FROM timeline_window WHERE run_id = ?1 ORDER BY start_ns"},
      {"timeline_range", kDetail, "FROM timeline_range WHERE run_id = ?1 ORDER BY number"},
      {"timeline_launch", kDetail, of_launches("timeline_launch", "", "seq")},
      {"timeline_copy", kDetail, "FROM timeline_copy WHERE run_id = ?1 ORDER BY seq"},
      {"timeline_turn", kOwned, "FROM timeline_turn WHERE run_id = ?1 ORDER BY gpu, position"},
      {"timeline_counter", kDetail,
       fmt::format("FROM {}{}WHERE run_id = ?1 ORDER BY gpu, timeline_turn.position, metric_place", counters,
                   join(metrics))},
      {"timeline_total", kDetail,
       fmt::format("FROM timeline_total {}WHERE run_id = ?1 ORDER BY gpu, metric_place", join(metrics))},
      {"phase_profile", kDetail, of_launches("phase_profile", join(metrics), "metric_place")},
      {"machine_figure", kDetail, "FROM machine_figure WHERE run_id = ?1 ORDER BY name, setting"},
      {"warning", kOwned, "FROM warning WHERE run_id = ?1 ORDER BY id"},
  };
  for (TravelTable& table : tables) {
    table.columns = ColumnsOf(table.name);
    std::erase_if(table.columns, [](const StoredColumn& column) { return !column.travels; });
    table.insert = InsertInto(table.name, table.columns);
  }
  return {std::begin(tables), std::end(tables)};
}

}  // namespace

std::span<const TravelTable> TravelTables() {
  static const std::vector<TravelTable> tables = MakeTables();
  return tables;
}

std::vector<std::string_view> ColumnNames(const TravelTable& table) {
  std::vector<std::string_view> names;
  if (table.kind != RowKind::kDetail) names.push_back("id");
  for (const StoredColumn& column : table.columns) names.push_back(column.name());
  return names;
}

namespace {

bool IsWithin(const SQLite::Column& cell, const NumberRange& range) {
  return (cell.isInteger() || cell.isFloat()) && range.Holds(cell.getDouble());
}

// " of launch 3": the row that a message is about.
std::string Whose(const TravelTable& table, const Lease& row) {
  const bool has_id = table.kind != RowKind::kDetail;
  return fmt::format(" of {} {}", has_id ? table.name : table.columns[0].refers_to, row.Integer(0));
}

}  // namespace

void VisitRows(Connection& connection, RunId run, const std::function<void(const TravelRow&)>& visit) {
  VisitRows(connection, run, TravelTables(), visit);
}

void VisitRows(Connection& connection, RunId run, std::span<const TravelTable> tables,
               const std::function<void(const TravelRow&)>& visit) {
  for (const TravelTable& table : tables) {
    std::vector<std::string> selected;
    for (const std::string_view column : ColumnNames(table))
      selected.push_back(fmt::format("{}.\"{}\"", table.name, column));
    Lease row = connection.Prepared(fmt::format("SELECT {} {}", fmt::join(selected, ", "), table.rows_of_run));
    row.Bind(run);
    const bool has_id = table.kind != RowKind::kDetail;
    const int first = has_id ? 1 : 0;
    std::vector<std::pair<int, const NumberRange*>> ranges;
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      if (table.columns[i].has_range) ranges.emplace_back(first + static_cast<int>(i), &table.columns[i].range);
    while (row.Step()) {
      for (const auto& [column, range] : ranges)
        if (const SQLite::Column cell = row.statement().getColumn(column); !cell.isNull() && !IsWithin(cell, *range))
          NumberOf(cell, *range, Whose(table, row));  // throws
      visit({table, has_id ? row.Integer(0) : 0, row.statement(), first});
    }
  }
}

void CheckBelonging(Connection& connection, std::string_view name) {
  const auto check = [&](const std::string& sql, std::string_view what) {
    Lease row = connection.Prepared(sql);
    if (row.Step()) throw Error(fmt::format("{}: {}, which no recording writes", name, what));
  };
  for (const auto& [table, row] :
       {std::pair{"launch", "a launch"}, {"build", "a build"}, {"shared_access", "a shared access"}})
    check(fmt::format("SELECT 1 FROM {} AS r WHERE NOT EXISTS (SELECT 1 FROM run_stage AS s WHERE s.run_id = r.run_id "
                      "AND s.stage_id = r.stage_id)",
                      table),
          fmt::format("{} is of a stage that its run does not offer", row));
  constexpr std::array kRules = {
      std::pair{"SELECT 1 FROM warning JOIN launch ON launch.id = warning.launch_id WHERE launch.run_id IS NOT "
                "warning.run_id",
                "a warning names a launch of another run"},
      std::pair{
          "SELECT 1 FROM launch GROUP BY run_id, stage_id, shape HAVING min(ordinal) <> 0 OR max(ordinal) >= count(*)",
          "the launches of a stage at a shape are not numbered 0, 1, 2"},
      std::pair{"SELECT 1 FROM run_stage JOIN stage ON stage.id = stage_id GROUP BY run_id, key HAVING count(*) > 1",
                "a run offers two stages of one key"},
  };
  for (const auto& [sql, what] : kRules) check(sql, what);
}

std::int64_t MappedId(const IdMap& ids, const TravelTable& table, const StoredColumn& column, std::int64_t id) {
  if (const auto of_table = ids.find(column.refers_to); of_table != ids.end())
    if (const auto found = of_table->second.find(id); found != of_table->second.end()) return found->second;
  throw Error(fmt::format("a row of {} refers to a row of {} that is not there", table.name, column.refers_to));
}

std::vector<RunId> RunsInTravelOrder(Connection& connection) {
  return connection.Prepared("SELECT id FROM run ORDER BY started_utc, uuid").Integers();
}

}  // namespace culprit
