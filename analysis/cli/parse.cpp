// SPDX-License-Identifier: Apache-2.0
// The only file of the command that knows CLI11: it takes seconds to compile.
#include "analysis/cli/parse.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "analysis/cli/suggest.h"
#include "analysis/cli/version.h"
#include "analysis/number/joined.h"
#include "analysis/number/printable.h"

namespace culprit {
namespace {

constexpr const char* kDefaultDatabase = "culprit.db";
constexpr const char* kFooter =
    "\n'culprit list' lists the names of kernels. KERNEL@RUN is the kernel in one run.\n"
    "RUN is the run's label or the beginning of its UUID: gather@before.\n"
    "Exit status: 0 success, 1 a regression was found (check, versus), 2 the command\n"
    "could not be carried out, or something could not be judged.\n"
    "Results go to standard output, everything else to standard error. Colour is used\n"
    "only on a terminal, and not if NO_COLOR is set or TERM=dumb. Every report has\n"
    "more with -v.";

struct Registered {
  CLI::App* app;
  Syntax syntax;
  Action action;
};

// The default would be a wrong answer.
const CLI::Validator kNotEmpty(
    [](std::string& word) {
      return word.empty() ? std::string("it is empty; leave the option out, or give it a value") : std::string();
    },
    "");

// As CLI::IsMember, with a guess at what was meant. The help lists the words of an option; those of an argument are
// many.
CLI::Validator Among(const Option& option) {
  return CLI::Validator(
      [among = option.traits.among](std::string& word) {
        const bool known = std::ranges::find(among, word) != among.end();
        return known ? std::string() : UnknownMessage("value", word, among);
      },
      option.IsArgument() ? "" : "{" + Joined(option.traits.among, {}, ",") + "}");
}

template <class T>
CLI::Option* AddTo(CLI::App& app, const Option& option, T& into) {
  if constexpr (std::is_same_v<T, bool>)
    return app.add_flag(option.names, into, option.help);
  else
    return app.add_option(option.names, into, option.help);
}

void Add(CLI::App& app, const Option& option) {
  const Traits& traits = option.traits;
  if (traits.rest || traits.behind_dashes) {  // for the help: CLI11 would take apart words such as "[1,2]"
    app.add_option(option.names, option.help)->type_name(traits.value)->expected(0, 1);
    return;
  }
  CLI::Option* added = std::visit([&](auto* into) { return AddTo(app, option, *into); }, option.into);
  const bool many = std::holds_alternative<std::vector<int>*>(option.into) ||
                    std::holds_alternative<std::vector<std::string>*>(option.into);
  if (many && !option.IsArgument()) added->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  if (!traits.value.empty()) added->type_name(traits.value);
  if (traits.required) added->required();
  if (traits.not_empty) added->check(kNotEmpty);
  if (!traits.among.empty()) added->check(Among(option));
  if (traits.least != INT_MIN) added->check(CLI::Range(traits.least, traits.most));
  if (traits.commas) added->delimiter(',')->allow_extra_args(false);  // else it takes the next arguments, too
  if (!traits.not_with.empty()) added->excludes(app.get_option(traits.not_with));
}

// The program with all of its commands, ready to parse.
struct Program {
  CLI::App app;
  std::vector<Registered> commands;

  explicit Program(const Tool& tool) : app(std::string(tool.summary), std::string(tool.name)) {
    app.footer(kFooter);
    app.require_subcommand(1);
    app.set_version_flag("--version", std::string(tool.name) + " " + VersionText());
    app.add_option("--db", kDatabaseHelp)->envname("CULPRIT_DB")->check(kNotEmpty)->type_name("FILE");
    for (const Command& command : tool.commands) {
      CLI::App* sub = app.add_subcommand(std::string(command.name), std::string(command.summary));
      Syntax syntax;
      Action action = command.add(syntax);
      for (const Option& option : syntax.options) Add(*sub, option);
      sub->group(std::string(command.group));
      // On a line of its own where it is long: an example that is broken cannot be copied.
      const std::string example(command.example);
      sub->footer((example.size() > 60 ? "\nExample:\n  " : "\nExample: ") + example +
                  (syntax.notes.empty() ? "" : "\n\n" + syntax.notes));
      commands.push_back({sub, std::move(syntax), std::move(action)});
    }
  }

