// SPDX-License-Identifier: Apache-2.0
#include "analysis/cli/culprit.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <new>

#include "analysis/cli/command.h"
#include "analysis/cli/suggest.h"
#include "analysis/render/printable.h"

namespace culprit {
namespace {

constexpr int kFine = 0;
constexpr int kCouldNot = 2;

constexpr const char* kFooter =
    "\nExit status: 0 fine, 1 a regression found (check), 2 could not do it or could not judge it.\n"
    "Results go to standard output, everything else to standard error. Colour only on a terminal, never with NO_COLOR "
    "set or TERM=dumb.";

struct Registered {
  CLI::App* app;
  Action action;
};

std::vector<Registered> AddAll(CLI::App& app) {
  std::vector<Registered> registered;
  for (const Command& command : Commands()) {
    CLI::App* sub = app.add_subcommand(std::string(command.name), std::string(command.summary));
    sub->footer("\nExample: " + std::string(command.example));
    registered.push_back({sub, command.add(*sub)});
  }
  return registered;
}

// CLI11 would call an unknown command an unexpected argument.
void RefuseUnknownCommand(const std::vector<std::string>& args) {
  auto word = args.begin();
  while (word != args.end() && word->starts_with("--db")) word += *word == "--db" && word + 1 != args.end() ? 2 : 1;
  if (word == args.end() || word->starts_with('-')) return;
  std::vector<std::string> names;
  for (const Command& command : Commands()) names.emplace_back(command.name);
  if (std::find(names.begin(), names.end(), *word) == names.end()) throw Error(UnknownMessage("command", *word, names));
}

int Run(const std::vector<std::string>& args, Streams& streams) {
  CLI::App app{"Finds the metric that made a CUDA kernel slower.", "culprit"};
  app.footer(kFooter);
  app.require_subcommand(1);
  app.set_version_flag("--version", "culprit " CULPRIT_VERSION);
  AddDatabaseOption(app);
  const std::vector<Registered> commands = AddAll(app);
  RefuseUnknownCommand(args);
  try {
    // CLI11 takes arguments from the back.
    app.parse(std::vector<std::string>(args.rbegin(), args.rend()));
  } catch (const CLI::CallForHelp&) {
    const auto parsed = app.get_subcommands();
    // It shows what $CULPRIT_DB names.
    streams.out << PrintableLines(parsed.empty() ? app.help() : parsed.front()->help("culprit"));
    return kFine;
  } catch (const CLI::CallForVersion& version) {
    streams.out << version.what() << '\n';
    return kFine;
  } catch (const CLI::ParseError& error) {
    const auto parsed = app.get_subcommands();
    const std::string name = parsed.empty() ? "culprit" : "culprit " + parsed.front()->get_name();
    Complain(std::string(error.what()) + " (see '" + name + " --help')", streams.err);
    return kCouldNot;
  }
  for (const Registered& command : commands)
    if (command.app->parsed()) command.action(streams);
  return streams.exit_status;
}

}  // namespace

int Main(const std::vector<std::string>& args, std::ostream& out, std::ostream& err, bool terminal) try {
  Streams streams{out, err, terminal};
  return Run(args, streams);
} catch (const Error& error) {
  Complain(error.what(), err);
  return kCouldNot;
} catch (const std::bad_alloc&) {
  err << "culprit: out of memory: close something or raise the limit (ulimit -v), then try again\n";
  return kCouldNot;
}

void Complain(std::string_view what, std::ostream& err) {
  std::string message = "culprit: ";
  const char* lead = "";
  do {
    const std::size_t end = std::min(what.find('\n'), what.size());
    const std::string_view line = what.substr(0, end);
    message += (line.starts_with(lead) ? "" : lead) + Printable(line) + '\n';
    what.remove_prefix(std::min(end + 1, what.size()));
    lead = "  ";
  } while (!what.empty());
  err << message;
}

}  // namespace culprit
