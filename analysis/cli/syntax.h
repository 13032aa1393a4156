// SPDX-License-Identifier: Apache-2.0
// What a command takes, as data: the parser, the help, the completions and the manual page are made from it.
#pragma once
#include <climits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace culprit {

// Where the parser puts what was given. A bool is an option without a value; a vector takes one value each time.
using Destination = std::variant<bool*, int*, std::string*, std::vector<int>*, std::vector<std::string>*>;

struct Traits {
  std::string value = {};  // what the help calls the value: RUN. FILE and PROGRAM are completed from the disk
  bool required = false;
  bool not_empty = false;               // an empty word is a variable of the shell that was not set
  std::vector<std::string> among = {};  // the only values it takes
  int least = INT_MIN, most = INT_MAX;  // of an int
  std::string words = {};               // a kind of words.h that it is completed with
  bool commas = false;                  // a,b is two values
  std::string not_with = {};            // another option that it excludes
  bool rest = false;                    // of a vector: takes all words from the first that is no option, or behind --
  bool of_program = false;              // when it is not given here, the program's own value of that name counts
};

// An option by its names, "-o,--output", or an argument by its place, "BASE".
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
  std::string notes;  // the end of the help

  void Add(std::string names, Destination into, std::string help, Traits traits = {}) {
    options.push_back({std::move(names), into, std::move(help), std::move(traits)});
  }
};

}  // namespace culprit
