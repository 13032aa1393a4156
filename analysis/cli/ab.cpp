// SPDX-License-Identifier: Apache-2.0
#include "analysis/gate/ab.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <fstream>
#include <memory>
#include <set>

#include "analysis/cli/command.h"
#include "analysis/cli/culprit.h"
#include "analysis/cli/gpu_watch.h"
#include "analysis/cli/percent.h"
#include "analysis/cli/private_folder.h"
#include "analysis/cli/recorded_program.h"
#include "analysis/render/format.h"
#include "analysis/report/ab_report.h"
#include "db/new_run_id.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct Arguments {
  DatabaseOption db;
  OutputOptions output;
  int budget_s = 600;
  std::string processes = "8..32", max_slowdown = "1%", profile = "core";
  std::vector<std::string> labels, words;
};

constexpr const char* kNotes =
    "Each execution is recorded as by 'culprit record --profile none', in the order\n"
    "base candidate, candidate base; what they print is discarded. After 8, 12, 18,\n"
    "27 and 32 of each it looks: a slow-down beyond the limit is shown, or excluded,\n"
    "or it goes on. Two programs that are one are called different in 0.5 % at most.\n"
    "Where they differ, one more execution of each has its counters read, to say why.\n"
    "Every execution is in the database as soon as it ends, whatever comes after.\n"
    "\n"
    "Exit status\n"
    "  1  the program, or a kernel with a tenth of its work, is slower by more than\n"
    "     the limit\n"
    "  2  else: that is neither shown nor excluded within the budget, or a program\n"
    "     failed\n"
    "  0  else";

struct Side {
  const char* name;
  std::vector<std::string> words;
  std::string label;
  std::vector<RunSummary> runs = {};  // that count
  double longest_s = 0;
  int failures = 0;
};

std::array<Side, 2> SidesOf(const Arguments& args) {
  const auto& words = args.words;
  const auto between = std::ranges::find(words, "--");
  const bool one_between = between != words.end() && std::find(between + 1, words.end(), "--") == words.end();
  if (!one_between || between == words.begin() || between + 1 == words.end())
    throw Error(
        "ab needs two programs, with -- before and between: culprit ab -- ./old its arguments -- ./new its arguments. "
        "A -- of a program's own goes into a script.");
  std::vector<std::string> labels = args.labels;
  if (labels.empty()) {
    const std::string name = "ab-" + NewUuid().substr(0, 8);
    labels = {name + "-base", name + "-cand"};
  }
  if (labels.size() != 2 || labels[0].empty() || labels[1].empty() || labels[0] == labels[1])
    throw Error("--label takes two different labels: --label old,new.");
  return {Side{"base", {words.begin(), between}, labels[0]}, Side{"candidate", {between + 1, words.end()}, labels[1]}};
}

// "8..32", "16".
std::pair<int, int> ParseProcesses(const std::string& text) {
  const auto number = [](std::string_view digits) {
    int value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc() && end == digits.data() + digits.size() && value > 0 && value <= 1000 ? value : 0;
  };
  const auto dots = text.find("..");
  const int fewest = number(std::string_view(text).substr(0, std::min(dots, text.size())));
  const int most = dots == text.npos ? fewest : number(std::string_view(text).substr(dots + 2));
  if (fewest == 0 || most < fewest)
    throw Error(
        fmt::format("--processes takes a number or a range of processes a side, such as 8..32, not '{}'.", text));
  if (const int least = LeastForLooks(kAbFalseAlarms / 2); most < least)
    throw Error(
        fmt::format("fewer than {} processes a side can show nothing at this rate of false alarms: --processes "
                    "8..32 is usual.",
                    least));
  return {fewest, most};
}

class Session {
 public:
  Session(const Arguments& args, Streams& streams)
      : args_(args),
        streams_(streams),
        sides_(SidesOf(args)),
        limit_(ParsePercent("--max-slowdown", args.max_slowdown)),
        processes_(ParseProcesses(args.processes)),
        test_(limit_, processes_.second) {
    Database::OpenForRecording(args.db.File());  // what cannot be written to is said before anything runs
    for (Side& side : sides_)
      for (const RunSummary& run : Named(side)) known_.insert(run.id);
  }