  const Registered* Chosen() const {
    const auto found = std::ranges::find_if(commands, [](const Registered& r) { return r.app->parsed(); });
    return found == commands.end() ? nullptr : &*found;
  }
};

// Where the words begin that are not ours: `command` takes all from the first that is no option, or behind "--".
std::size_t RestBegins(const Syntax& syntax, const std::vector<std::string>& args, std::size_t word) {
  for (; word < args.size() && args[word].starts_with('-') && args[word] != "--"; ++word) {
    const auto is_meant = [&](const Option& option) {
      return option.TakesValue() && std::ranges::count(NamesOf(option), args[word]) > 0;
    };
    if (std::ranges::any_of(syntax.options, is_meant)) ++word;
  }
  return std::min(word, args.size());
}

// The word that names the command; args.size() where none does.
std::size_t CommandWord(const std::vector<std::string>& args) {
  std::size_t word = 0;
  while (word < args.size() && args[word].starts_with("--db"))
    word += args[word] == "--db" && word + 1 < args.size() ? 2 : 1;
  return word;
}

// Moves the words of another program out of `args`, to where the command wants them.
void TakeRest(const Program& program, std::vector<std::string>& args) {
  const std::size_t word = CommandWord(args);
  if (word == args.size()) return;
  for (const Registered& command : program.commands)
    for (const Option& option : command.syntax.options)
      if ((option.traits.rest || option.traits.behind_dashes) && command.app->get_name() == args[word]) {
        const std::size_t begin = option.traits.rest
                                      ? RestBegins(command.syntax, args, word + 1)
                                      : static_cast<std::size_t>(std::ranges::find(args, "--") - args.begin());
        const std::size_t skipped = begin < args.size() && args[begin] == "--" ? 1 : 0;
        std::get<std::vector<std::string>*>(option.into)
            ->assign(args.begin() + static_cast<std::ptrdiff_t>(begin + skipped), args.end());
        args.resize(begin);
      }
}

// CLI11 would call an unknown command an unexpected argument. Old names say what they became.
void RefuseUnknownCommand(const Tool& tool, const std::vector<std::string>& args) {
  const std::size_t at = CommandWord(args);
  if (at == args.size() || args[at].starts_with('-')) return;
  for (const RenamedCommand& renamed : tool.renamed)
    if (renamed.name == args[at]) throw Error(fmt::format("{} {} is now {}.", tool.name, args[at], renamed.now));
  const std::vector<std::string> names = TextsOf(tool.commands, &Command::name);
  if (std::ranges::find(names, args[at]) == names.end()) throw Error(UnknownMessage("command", args[at], names));
}

// A slip in an option leads CLI11 to complain about whatever it reads next.
void RefuseUnknownOption(const Program& program, const Registered* chosen) {
  for (const std::string& word : program.app.remaining(true)) {
    if (word.size() < 2 || word.front() != '-') continue;
    std::vector<std::string> names;
    if (chosen == nullptr)
      names = {"--version", "--db"};
    else
      for (const Option& option : chosen->syntax.options)
        if (!option.IsArgument())
          for (std::string& name : NamesOf(option)) names.push_back(std::move(name));
    names.emplace_back("--help");
    throw Error(UnknownMessage("option", word.substr(0, word.find('=')), names));
  }
}

// CLI11 breaks no lines. Here they end before the edge of a usual terminal, below where their description begins.
std::string Fitted(const std::string& help) {
  constexpr std::size_t kColumns = 80, kLeastText = 24;
  std::string fitted;
  for (std::size_t at = 0; at < help.size();) {
    const std::size_t end = std::min(help.find('\n', at), help.size());
    const std::string line = help.substr(at, end - at);
    at = end + 1;
    // "  --run RUN      UUID prefix": blanks, names, two blanks or more, text. A line of text alone begins at its own.
    std::size_t text = std::min(line.find_first_not_of(' '), line.size());
    if (const std::size_t gap = line.find("  ", text); text == 2 && gap != line.npos)
      text = std::min(line.find_first_not_of(' ', gap), line.size());
    if (Width(line) <= kColumns || text + kLeastText > kColumns) {
      fitted += line + '\n';
      continue;
    }
    std::string lead = line.substr(0, text);
    for (const std::string& part : Wrapped(std::string_view(line).substr(text), kColumns - text)) {
      fitted += lead + part + '\n';
      lead.assign(text, ' ');
    }
  }
  return fitted;
}

// What was given before the command's name, or $CULPRIT_DB.
void TakeFromProgram(const Program& program, const Registered& chosen) {
  for (const Option& option : chosen.syntax.options) {
    if (!option.traits.of_program || chosen.app->count(option.names) > 0) continue;
    const CLI::Option* own = program.app.get_option(option.names);
    *std::get<std::string*>(option.into) = own->count() > 0 ? own->as<std::string>() : kDefaultDatabase;
  }
}

}  // namespace

std::variant<Action, std::string> Parse(const Tool& tool, const std::vector<std::string>& all) {
  Program program(tool);
  RefuseUnknownCommand(tool, all);
  std::vector<std::string> args = all;
  TakeRest(program, args);
  try {
    // CLI11 takes arguments from the back.
    program.app.parse(std::vector<std::string>(args.rbegin(), args.rend()));
  } catch (const CLI::CallForHelp&) {
    const Registered* chosen = program.Chosen();
    return Fitted(chosen == nullptr ? program.app.help() : chosen->app->help(std::string(tool.name)));
  } catch (const CLI::CallForVersion& version) {
    return std::string(version.what()) + "\n";
  } catch (const CLI::ParseError& error) {
    const Registered* chosen = program.Chosen();
    RefuseUnknownOption(program, chosen);
    const std::string name = chosen == nullptr ? "" : " " + chosen->app->get_name();
    throw Error(fmt::format("{} (see '{}{} --help')", error.what(), tool.name, name));
  }
  const Registered& chosen = *program.Chosen();  // require_subcommand
  TakeFromProgram(program, chosen);
  return chosen.action;
}

std::string HelpText(std::string_view command) {
  const Program program(CulpritTool());
  if (command.empty()) return Fitted(program.app.help());
  return Fitted(program.app.get_subcommand(std::string(command))->help("culprit"));
}

std::vector<std::string> NamesOf(const Option& option) { return CLI::detail::split(option.names, ','); }

}  // namespace culprit
