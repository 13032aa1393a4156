// SPDX-License-Identifier: Apache-2.0
#include "analysis/cli/next_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "analysis/cli/shell_words.h"
#include "analysis/cli/stage_name.h"
#include "analysis/kernel/how_to_measure.h"
#include "analysis/kernel/recording.h"
#include "analysis/report/run_header.h"

namespace culprit {
namespace {

// As --base and --cand take it: its label, which names all executions that have it, unless that means several commands.
std::string NameOf(const Database& database, const RunRecord& run) {
  const std::vector<RunSummary> alike = database.RunsNamed(run.label);
  const bool is_one =
      std::ranges::all_of(alike, [&](const RunSummary& other) { return other.run.command_line == run.command_line; });
  return run.label.empty() || !is_one ? ShortUuid(run) : ShellWord(run.label);
}

// The newest run before `recorded` to hold it against. Whatever else is in the database does not make a recording fail.
std::optional<RunSummary> BaseOf(const Database& database, const RunRecord& recorded) try {
  const std::vector<RunSummary> runs = database.Runs();
  const auto found = std::ranges::find(runs, recorded.uuid, [](const RunSummary& r) { return r.run.uuid; });
  if (found == runs.end()) return std::nullopt;
  const RunSummary& own = *found;
  const std::vector<NamedStage> kernels = StagesNamedIn(database, own.id);
  for (const RunSummary& run : runs) {
    const bool is_same_side = run.id == own.id || (!own.run.label.empty() && run.run.label == own.run.label);
    if (is_same_side || run.state != "complete" || !IsFrom(run.run, ProgramSource::kRecord)) continue;
    if (HaveStageInCommon(kernels, StagesNamedIn(database, run.id))) return run;
  }
  return std::nullopt;
} catch (const Error&) {
  return std::nullopt;
}

}  // namespace

std::string NextCommand(const Database& database, const RunRecord& run, const std::vector<std::string>& words,
                        const std::string& db) {
  if (const std::optional<RunSummary> base = BaseOf(database, run))
    return fmt::format("culprit why{} --base {} --cand {}", db, NameOf(database, base->run), NameOf(database, run));
  const std::string other = run.label == "after" ? "changed" : "after";
  return fmt::format(
      "change the program, then culprit record{} --label {} -- {}, then culprit why{} --base {} --cand {}", db, other,
      ShellLine(words), db, NameOf(database, run), other);
}

}  // namespace culprit
