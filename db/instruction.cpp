// SPDX-License-Identifier: Apache-2.0
// Stores and reads counts of single instructions.
#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

#include "db/database_impl.h"
#include "db/failure.h"
#include "db/read.h"
#include "db/rows.h"

namespace culprit {
namespace {

// The launch's metrics: instruction counts are parts of its readings.
std::map<std::string, std::int64_t> MetricsOfLaunch(Connection& connection, LaunchId launch) {
  Lease row = connection.Prepared(
      "SELECT key, metric_id FROM metric_value CROSS JOIN metric ON metric.id = metric_id WHERE launch_id = ? AND "
      "source = 'sass'");
  row.Bind(launch);
  std::map<std::string, std::int64_t> metrics;
  while (row.Step()) metrics[row.Text(0)] = row.Integer(1);
  return metrics;
}

void Insert(Connection& connection, LaunchId launch, const InstructionRecord& instruction,
            const std::map<std::string, std::int64_t>& metrics) {
  const std::int64_t source = RowWith(connection, "function_source", instruction.function, instruction.source_file).id;
  InsertRow(connection, "instruction", launch, source, instruction.pc_offset, instruction.source_line,
            instruction.opcode);
  const std::int64_t id = connection.LastRowId();
  Lease insert = connection.Prepared(InsertText("instruction_value"));
  for (const auto& [metric, value] : instruction.counts) {
    const auto known = metrics.find(metric);
    if (known == metrics.end())
      throw Error(
          fmt::format("cannot store {} of an instruction: store the readings of launch {} first, with that "
                      "metric",
                      metric, launch));
    if (!RangeOf("instruction_value", "value").Holds(value))
      throw Error(fmt::format("cannot store {} of an instruction: leave out what was not counted", metric));
    insert.Bind(id, known->second, value).Run();
  }
}

}  // namespace

void Database::StoreInstructions(LaunchId launch, std::span<const InstructionRecord> instructions) {
  impl_->WriteOf(launch, "store the counts of instructions", [&](Connection& connection) {
    connection.Prepared("DELETE FROM instruction WHERE launch_id = ?").Bind(launch).Run();
    const auto metrics = MetricsOfLaunch(connection, launch);
    std::set<std::pair<std::string_view, std::int64_t>> stored;
    for (const InstructionRecord& instruction : instructions) {
      if (!stored.insert({instruction.function, instruction.pc_offset}).second)
        throw Error(fmt::format("cannot store the instruction at {:#x} of {} twice: add its counts up first",
                                instruction.pc_offset, instruction.function));
      Insert(connection, launch, instruction, metrics);
    }
  });
}

std::vector<InstructionRecord> Database::Instructions(LaunchId launch) const {
  return impl_->Read(RunOf(impl_->connection, launch), "read the counts of instructions", [&](Connection& connection) {
    Lease row = connection.Prepared(
        "SELECT instruction.id, function, pc_offset, source_file, source_line, opcode, key, value FROM instruction "
        "CROSS JOIN function_source ON function_source.id = function_source_id LEFT JOIN instruction_value ON "
        "instruction_id = instruction.id LEFT JOIN metric ON metric.id = metric_id "
        "WHERE launch_id = ? ORDER BY function, pc_offset");
    row.Bind(launch);
    std::vector<InstructionRecord> instructions;
    std::int64_t current = 0;
    while (row.Step()) {
      if (instructions.empty() || row.Integer(0) != current) {
        current = row.Integer(0);
        instructions.push_back({row.Text(1),
                                row.Integer(2, RangeOf("instruction", "pc_offset")),
                                row.Text(3),
                                row.Int(4, RangeOf("instruction", "source_line")),
                                {},
                                row.Text(5)});
      }
      if (!row.IsNull(6)) instructions.back().counts[row.Text(6)] = row.Real(7, RangeOf("instruction_value", "value"));
    }
    return instructions;
  });
}

}  // namespace culprit
