// SPDX-License-Identifier: Apache-2.0
#include "analysis/cli/command.h"

#include <fmt/core.h>
#include <re2/re2.h>

#include <array>
#include <cmath>

namespace culprit {

std::span<const Command> Commands() {
  static constexpr std::array commands = {
      Command{"record", kEveryday, "run any CUDA program unmodified, and store times and counters of its kernels",
              "culprit record ./my_program", AddRecord},
      Command{"show", kEveryday, "what limits one kernel: time, roofline, stalls, memory, findings",
              "culprit show transpose_unpadded", AddShow},
      Command{"why", kEveryday, "what made CANDIDATE slower or faster than BASE, in microseconds that add up",
              "culprit why tree_sum_packed tree_sum_in_place", AddWhy},
      Command{"annotate", kEveryday, "which source lines of a kernel cost most: 'show --lines'",
              "culprit annotate transpose_unpadded", AddAnnotate},
      Command{"versus", kEveryday, "run an old and a new program in turns: is the new one slower, and why",
              "culprit versus ./old ./new", AddVersus},
      Command{"check", kEveryday, "whether anything became slower between two runs; the exit status says so",
              "culprit check --base main --cand change --max-slowdown 2%", AddCheck},
      Command{"report", kEveryday, "every kernel of a run: time, steps, heaviest findings",
              "culprit report --format md > REPORT.md", AddReport},
      Command{"timeline", kFurther, "what the GPU did over a program, or inside a kernel, from sampled counters",
              "culprit timeline after gather_rows", AddTimeline},
      Command{"study", kFurther, "a chain or family of kernels: what each step changed, its time and its causes",
              "culprit study v2 v1_6", AddStudy},
      Command{"history", kFurther, "one kernel over labelled runs: when its time changed permanently, and why",
              "culprit history v1_7", AddHistory},
      Command{"banks", kFurther, "which lane accesses which bank, and a padding or swizzle without conflicts",
              "culprit banks --pattern 'lane * 64' --op ldmatrix --row-bytes 64", AddBanks},
      Command{"list", kFurther, "list kernels: idea, parent, factors; with --static the compiler's results",
              "culprit list --static --arch sm_90", AddList},
      Command{"causes", kFurther, "the causes that why can find, and their evidence",
              "culprit causes shared_bank_conflicts", AddCauses},
      Command{"machine", kFurther, "the measured rates and latencies of a run's GPU", "culprit machine --db m.db",
              AddMachine},
      Command{"mcp", kFurther, "answer a coding agent: Model Context Protocol on standard input and output",
              "culprit mcp --db m.db", AddMcp},
      Command{"runs", kStorage, "list recorded runs, newest first", "culprit runs --db m.db", AddRuns},
      Command{"query", kStorage, "run a read-only SQL statement, or a named one", "culprit query @ladder --format csv",
              AddQuery},
      Command{"export", kStorage, "write runs as SQL text, to move them to another file or machine",
              "culprit export --run h100 -o h100.sql", AddExport},
      Command{"import", kStorage, "merge runs from exports, and from reports of ncu, Google Benchmark and NVBench",
              "culprit import h100.sql --db all.db", AddImport},
      Command{"push", kFleet, "send runs to a server, and how their kernels compare with an earlier run",
              "culprit push postgresql://ci@db/culprit --branch main", AddPush},
      Command{"pull", kFleet, "bring runs from a server into the file", "culprit pull --branch main --limit 2",
              AddPull},
      Command{"regressions", kFleet, "what became slower lately, on which GPU, since which commit, and why",
              "culprit regressions --since 7d", AddRegressions},
      Command{"prune", kFleet, "delete old runs from a server, but their medians and causes",
              "culprit prune --older-than 90d", AddPrune},
      Command{"setup", kFleet, "make a server's tables and roles", "culprit setup postgresql://admin@db/culprit",
              AddSetup},
      Command{"doctor", kAbout, "what works on this machine, and what to do about the rest", "culprit doctor",
              AddDoctor},
      Command{"help", kAbout, "how to use a command; without a name, list all commands", "culprit help why", AddHelp},
      Command{"completion", kAbout, "print the script that lets a shell complete commands and options",
              "culprit completion bash > ~/.local/share/bash-completion/completions/culprit", AddCompletion},
      Command{"manual", kAbout, "the manual page", "culprit manual | man -l -", AddManual},
  };
  return commands;
}

const Tool& CulpritTool() {
  static constexpr std::array renamed = {
      RenamedCommand{"ab", "'culprit versus -- OLD -- NEW'"},
      RenamedCommand{"calibrate", "'culprit_evidence calibrate', a program that is built with the tests"},
      RenamedCommand{"claims", "'culprit_evidence claims', a program that is built with the tests"},
      RenamedCommand{"compare", "'culprit why BASE CANDIDATE --metrics'"},
      RenamedCommand{"reproduce", "'culprit_evidence reproduce', a program that is built with the tests"},
      RenamedCommand{"stages", "'culprit list'"},
  };
  static const Tool tool{"culprit", "Finds the metric that made a CUDA kernel slower.", Commands(), renamed};
  return tool;
}

Syntax SyntaxOf(const Command& command) {
  Syntax syntax;
  command.add(syntax);
  return syntax;
}

void AddDatabaseOption(Syntax& syntax, std::string& file) {
  syntax.Add("--db", &file, kDatabaseHelp, {.value = "FILE", .not_empty = true, .of_program = true});
}

void AddReportOptions(Syntax& syntax, ReportOptions& options, const std::vector<std::string>& also) {
  AddDatabaseOption(syntax, options.db);
  AddOutputOptions(syntax, options.output, also);
}

void AddSelector(Syntax& syntax, Selector& selector, std::string_view default_shape, std::string_view default_run) {
  syntax.Add("--run", &selector.run, fmt::format("UUID prefix, id or label (default: {})", default_run),
             {.value = "RUN", .not_empty = true, .words = "runs"});
  if (!default_shape.empty())
    syntax.Add("--shape", &selector.shape, fmt::format("4096 or 4096x2048x1024 (default: {})", default_shape),
               {.value = "SHAPE", .not_empty = true});
  syntax.Add("--gpu", &selector.gpu, "part of the GPU's name", {.value = "NAME"});
}

void AddLaunchSelector(Syntax& syntax, Selector& selector, std::string_view default_shape) {
  AddSelector(syntax, selector, default_shape);
  syntax.Add("--nvtx", &selector.nvtx, "a program's launch in this NVTX range (numbers are ignored)",
             {.value = "RANGE", .not_empty = true});
  syntax.Add("--launch", &selector.launch,
             "number of the launch at that shape: 'culprit show' lists them (default: the first)",
             {.value = "N", .least = 1});
}

double ParsePercent(const char* option, const std::string& text) {
  double percent = 0;
  if (!RE2::FullMatch(text, R"((\d*\.?\d*(?:[eE][+-]?\d+)?) ?%?)", &percent) || !std::isfinite(percent))
    throw Error(fmt::format("{} takes a percentage from 0 on, such as 2%, not '{}'.", option, text));
  return percent / 100;
}

}  // namespace culprit
