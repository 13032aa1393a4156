// SPDX-License-Identifier: Apache-2.0
// The help, and the manual page culprit(1), from the table of commands.
#include <fmt/core.h>

#include <memory>

#include "analysis/cli/parse.h"
#include "analysis/number/joined.h"
#include "analysis/number/printable.h"

namespace culprit {
namespace {

// What roff would read as a request or an escape stays text.
std::string Roff(std::string_view text) {
  std::string escaped;
  bool line_starts = true;
  for (const char c : text) {
    if (line_starts && (c == '.' || c == '\'')) escaped += "\\&";
    if (c == '\\')
      escaped += "\\e";
    else if (c == '-')
      escaped += "\\-";
    else
      escaped += c;
    if (c == '\n') escaped.insert(escaped.size() - 1, "\n.br");
    line_starts = c == '\n';
  }
  return escaped;
}

std::string Synopsis(const Command& command, const Syntax& syntax) {
  std::string text = fmt::format("culprit {}", command.name);
  for (const Option& option : syntax.options)
    if (option.IsArgument()) text += option.traits.required ? " " + option.names : " [" + option.names + "]";
  return text + " [OPTION...]";
}

std::string OptionText(const Option& option) {
  std::string names = Joined(NamesOf(option));
  if (!option.IsArgument() && option.TakesValue()) names += " " + option.traits.value;
  return fmt::format(".TP\n.B {}\n{}\n", Roff(names), Roff(option.help));
}

std::string Manual() {
  std::string page = ".TH CULPRIT 1 \"\" \"culprit " CULPRIT_VERSION
                     "\"\n.SH NAME\nculprit \\- finds the metric that made a CUDA kernel slower\n"
                     ".SH SYNOPSIS\n.B culprit\n[\\-\\-db FILE] COMMAND [ARGUMENT...] [OPTION...]\n";
  std::string_view group;
  for (const Command& command : Commands()) {
    if (command.group != group) page += fmt::format(".SH \"{}\"\n", Roff(group = command.group));
    const Syntax syntax = SyntaxOf(command);
    page += fmt::format(".SS \"{}\"\n{}\n", Roff(Synopsis(command, syntax)), Roff(command.summary));
    for (const Option& option : syntax.options) page += OptionText(option);
    page += fmt::format(".PP\nExample:\n.PP\n.nf\n.RS\n{}\n.RE\n.fi\n", Roff(command.example));
    if (!syntax.notes.empty()) page += fmt::format(".PP\n.nf\n{}\n.fi\n", Roff(syntax.notes));
  }
  return page +
         ".SH \"EXIT STATUS\"\n0: fine. 1: a regression was found (check, versus). 2: could not do it or could not "
         "judge it.\n"
         ".SH ENVIRONMENT\n.TP\n.B CULPRIT_DB\nthe database when \\-\\-db is not given\n"
         ".TP\n.B NO_COLOR\nno colour, whatever its value\n";
}

}  // namespace

Action AddHelp(Syntax& syntax) {
  auto command = std::make_shared<std::string>();
  syntax.Add("COMMAND", command.get(), "a command (default: list all)", {.among = TextsOf(Commands(), &Command::name)});
  return [command](Streams& streams) { streams.out << PrintableLines(HelpText(*command)); };
}

Action AddManual(Syntax&) {
  return [](Streams& streams) { streams.out << Manual(); };
}

}  // namespace culprit
