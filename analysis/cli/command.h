// SPDX-License-Identifier: Apache-2.0
// A command, and the options that commands share.
#pragma once
#include <functional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>

#include "analysis/cli/output.h"
#include "analysis/cli/syntax.h"
#include "analysis/show/render/report.h"
#include "db/database.h"

namespace culprit {

struct Streams {
  std::ostream& out;
  std::ostream& err;
  bool terminal;
  int exit_status = 0;  // set by a command that ran; a command that cannot run throws
};

// Runs a command after its arguments were parsed.
using Action = std::function<void(Streams&)>;

// Headings of the help, in order.
constexpr std::string_view kEveryday = "Everyday";
constexpr std::string_view kFurther = "Further questions";
constexpr std::string_view kStorage = "Storage";
constexpr std::string_view kFleet = "Many machines, in PostgreSQL";
constexpr std::string_view kAbout = "About the command itself";

struct Command {
  std::string_view name;
  std::string_view group;
  std::string_view summary;
  std::string_view example;  // one real command line
  Action (*add)(Syntax&);    // adds the options; the parser sets their values before the Action runs
};

// In the order of the help text.
std::span<const Command> Commands();

// A command of an earlier version, and the command that replaces it.
struct RenamedCommand {
  std::string_view name, now;
};

// A program that consists of commands.
struct Tool {
  std::string_view name, summary;
  std::span<const Command> commands;
  std::span<const RenamedCommand> renamed = {};
};
const Tool& CulpritTool();
Syntax SyntaxOf(const Command& command);  // only to read: its Option::into point to destroyed values

// --db, before or after the command's name; the one after it wins.
inline constexpr const char* kDatabaseHelp = "measurement database (default: $CULPRIT_DB, else culprit.db)";
void AddDatabaseOption(Syntax& syntax, std::string& file);

// What every command takes that writes a report. `also`: further formats that only this command writes.
struct ReportOptions {
  std::string db;
  OutputOptions output;
};
void AddReportOptions(Syntax& syntax, ReportOptions& options, const std::vector<std::string>& also = {});

// Adds --run, --shape, --gpu. The help names the defaults; without a default shape there is no --shape.
void AddSelector(Syntax& syntax, Selector& selector, std::string_view default_shape = "the largest square",
                 std::string_view default_run = "the newest complete run");
// Also adds the choice among several launches of a stage at a shape.
void AddLaunchSelector(Syntax& syntax, Selector& selector, std::string_view default_shape);

// "2%", "2 %" or "2" gives 0.02. Throws culprit::Error that names the `option`.
double ParsePercent(const char* option, const std::string& text);

// One function per command, each in its own file.
Action AddRecord(Syntax& syntax);
Action AddRuns(Syntax& syntax);
Action AddList(Syntax& syntax);
Action AddShow(Syntax& syntax);
Action AddAnnotate(Syntax& syntax);
Action AddDoctor(Syntax& syntax);
Action AddWhy(Syntax& syntax);
Action AddVersus(Syntax& syntax);
Action AddHistory(Syntax& syntax);
Action AddBanks(Syntax& syntax);
Action AddQuery(Syntax& syntax);
Action AddReport(Syntax& syntax);
Action AddStudy(Syntax& syntax);
Action AddTimeline(Syntax& syntax);
Action AddCheck(Syntax& syntax);
Action AddCauses(Syntax& syntax);
Action AddExport(Syntax& syntax);
Action AddImport(Syntax& syntax);
Action AddPush(Syntax& syntax);
Action AddPull(Syntax& syntax);
Action AddRegressions(Syntax& syntax);
Action AddPrune(Syntax& syntax);
Action AddSetup(Syntax& syntax);
Action AddHelp(Syntax& syntax);
Action AddCompletion(Syntax& syntax);
Action AddMachine(Syntax& syntax);
Action AddManual(Syntax& syntax);
Action AddMcp(Syntax& syntax);

}  // namespace culprit
