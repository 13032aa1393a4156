// SPDX-License-Identifier: Apache-2.0
// What a command is, and the options that commands share.
#pragma once
#include <functional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>

#include "analysis/report.h"
#include "db/database.h"

namespace CLI {
class App;
}

namespace culprit {

struct Streams {
  std::ostream& out;
  std::ostream& err;
  bool terminal;
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

// --db
struct DatabaseOption {
  std::string file;
};
void AddDatabaseOption(CLI::App& app, DatabaseOption& option);

// --format and --json
struct OutputOptions {
  std::string format = "text";
  bool json = false;
};
void AddOutputOptions(CLI::App& app, OutputOptions& options);

// --run, --shape, --gpu
void AddSelector(CLI::App& app, Selector& selector, bool with_shape = true);

void Render(const Report& report, const OutputOptions& options, Streams& streams);

// One function per command, each in its own file.
Action AddRuns(CLI::App& app);
Action AddStages(CLI::App& app);
Action AddShow(CLI::App& app);
Action AddCompare(CLI::App& app);
Action AddQuery(CLI::App& app);
Action AddReport(CLI::App& app);
Action AddExport(CLI::App& app);
Action AddImport(CLI::App& app);

}  // namespace culprit
