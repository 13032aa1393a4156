// SPDX-License-Identifier: Apache-2.0
// What a command is, and the options that commands share.
#pragma once
#include <functional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>

#include "analysis/cli/output.h"
#include "analysis/cli/syntax.h"
#include "analysis/render/report.h"
#include "db/database.h"

namespace culprit {

struct Streams {
  std::ostream& out;
  std::ostream& err;
  bool terminal;
  int exit_status = 0;  // of a command that ran; what could not run throws
};

// Runs a command whose arguments have been parsed.
using Action = std::function<void(Streams&)>;

// Headings of the help, in its order.
constexpr std::string_view kEveryday = "Everyday";
constexpr std::string_view kFurther = "Further questions";
constexpr std::string_view kStorage = "Storage";
constexpr std::string_view kAbout = "About the command itself";
constexpr std::string_view kSeeds = "The seeds: five published articles on matrix products, with which this began";

struct Command {
  std::string_view name;
  std::string_view group;
  std::string_view summary;
  std::string_view example;  // one real command line
  Action (*add)(Syntax&);    // says what it takes, which is filled in before the Action runs
};

// In the order of the help text.
std::span<const Command> Commands();
Syntax SyntaxOf(const Command& command);  // to read; its destinations are gone

// --db, which may stand before the command's name as well as after it; the one after it counts.
struct DatabaseOption {
  std::string file;

  const std::string& File() const { return file; }
};
inline constexpr const char* kDatabaseHelp = "measurement database (default: $CULPRIT_DB, else culprit.db)";
void AddDatabaseOption(Syntax& syntax, DatabaseOption& option);

// --run, --shape, --gpu. The defaults complete the help; without one for the shape there is no --shape.
void AddSelector(Syntax& syntax, Selector& selector, std::string_view default_shape = "the largest square",
                 std::string_view default_run = "the newest complete run");
// And which of several launches of a stage at a shape; of two stages, where --shape may name one for each.
void AddLaunchSelector(Syntax& syntax, Selector& selector);
void AddPairSelector(Syntax& syntax, Selector& selector);

// One function per command, each in its own file.
Action AddRecord(Syntax& syntax);
Action AddRuns(Syntax& syntax);
Action AddStages(Syntax& syntax);
Action AddShow(Syntax& syntax);
Action AddCompare(Syntax& syntax);
Action AddWhy(Syntax& syntax);
Action AddVersus(Syntax& syntax);
Action AddAb(Syntax& syntax);
Action AddHistory(Syntax& syntax);
Action AddBanks(Syntax& syntax);
Action AddQuery(Syntax& syntax);
Action AddReport(Syntax& syntax);
Action AddStudy(Syntax& syntax);
Action AddCheck(Syntax& syntax);
Action AddReproduce(Syntax& syntax);
Action AddClaims(Syntax& syntax);
Action AddCalibrate(Syntax& syntax);
Action AddCauses(Syntax& syntax);
Action AddExport(Syntax& syntax);
Action AddImport(Syntax& syntax);
Action AddHelp(Syntax& syntax);
Action AddCompletion(Syntax& syntax);
Action AddMachine(Syntax& syntax);
Action AddManual(Syntax& syntax);

}  // namespace culprit
