// SPDX-License-Identifier: Apache-2.0
// Scripts that let a shell complete commands, options and values, from the table of commands.
#include <fmt/core.h>

#include <array>
#include <memory>

#include "analysis/cli/parse.h"
#include "analysis/cli/words.h"
#include "analysis/number/joined.h"

namespace culprit {
namespace {

std::string Line(const std::vector<std::string>& words) { return Joined(words, {}, " "); }

std::string Escaped(std::string_view text, std::string_view what, std::string_view with) {
  std::string escaped;
  for (const char c : text) {
    if (what.find(c) != what.npos) escaped += with;
    escaped += c;
  }
  return escaped;
}

// Between single quotes of bash and zsh.
std::string Quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) c == '\'' ? quoted += "'\\''" : quoted += c;
  return quoted + "'";
}

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

bool IsFile(const Option& option) { return option.traits.value == "FILE" || option.traits.value == "PROGRAM"; }

std::vector<std::string> OptionNames(const Syntax& syntax) {
  std::vector<std::string> names{"--help"};
  for (const Option& option : syntax.options)
    if (!option.IsArgument())
      for (std::string& name : NamesOf(option)) names.push_back(std::move(name));
  return names;
}

// Bash completes with words alone. Each line of the cases is made from one option of one command.
std::string Bash() {
  std::string values, options, arguments;
  for (const Command& command : Commands()) {
    const Syntax syntax = SyntaxOf(command);
    options += fmt::format("    {}) options={} ;;\n", command.name, Quoted(Line(OptionNames(syntax))));
    for (const Option& option : syntax.options) {
      const std::string found = IsFile(option)                 ? "files=yes"
                                : !option.traits.words.empty() ? "names=" + option.traits.words
                                                               : "words=" + Quoted(Line(option.traits.among));
      if (option.IsArgument() && (IsFile(option) || !option.traits.words.empty() || !option.traits.among.empty()))
        arguments += fmt::format("      {}) {} ;;\n", command.name, found);
      else if (!option.IsArgument() && option.TakesValue())
        for (const std::string& name : NamesOf(option))
          values += fmt::format("    {}/{}) {} ;;\n", command.name, name, found);
    }
  }
  constexpr std::string_view kScript = R"(# Completes culprit in bash. Written by: culprit completion bash
_culprit() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}}
  local command='' options='--help --version --db' words='' files='' names='' value=yes at
  local -a db=()
  for ((at = 1; at < COMP_CWORD; ++at)); do
    [[ ${{COMP_WORDS[at]}} != --db ]] || db=(--db "${{COMP_WORDS[at + 1]}}")
  done
  for ((at = 1; at < COMP_CWORD; ++at)); do
    case ${{COMP_WORDS[at]}} in
    --db) ((++at)) ;;
    -*) ;;
    *) command=${{COMP_WORDS[at]}} && break ;;
    esac
  done
  case $command/$previous in
    /--db) files=yes ;;
{}    *) value='' ;;
  esac
  case $command in
    '') words='{}' ;;
{}  esac
  if [[ -z $value && $current == -* ]]; then
    words=$options
  elif [[ -z $value ]]; then
    case $command in
{}    esac
  fi
  [[ -z $names ]] || words=$("${{COMP_WORDS[0]}}" completion --words "$names" "${{db[@]}}" 2>/dev/null)
  # To bash an @ is a word of its own.
  [[ $previous != @ ]] || words=${{words//@/}}
  mapfile -t COMPREPLY < <(compgen ${{files:+-f}} -W "$words" -- "$current")
  [[ -z $files ]] || compopt -o filenames 2>/dev/null
}}
complete -F _culprit culprit
)";
  return fmt::format(kScript, values, Line(TextsOf(Commands(), &Command::name)), options, arguments);
}

// 'name[what it is]:what its value is called:what completes the value'
std::string ZshSpec(const Option& option, const std::string& name) {
  const std::string help = Escaped(FirstLine(option.help), "[]:\\", "\\");
  const std::string among = option.traits.among.empty() ? "" : "(" + Line(option.traits.among) + ")";
  const std::string completer = IsFile(option)                 ? "_files"
                                : !option.traits.words.empty() ? "_culprit_names " + option.traits.words
                                                               : among;
  const bool several = std::holds_alternative<std::vector<std::string>*>(option.into) ||
                       std::holds_alternative<std::vector<int>*>(option.into);
  if (option.IsArgument()) return Quoted(fmt::format("{}:{}:{}", several ? "*" : "", name, completer));
  if (!option.TakesValue()) return Quoted(fmt::format("{}[{}]", name, help));
  const std::string value = Escaped(option.traits.value, ":", "\\");
  return Quoted(fmt::format("{}{}[{}]:{}:{}", several ? "*" : "", name, help, value, completer));
}