  void Run() {
    const SignalsPassedOn signals;
    Record();
    if (SignalsPassedOn::Received() == 0) watch_.LookAgain();
    if (sides_[0].runs.empty() || sides_[1].runs.empty())
      throw Error(problems_.empty() ? "a signal stopped it before both programs had run once." : problems_.back());
    if (Differs() && args_.profile != "none" && SignalsPassedOn::Received() == 0 && problems_.empty()) Count();
    Show();
  }

 private:
  double Seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  std::vector<RunSummary> Named(const Side& side) const {
    std::vector<RunSummary> runs = Database::OpenForReading(args_.db.File()).RunsNamed(side.label);
    std::erase_if(runs, [&](const RunSummary& run) { return run.run.label != side.label; });
    return runs;
  }

  // Both in turns until it is clear, the budget is spent, there are enough, or something stops it.
  void Record() {
    int next_look = processes_.first;
    for (int pair = 0; pair < processes_.second; ++pair) {
      if (pair > 0 && Seconds() + Seconds() / pair > args_.budget_s) {
        problems_of_time_ =
            fmt::format("The budget of {} s was spent after {} processes of each.", args_.budget_s, pair);
        break;
      }
      const int first = pair % 2;
      if (!Once(first) || !Once(1 - first)) break;
      if (pair + 1 < next_look || pair + 1 == processes_.second) continue;
      Look(false);
      if (test_.IsClear()) return;
      next_look = NextLook(pair + 1, processes_.second);
    }
    Look(true);
  }

  // False: no further one.
  bool Once(int which) {
    Side& side = sides_[static_cast<std::size_t>(which)];
    const auto began = Clock::now();
    // The first may take all the time that there is; a later one that takes ten times the longest hangs.
    constexpr double kAtLeast = 5, kTimes = 10;
    const double left = std::max(args_.budget_s - Seconds(), std::min<double>(args_.budget_s, kAtLeast));
    const double most = side.longest_s > 0 ? std::min(left, std::max(kAtLeast, kTimes * side.longest_s)) : left;
    std::string failure = RecordOne(side, "none", most);
    if (SignalsPassedOn::Received() != 0) {
      problems_.emplace_back("A signal stopped it: what was recorded until then is judged.");
      return false;
    }
    watch_.Look(which);
    if (failure.empty()) {
      side.longest_s = std::max(side.longest_s, std::chrono::duration<double>(Clock::now() - began).count());
      return true;
    }
    problems_.push_back(std::move(failure));
    // Once is an accident that may be the measured program's, twice is a program that fails.
    return ++side.failures < 2 && !side.runs.empty();
  }

