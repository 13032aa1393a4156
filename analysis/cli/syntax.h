// SPDX-License-Identifier: Apache-2.0
// A command's syntax as data. The parser, help, completions and manual page use it.
#pragma once
#include <climits>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace culprit {

// Where the parser stores values. A bool is for an option without a value. A vector collects the values of all uses.
using Destination = std::variant<bool*, int*, std::string*, std::vector<int>*, std::vector<std::string>*>;

struct Traits {
  std::string value = {};  // the value's name in the help: "RUN". For FILE and PROGRAM, shells complete file names
  bool required = false;
  bool not_empty = false;               // rejects an empty word, which usually is an unset shell variable
  std::vector<std::string> among = {};  // the allowed values
  int least = INT_MIN, most = INT_MAX;  // limits of an int
  std::string words = {};               // what shells complete: a kind of words.h
  bool commas = false;                  // a,b is two values
  std::string not_with = {};            // another option that must not be given with it
  bool rest = false;                    // for a vector: takes all words from the first non-option on, or after --
  bool behind_dashes = false;           // for a vector: takes all words after the first --, unparsed
  bool of_program = false;              // default: the value of the option that was given before the command's name
};

// The texts of a list, as Traits::among takes them.
template <class List, class Text>
std::vector<std::string> TextsOf(const List& list, Text text) {
  std::vector<std::string> texts;
  for (const auto& one : list) texts.emplace_back(std::invoke(text, one));
  return texts;
}

// An option by its names, "-o,--output", or a positional argument, "BASE".
struct Option {
  std::string names;
  Destination into;
  std::string help;
  Traits traits;

  bool IsArgument() const { return !names.starts_with('-'); }
  bool TakesValue() const { return !std::holds_alternative<bool*>(into); }
};

struct Syntax {
  std::vector<Option> options;
  std::string notes;  // printed at the end of the help

  void Add(std::string names, Destination into, std::string help, Traits traits = {}) {
    options.push_back({std::move(names), into, std::move(help), std::move(traits)});
  }
};

}  // namespace culprit