std::string Zsh() {
  std::string commands, cases;
  for (const Command& command : Commands()) {
    commands +=
        fmt::format("    {}\n", Quoted(fmt::format("{}:{}", command.name, Escaped(command.summary, ":", "\\"))));
    cases += fmt::format("    {}) _arguments '--help[how to call it]'", command.name);
    for (const Option& option : SyntaxOf(command).options)
      for (const std::string& name : NamesOf(option)) cases += " \\\n      " + ZshSpec(option, name);
    cases += " ;;\n";
  }
  constexpr std::string_view kScript = R"zsh(#compdef culprit
# Completes culprit in zsh. Written by: culprit completion zsh
_culprit_names() {{
  local -a db found
  local at=${{words[(I)--db]}}
  ((at > 0)) && db=(--db "${{(Q)words[at + 1]}}")
  found=(${{(f)"$(culprit completion --words $@[-1] $db 2>/dev/null)"}})
  compadd "${{@[1,-2]}}" -a found
}}
_culprit() {{
  local context state line
  local -a commands=(
{})
  _arguments -C '--help[how to call it]' '--version[its version]' '--db[measurement database]:FILE:_files' \
    '1:command:->command' '*::argument:->argument'
  case $state in
  command) _describe command commands ;;
  argument)
    case $words[1] in
{}    esac ;;
  esac
}}
if [[ $funcstack[1] == _culprit ]]; then _culprit "$@"; else compdef _culprit culprit; fi
)zsh";
  return fmt::format(kScript, commands, cases);
}

std::string FishQuoted(std::string_view text) { return "'" + Escaped(text, "'\\", "\\") + "'"; }

std::string Fish() {
  std::string script =
      "# Completes culprit in fish. Written by: culprit completion fish\n"
      "function __culprit_names\n"
      "  set -l words (commandline -opc)\n"
      "  set -l db\n"
      "  if set -l at (contains -i -- --db $words)\n"
      "    set db --db $words[(math $at + 1)]\n"
      "  end\n"
      "  culprit completion --words $argv[1] $db 2>/dev/null\n"
      "end\n"
      "complete -c culprit -f\n"
      "complete -c culprit -n __fish_use_subcommand -l version -d 'its version'\n"
      "complete -c culprit -l help -s h -d 'how to call it'\n";
  for (const Command& command : Commands()) {
    script += fmt::format("complete -c culprit -n __fish_use_subcommand -a {} -d {}\n", command.name,
                          FishQuoted(command.summary));
    for (const Option& option : SyntaxOf(command).options) {
      std::string line = fmt::format("complete -c culprit -n '__fish_seen_subcommand_from {}'", command.name);
      if (!option.IsArgument())
        for (const std::string& name : NamesOf(option))
          line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (IsFile(option))
        line += option.IsArgument() ? " -F" : " -r -F";
      else if (!option.traits.words.empty())
        line +=
            (option.IsArgument() ? " -a " : " -x -a ") + FishQuoted("(__culprit_names " + option.traits.words + ")");
      else if (!option.traits.among.empty())
        line += (option.IsArgument() ? " -a " : " -x -a ") + FishQuoted(Line(option.traits.among));
      else if (option.IsArgument())
        continue;  // nothing to offer
      else if (option.TakesValue())
        line += " -x";
      script += line + " -d " + FishQuoted(FirstLine(option.help)) + "\n";
    }
  }
  return script;
}

struct Shell {
  std::string_view name;
  std::string (*script)();
};
constexpr std::array kShells = {Shell{"bash", Bash}, Shell{"zsh", Zsh}, Shell{"fish", Fish}};

}  // namespace

Action AddCompletion(Syntax& syntax) {
  struct Arguments {
    std::string db;
    std::string shell, words;
  };
  auto args = std::make_shared<Arguments>();
  syntax.Add("SHELL", &args->shell, "bash, zsh or fish", {.among = TextsOf(kShells, &Shell::name)});
  syntax.Add("--words", &args->words, "what the scripts ask for: these names, one a line",
             {.value = "KIND", .among = TextsOf(WordKinds(), &WordKind::name), .not_with = "SHELL"});
  AddDatabaseOption(syntax, args->db);
  syntax.notes =
      "Installed packages bring these scripts. By hand: the example for bash; for zsh\n"
      "into a folder of $fpath, as _culprit; for fish into\n"
      "~/.config/fish/completions/culprit.fish.";
  return [args](Streams& streams) {
    if (args->shell.empty() && args->words.empty()) throw Error("completion needs a shell: bash, zsh or fish.");
    if (!args->words.empty()) streams.out << WordsOf(args->words, args->db);
    for (const Shell& shell : kShells)
      if (shell.name == args->shell) streams.out << shell.script();
  };
}

}  // namespace culprit