  // Empty: it ran as it should and its run counts; else a sentence.
  std::string RecordOne(Side& side, const std::string& profile, std::optional<double> most_s) {
    const PrivateFolder folder;
    const auto output = [&](const char* file) { return open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600); };
    const std::string said = folder.path() / "said";
    const int in = open("/dev/null", O_RDONLY | O_CLOEXEC), out = output("/dev/null"), err = output(said.c_str());
    std::vector<std::string> words = {"/proc/self/exe", "record",   "--db", args_.db.File(), "--profile", profile,
                                      "--label",        side.label, "--"};
    words.insert(words.end(), side.words.begin(), side.words.end());
    const ProgramEnd end =
        RunAsItIs(words, {}, {in, out, err}, most_s ? std::optional(TimeLimit{*most_s, {}}) : std::nullopt);
    for (const int descriptor : {in, out, err})
      if (descriptor >= 0) close(descriptor);
    const std::string what = fmt::format("The {} ({})", side.name, side.words.front());
    std::optional<RunSummary> run;
    for (RunSummary& one : Named(side))
      if (known_.insert(one.id).second) run = std::move(one);
    if (end.was_ended)
      return fmt::format("{} did not end within {} and was ended.", what, Format(*most_s * 1e6, Unit::kTimeUs));
    if (!run || run->state != "complete" || end.status != 0)
      return fmt::format("{} ended with status {}{}{}", what, end.status, run ? "" : " and nothing was recorded",
                         LastLine(said));
    side.runs.push_back(std::move(*run));
    return {};
  }

  static std::string LastLine(const std::string& file) {
    std::ifstream in(file);
    std::string last;
    for (std::string line; std::getline(in, line);)
      if (!line.empty()) last = line;
    return last.empty() ? "." : ": " + last;
  }

  void Look(bool last) {
    test_.Look(Database::OpenForReading(args_.db.File()), sides_[0].runs, sides_[1].runs, last);
    if (test_.quantities().empty()) return;
    const AbQuantity& program = test_.quantities().front();
    streams_.err << fmt::format("culprit: {} and {} processes after {:.0f} s: ", sides_[0].runs.size(),
                                sides_[1].runs.size(), Seconds());
    if (program.change)
      streams_.err << fmt::format("{} ({} .. {})\n", Format(100 * program.change->change, Unit::kChangePercent),
                                  Format(100 * program.change->low, Unit::kChangePercent),
                                  Format(100 * program.change->high, Unit::kChangePercent))
                   << std::flush;
    else
      streams_.err << "too few for an interval\n" << std::flush;
  }

  bool Differs() const {
    return std::ranges::any_of(test_.quantities(), [](const AbQuantity& q) {
      return q.verdict != AbVerdict::kSame && q.verdict != AbVerdict::kOpen;
    });
  }

  // One of each with counters: their times came first, and count as any other's.
  void Count() {
    streams_.err << "culprit: they differ: reading counters of one more execution of each\n" << std::flush;
    std::array<Side, 2> counted = sides_;
    for (std::size_t i = 0; i < counted.size(); ++i) {
      counted[i].runs.clear();
      if (const std::string failure = RecordOne(counted[i], args_.profile, {}); !failure.empty()) {
        problems_.push_back("No counters: " + failure);
        return;
      }
    }
    why_ = ExplainProgram(Database::OpenForReading(args_.db.File()), counted[0].runs, counted[1].runs);
  }

  void Show() {
    std::vector<std::string> caveats = problems_;
    if (!problems_of_time_.empty()) caveats.push_back(problems_of_time_);
    for (std::string& finding : watch_.Findings()) caveats.push_back(std::move(finding));
    if (const auto drift = test_.Drift())
      caveats.push_back(fmt::format(
          "Both changed by {} from the first half of the executions to the second: the machine's state did; they took "
          "turns, so it moved both alike.",
          Format(100 * *drift, Unit::kChangePercent)));
    Render(MakeAbReport({test_, sides_[0].runs, sides_[1].runs, sides_[0].label, sides_[1].label, Seconds(), caveats,
                         std::move(why_)}),
           args_.output, streams_);
    streams_.exit_status = static_cast<int>(test_.Status());
    // A program that fails passes no gate.
    const bool failed = sides_[0].failures + sides_[1].failures > 0;
    if (streams_.exit_status == 0 && (failed || SignalsPassedOn::Received() != 0)) streams_.exit_status = 2;
  }

  const Arguments& args_;
  Streams& streams_;
  const Clock::time_point start_ = Clock::now();
  std::array<Side, 2> sides_;
  double limit_;
  std::pair<int, int> processes_;
  AbTest test_;
  GpuWatch watch_;
  std::set<RunId> known_;
  std::vector<std::string> problems_;
  std::string problems_of_time_;
  std::optional<ProgramExplanation> why_;
};

}  // namespace

Action AddAb(Syntax& syntax) {
  auto args = std::make_shared<Arguments>();
  syntax.Add("COMMANDS", &args->words, "behind --: the base and its arguments, --, the candidate and its",
             {.value = "PROGRAM", .rest = true});
  syntax.Add("--budget", &args->budget_s, "seconds after which no further execution begins (default: 600)",
             {.value = "SECONDS", .least = 1, .most = 1'000'000});
  syntax.Add("--processes", &args->processes, "look after so many processes of each first, and last (default: 8..32)",
             {.value = "N..M", .not_empty = true});
  syntax.Add("--max-slowdown", &args->max_slowdown, "a rise of the time that is accepted (default: 1%)",
             {.value = "PERCENT"});
  syntax.Add("--label", &args->labels, "what the runs of the base and of the candidate are called",
             {.value = "BASE,CANDIDATE", .commas = true});
  syntax.Add("--profile", &args->profile, "which counters say why: none, core or full (default: core)",
             {.value = "SET", .among = {"none", "core", "full"}});
  AddDatabaseOption(syntax, args->db);
  AddOutputOptions(syntax, args->output);
  syntax.notes = kNotes;
  return [args](Streams& streams) { Session(*args, streams).Run(); };
}

}  // namespace culprit
