// SPDX-License-Identifier: Apache-2.0
#include "analysis/cli/command.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <array>

namespace culprit {

std::span<const Command> Commands() {
  static constexpr std::array commands = {
      Command{"runs", "list recorded runs, newest first", "culprit runs --db m.db", AddRuns},
      Command{"stages", "list stages: idea, parent, factors; with --static what the compiler made of them",
              "culprit stages --static --arch sm_90", AddStages},
      Command{"show", "what holds one stage back: time, roofline, stalls, memory, findings",
              "culprit show v1_6 --shape 4096", AddShow},
      Command{"compare", "two stages side by side, largest metric change first",
              "culprit compare v1_7 v1_6 --shape 4096", AddCompare},
      Command{"why", "what made CANDIDATE slower or faster than BASE, in microseconds that add up",
              "culprit why v1_7 v1_6 --shape 4096", AddWhy},
      Command{"versus", "run the old and the new build of a benchmark, and say what made the new one slower or faster",
              "culprit versus ./old_bench ./new_bench -- --shapes 4096", AddVersus},
      Command{"study", "a chain or family of stages: what each step changed, its time and its causes",
              "culprit study v2 v1_6", AddStudy},
      Command{"check", "whether anything became slower from one run to another: a gate, by its exit status",
              "culprit check --base main --cand change --max-slowdown 2%", AddCheck},
      Command{"banks", "which lane meets which bank, and a padding and a swizzle that keep them apart",
              "culprit banks --pattern 'lane * 64' --op ldmatrix --row-bytes 64", AddBanks},
      Command{"query", "run a read-only SQL statement, or a named one", "culprit query @ladder --format csv", AddQuery},
      Command{"report", "the whole ladder of a run", "culprit report --format md > REPORT.md", AddReport},
      Command{"reproduce", "the tables of the seeds beside ours", "culprit reproduce v-study --format md",
              AddReproduce},
      Command{"claims", "what the seeds claim, re-tested: one verdict per claim", "culprit claims v1_7 --json",
              AddClaims},
      Command{"causes", "what why can find, and how it tells", "culprit causes shared_bank_conflicts", AddCauses},
      Command{"calibrate", "estimated gains against what the next stage really gained",
              "culprit calibrate --shape 4096", AddCalibrate},
      Command{"export", "write runs as SQL text, so that they can travel", "culprit export --run h100 -o h100.sql",
              AddExport},
      Command{"import", "merge runs from SQL text written by export", "culprit import h100.sql --db all.db", AddImport},
  };
  return commands;
}

namespace {

constexpr const char* kDatabaseHelp = "measurement database (default: $CULPRIT_DB, else culprit.db)";

// An empty word is a variable of the shell that was not set: the default would be a wrong answer.
const CLI::Validator kNotEmpty(
    [](std::string& word) {
      return word.empty() ? std::string("it is empty; leave the option out, or give it a value") : std::string();
    },
    "");

}  // namespace

std::string DatabaseOption::File() const {
  if (!given.empty()) return given;
  return before != nullptr && before->count() > 0 ? before->as<std::string>() : "culprit.db";
}

void AddDatabaseOption(CLI::App& program) {
  program.add_option("--db", kDatabaseHelp)->envname("CULPRIT_DB")->type_name("FILE");
}

void AddDatabaseOption(CLI::App& command, DatabaseOption& option) {
  option.before = command.get_parent()->get_option("--db");
  command.add_option("--db", option.given, kDatabaseHelp)->check(kNotEmpty)->type_name("FILE");
}

void AddSelector(CLI::App& app, Selector& selector, std::string_view default_shape) {
  app.add_option("--run", selector.run, "UUID prefix, id or label (default: the newest complete run)")
      ->check(kNotEmpty)
      ->type_name("RUN");
  if (!default_shape.empty())
    app.add_option("--shape", selector.shape, fmt::format("4096 or 4096x2048x1024 (default: {})", default_shape))
        ->check(kNotEmpty)
        ->type_name("SHAPE");
  app.add_option("--gpu", selector.gpu, "part of the GPU's name")->type_name("NAME");
}

}  // namespace culprit
