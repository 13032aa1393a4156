// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <utility>

#include "analysis/cli/command.h"
#include "analysis/launch/command.h"
#include "analysis/launch/how_to_measure.h"
#include "analysis/number/printable.h"
#include "analysis/show/render/tabulate.h"
#include "analysis/show/report/run_header.h"

namespace culprit {
namespace {

using Row = ListedRun;

// The beginning of its UUID that names it among these, as --run takes it: a person types no 36 characters.
std::string NameOf(const Row& row, const std::vector<Row>& rows) {
  constexpr std::size_t kLeast = 8;
  const std::string& uuid = row.run.run.uuid;
  for (std::size_t length = kLeast; length < uuid.size(); ++length) {
    const std::string name = uuid.substr(0, length);
    if (std::ranges::count_if(rows, [&](const Row& r) { return r.run.run.uuid.starts_with(name); }) == 1) return name;
  }
  return uuid;
}

// A tool may not name the GPU that was there.
std::string NamedGpu(const Row& row) {
  if (!row.damage.empty()) return "not known";
  return row.run.run.device ? row.run.run.device->name : row.run.run.program ? "not named" : "none";
}

// Its command without the folder of the program, and no more of it than tells runs apart.
std::string Short(const RunRecord& run) {
  constexpr std::size_t kMost = 48;
  return Printable(WithoutFolderOfProgram(run.command_line), kMost);
}

template <class Get>
auto Text(Get get) {
  return [get](const Row& row) -> std::string { return std::invoke(get, row.run.run); };
}

// Of a damaged run nothing was counted.
auto Count(int RunSummary::*count) {
  return [count](const Row& row) { return row.damage.empty() ? Measured(row.run.*count) : Measured(); };
}

// `sampled`: runs that hold samples of instructions.
std::string Profile(const RunSummary& run, const std::set<Value>& sampled) {
  const bool only_lines = run.run.profile == "none" && sampled.contains(run.id);
  return only_lines ? "lines" : run.run.profile;
}

std::set<Value> Sampled(const Database& database) {
  std::set<Value> runs;
  for (const auto& row :
       database
           .Query("SELECT DISTINCT run_id FROM launch WHERE id IN (SELECT launch_id FROM sampling WHERE samples > 0)")
           .rows)
    runs.insert(row.front());
  return runs;
}

Report Build(const std::vector<Row>& rows, const std::set<Value>& sampled) {
  Report report{"runs", "Recorded runs, newest first"};
  const bool no_programs = std::ranges::none_of(rows, [](const Row& r) { return r.run.run.program.has_value(); });
  const bool no_foreign = std::ranges::none_of(
      rows, [](const Row& r) { return r.run.run.program.has_value() && !IsFrom(r.run.run, ProgramSource::kRecord); });
  ReportTable table =
      Tabulate<Row>("runs", "", rows,
                    {{"run", "Run", [&](const Row& r) { return NameOf(r, rows); }},
                     {"run_uuid", "UUID", Text(&RunRecord::uuid), true},
                     {"recorded_utc", "Started", Text(&RunRecord::started_utc)},
                     {"run_label", "Label", Text(&RunRecord::label)},
                     {"run_state", "State", [](const Row& r) { return r.damage.empty() ? r.run.state : "damaged"; }},
                     {"program", "From", Text(SourceName), no_foreign},
                     {"command", "Command", Text(&RunRecord::command_line), true},
                     {"command_short", "Command", Text(Short), no_programs},
                     {"gpu", "GPU", NamedGpu},
                     {"driver", "Driver", Text([](const RunRecord& run) { return run.toolchain.driver; })},
                     {"profile", "Profile", [&](const Row& r) { return Profile(r.run, sampled); }},
                     {"l2", "L2", Text(&RunRecord::l2)},
                     {"launches", "Launches", Unit::kCount, Count(&RunSummary::launches)},
                     {"failed", "Failed", Unit::kCount, Count(&RunSummary::failed)},
                     {"samples", "Samples", Unit::kCount, Count(&RunSummary::samples)},
                     {"metric_values", "Metric values", Unit::kCount, Count(&RunSummary::metric_values)},
                     {"damage", "Damage", &Row::damage, true}});
  Section section{"list", "", {}, {std::move(table)}};
  if (rows.empty())
    section.notes.push_back(
        "None yet: record one with culprit record ./my_program, or import one with culprit import.");
  for (const Row& row : rows)
    if (!row.damage.empty())
      section.notes.push_back(fmt::format(
          "Run {} is damaged: {}. Record it again, or leave it out: culprit export --run UUID exports the others.",
          NameOf(row, rows), row.damage));
  report.sections.push_back(std::move(section));
  return report;
}

}  // namespace

Action AddRuns(Syntax& syntax) {
  auto args = std::make_shared<ReportOptions>();
  AddReportOptions(syntax, *args);
  return [args](Streams& streams) {
    const Database database = Database::OpenForReading(args->db);
    Render(Build(database.ListRuns(), Sampled(database)), args->output, streams);
  };
}

}  // namespace culprit
