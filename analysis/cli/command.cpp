// SPDX-License-Identifier: Apache-2.0
#include "analysis/cli/command.h"

#include <fmt/core.h>

#include <array>

namespace culprit {

std::span<const Command> Commands() {
  static constexpr std::array commands = {
      Command{"record", kEveryday, "run any CUDA program as it is, and keep times and counters of its kernels",
              "culprit record ./my_program", AddRecord},
      Command{"show", kEveryday, "what holds one stage back: time, roofline, stalls, memory, findings",
              "culprit show transpose_unpadded", AddShow},
      Command{"why", kEveryday, "what made CANDIDATE slower or faster than BASE, in microseconds that add up",
              "culprit why tree_sum_packed tree_sum_in_place", AddWhy},
      Command{"versus", kEveryday, "run the old and the new build of a benchmark: what made it slower or faster",
              "culprit versus ./old_bench ./new_bench", AddVersus},
      Command{"compare", kEveryday, "two stages side by side, largest metric change first",
              "culprit compare softmax_rows_41 softmax_rows_40", AddCompare},
      Command{"check", kEveryday, "whether anything became slower between two runs: a gate, by its exit status",
              "culprit check --base main --cand change --max-slowdown 2%", AddCheck},
      Command{"ab", kEveryday, "whether a program became slower, from executions of both in turns until it is clear",
              "culprit ab --budget 300 -- ./old_program -- ./new_program", AddAb},
      Command{"report", kEveryday, "every stage of a run: time, steps, heaviest findings",
              "culprit report --format md > REPORT.md", AddReport},
      Command{"study", kFurther, "a chain or family of stages: what each step changed, its time and its causes",
              "culprit study v2 v1_6", AddStudy},
      Command{"history", kFurther, "one stage over labelled runs: when its time changed for good, and why",
              "culprit history v1_7", AddHistory},
      Command{"banks", kFurther, "which lane meets which bank, and a padding and a swizzle that keep them apart",
              "culprit banks --pattern 'lane * 64' --op ldmatrix --row-bytes 64", AddBanks},
      Command{"stages", kFurther, "list stages: idea, parent, factors; with --static what the compiler made of them",
              "culprit stages --static --arch sm_90", AddStages},
      Command{"causes", kFurther, "what why can find, and how it tells", "culprit causes shared_bank_conflicts",
              AddCauses},
      Command{"machine", kFurther, "what the GPU of a run can do, as it was measured", "culprit machine --db m.db",
              AddMachine},
      Command{"calibrate", kFurther, "estimated gains against what the next stage really gained",
              "culprit calibrate --shape 4096", AddCalibrate},
      Command{"runs", kStorage, "list recorded runs, newest first", "culprit runs --db m.db", AddRuns},
      Command{"query", kStorage, "run a read-only SQL statement, or a named one", "culprit query @ladder --format csv",
              AddQuery},
      Command{"export", kStorage, "write runs as SQL text, so that they can travel",
              "culprit export --run h100 -o h100.sql", AddExport},
      Command{"import", kStorage, "merge runs from exports, and from reports of ncu, Google Benchmark and NVBench",
              "culprit import h100.sql --db all.db", AddImport},
      Command{"help", kAbout, "how a command is called; without its name, which there are", "culprit help why",
              AddHelp},
      Command{"completion", kAbout, "the script that lets a shell complete commands and options",
              "culprit completion bash > ~/.local/share/bash-completion/completions/culprit", AddCompletion},
      Command{"manual", kAbout, "the manual page", "culprit manual | man -l -", AddManual},
      Command{"claims", kSeeds, "what five articles on matrix products claim, re-tested: a verdict per claim",
              "culprit claims v1_7 --json", AddClaims},
      Command{"reproduce", kSeeds, "the tables of those five articles beside ours",
              "culprit reproduce v-study --format md", AddReproduce},
  };
  return commands;
}

Syntax SyntaxOf(const Command& command) {
  Syntax syntax;
  command.add(syntax);
  return syntax;
}

void AddDatabaseOption(Syntax& syntax, DatabaseOption& option) {
  syntax.Add("--db", &option.file, kDatabaseHelp, {.value = "FILE", .not_empty = true, .of_program = true});
}

void AddSelector(Syntax& syntax, Selector& selector, std::string_view default_shape, std::string_view default_run) {
  syntax.Add("--run", &selector.run, fmt::format("UUID prefix, id or label (default: {})", default_run),
             {.value = "RUN", .not_empty = true, .words = "runs"});
  if (!default_shape.empty())
    syntax.Add("--shape", &selector.shape, fmt::format("4096 or 4096x2048x1024 (default: {})", default_shape),
               {.value = "SHAPE", .not_empty = true});
  syntax.Add("--gpu", &selector.gpu, "part of the GPU's name", {.value = "NAME"});
}

namespace {

void AddSelectorOfLaunches(Syntax& syntax, Selector& selector, std::string_view default_shape) {
  AddSelector(syntax, selector, default_shape);
  syntax.Add("--nvtx", &selector.nvtx, "of a program's launches one in this NVTX range (numbers do not count)",
             {.value = "RANGE", .not_empty = true});
  syntax.Add("--launch", &selector.launch,
             "of several at that shape, which: 'culprit show' lists them (default: the first)",
             {.value = "N", .least = 1});
}

}  // namespace

void AddLaunchSelector(Syntax& syntax, Selector& selector) {
  AddSelectorOfLaunches(syntax, selector, "the largest square; of a program's kernel the launch with most time");
}

void AddPairSelector(Syntax& syntax, Selector& selector) {
  AddSelectorOfLaunches(syntax, selector,
                        "the largest square, of a program's kernel each side's launch with most time; BASE,CAND names "
                        "two");
}

}  // namespace culprit
