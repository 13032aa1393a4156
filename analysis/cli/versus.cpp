// SPDX-License-Identifier: Apache-2.0
#include "analysis/cli/versus.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <memory>

#include "bench/program/program_recorder.h"

namespace culprit {
namespace {

constexpr const char* kNotes =
    "Programs\n"
    "  culprit versus OLD NEW                     both without arguments\n"
    "  culprit versus OLD NEW -- ARGUMENT...      both with the same arguments\n"
    "  culprit versus -- OLD ARGUMENT... -- NEW ARGUMENT...\n"
    "  Executions take turns: old new, new old. Each is recorded as by 'culprit\n"
    "  record --profile none', and the output of the programs is discarded. After 8,\n"
    "  12, 18, 27 and 32 executions of each, versus checks whether a slow-down beyond\n"
    "  the limit is shown or excluded, and stops if so. If a program is compared with\n"
    "  itself, there are at most 0.5 % false alarms. If the two differ, each is\n"
    "  recorded once more with counters, which say why: all kernels are sampled, and\n"
    "  those that changed are counted exactly. Every execution is in the database as\n"
    "  soon as it ends.\n"
    "\n"
    "Benchmarks that are linked to culprit::workload\n"
    "  versus recognises them. 8 processes of each (the first number of --processes)\n"
    "  take turns and time all kernels. Then one process of each counts. Kernels are\n"
    "  matched by id and shape, so keep both when you change a kernel.\n"
    "\n"
    "Exit status\n"
    "  1  the program, a kernel with a tenth of its work, or a kernel of a benchmark\n"
    "     is slower by more than the limit\n"
    "  2  a program failed or hung, a signal arrived, or a launch of a benchmark is\n"
    "     missing, failed or wrong in NEW\n"
    "  3  a slow-down of more than the limit is neither shown nor excluded\n"
    "  0  otherwise";

constexpr const char* kUsage =
    "versus needs two programs: culprit versus ./old ./new. If they have different arguments: culprit versus -- ./old "
    "its arguments -- ./new its arguments. If a program itself needs a --, put its command into a script.";

VersusPrograms ProgramsOf(const Versus& args) {
  if (args.old_program.empty() != args.new_program.empty()) throw Error(kUsage);
  const auto& words = args.words;
  if (!args.old_program.empty()) {
    VersusPrograms programs{{{args.old_program}, {args.new_program}}};
    for (auto& program : programs) program.insert(program.end(), words.begin(), words.end());
    return programs;
  }
  const auto between = std::ranges::find(words, "--");
  const bool one_between = between != words.end() && std::find(between + 1, words.end(), "--") == words.end();
  if (!one_between || between == words.begin() || between + 1 == words.end()) throw Error(kUsage);
  return {{{words.begin(), between}, {between + 1, words.end()}}};
}

}  // namespace

std::pair<int, int> ParseProcesses(const std::string& text) {
  int fewest = 0, most = 0;
  if (RE2::FullMatch(text, R"((\d{1,4}))", &fewest))
    most = fewest;
  else
    RE2::FullMatch(text, R"((\d{1,4})\.\.(\d{1,4}))", &fewest, &most);
  if (fewest == 0 || most < fewest || most > 1000)
    throw Error(fmt::format(
        "--processes takes a number or a range of processes of each program, such as 8..32, not '{}'.", text));
  return {fewest, most};
}

std::array<std::string, 2> LabelsOf(const Versus& args, const std::array<std::string, 2>& usual) {
  if (args.labels.empty()) return usual;
  if (args.labels.size() != 2 || args.labels[0].empty() || args.labels[1].empty() || args.labels[0] == args.labels[1])
    throw Error("--label takes two different labels: --label old,new.");
  return {args.labels[0], args.labels[1]};
}

Action AddVersus(Syntax& syntax) {
  auto args = std::make_shared<Versus>();
  syntax.Add("OLD", &args->old_program, "program or benchmark with the old kernels", {.value = "PROGRAM"});
  syntax.Add("NEW", &args->new_program, "the same with the new kernels", {.value = "PROGRAM"});
  syntax.Add("ARGUMENTS", &args->words, "after --: arguments for both, or both programs, each with its own arguments",
             {.value = "TEXT", .behind_dashes = true});
  syntax.Add("--processes", &args->processes,
             "number of processes of each at the first and at the last look (default: 8..32)",
             {.value = "N..M", .not_empty = true});
  syntax.Add("--budget", &args->budget_s,
             "for programs: seconds after which no further execution begins (default: 600)",
             {.value = "SECONDS", .least = 1, .most = 1'000'000});
  syntax.Add("--max-slowdown", &args->max_slowdown, "accepted increase of the time (default: 1%, for benchmarks 2%)",
             {.value = "PERCENT"});
  syntax.Add("--label", &args->labels, "labels of the old and the new runs", {.value = "OLD,NEW", .commas = true});
  syntax.Add(
      "--profile", &args->profile,
      "which counters to read to say why: none, core or full. Default for programs: as 'culprit record' has them, "
      "and exact ones of kernels whose calls take another time; for benchmarks: full",
      {.value = "SET", .among = {"none", "core", "full"}});
  syntax.Add("--capture", &args->capture,
             "for programs: record only a part of each, as --capture of 'culprit record' says",
             {.value = "WINDOW", .not_empty = true});
  AddReportOptions(syntax, *args);
  syntax.notes = kNotes;
  return [args](Streams& streams) {
    const VersusPrograms programs = ProgramsOf(*args);
    const bool benchmarks = IsBenchmark(programs[0].front()) && IsBenchmark(programs[1].front());
    if (benchmarks && !args->capture.empty())
      throw Error("--capture takes a part of a program; a benchmark times its kernels by itself, so leave it out.");
    if (!args->capture.empty()) ParseCapture(args->capture);  // what is wrong with it is said before anything runs
    (benchmarks ? RunBenchmarks : RunPrograms)(*args, programs, streams);
  };
}

}  // namespace culprit
