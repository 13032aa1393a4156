// SPDX-License-Identifier: Apache-2.0
// What a command is, and the options that commands share.
#pragma once
#include <functional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>

#include "analysis/cli/output.h"
#include "analysis/render/report.h"
#include "db/database.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace culprit {

struct Streams {
  std::ostream& out;
  std::ostream& err;
  bool terminal;
  int exit_status = 0;  // of a command that ran; what could not run throws
};

// Runs a command whose arguments have been parsed.
using Action = std::function<void(Streams&)>;

struct Command {
  std::string_view name;
  std::string_view summary;
  std::string_view example;  // one real command line
  Action (*add)(CLI::App&);  // registers the options; they are filled in before the Action runs
};

// In the order of the help text.
std::span<const Command> Commands();

// --db, which may stand before the command's name as well as after it; the one after it counts.
struct DatabaseOption {
  std::string given;                    // after the command's name; empty when it was not
  const CLI::Option* before = nullptr;  // the program's own, which also reads $CULPRIT_DB

  std::string File() const;
};
// The program's own; call it before any command adds its.
void AddDatabaseOption(CLI::App& program);
void AddDatabaseOption(CLI::App& command, DatabaseOption& option);

// --run, --shape, --gpu. `default_shape` completes the help text; empty: without --shape.
void AddSelector(CLI::App& app, Selector& selector, std::string_view default_shape = "the largest square");

// One function per command, each in its own file.
Action AddRuns(CLI::App& app);
Action AddStages(CLI::App& app);
Action AddShow(CLI::App& app);
Action AddCompare(CLI::App& app);
Action AddWhy(CLI::App& app);
Action AddVersus(CLI::App& app);
Action AddBanks(CLI::App& app);
Action AddQuery(CLI::App& app);
Action AddReport(CLI::App& app);
Action AddStudy(CLI::App& app);
Action AddCheck(CLI::App& app);
Action AddReproduce(CLI::App& app);
Action AddClaims(CLI::App& app);
Action AddCalibrate(CLI::App& app);
Action AddCauses(CLI::App& app);
Action AddExport(CLI::App& app);
Action AddImport(CLI::App& app);

}  // namespace culprit
