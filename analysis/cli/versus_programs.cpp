// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <fstream>
#include <set>

#include "analysis/cli/culprit.h"
#include "analysis/cli/versus.h"
#include "analysis/gate/ab.h"
#include "analysis/gate/change_text.h"
#include "analysis/number/format.h"
#include "analysis/show/report/ab_report.h"
#include "analysis/show/report/version_change.h"
#include "bench/program/gpu_watch.h"
#include "bench/program/pipe.h"
#include "bench/program/private_folder.h"
#include "bench/program/recorded_program.h"
#include "db/new_run_id.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct Side {
  const char* name;
  std::vector<std::string> words;
  std::string label;
  std::vector<RunSummary> runs = {};  // that count
  double longest_s = 0;
  int failures = 0;
};

std::array<Side, 2> SidesOf(const Versus& args, const VersusPrograms& programs) {
  const std::string name = "versus-" + NewUuid().substr(0, 8);
  const auto labels = LabelsOf(args, {name + "-old", name + "-new"});
  return {Side{"base", programs[0], labels[0]}, Side{"candidate", programs[1], labels[1]}};
}

// Looks of fewer processes could show nothing.
std::pair<int, int> LooksOf(const Versus& args) {
  const std::pair<int, int> processes = ParseProcesses(args.processes);
  if (const int least = LeastForLooks(kAbFalseAlarms / 2); processes.second < least)
    throw Error(
        fmt::format("fewer than {} processes of each program cannot show a difference at this rate of false alarms; "
                    "use --processes 8..32.",
                    least));
  return processes;
}

double LimitOf(const Versus& args) {
  return ParsePercent("--max-slowdown", args.max_slowdown.empty() ? "1%" : args.max_slowdown);
}

class Session {
 public:
  Session(const Versus& args, const VersusPrograms& programs, Streams& streams)
      : args_(args),
        streams_(streams),
        budget_s_(args.budget_s > 0 ? args.budget_s : 600),
        profile_(args.profile),
        sides_(SidesOf(args, programs)),
        processes_(LooksOf(args)),
        test_(LimitOf(args), processes_.second) {
    Database::OpenForRecording(args.db);  // what cannot be written to is said before anything runs
    for (Side& side : sides_)
      for (const RunSummary& run : Named(side)) known_.insert(run.id);
  }

  void Run() {
    const SignalsPassedOn signals;
    Record();
    if (SignalsPassedOn::Received() == 0) watch_.LookAgain();
    if (sides_[0].runs.empty() || sides_[1].runs.empty())
      throw Error(problems_.empty() ? "a signal stopped it before both programs had run once." : problems_.back());
    if (Differs() && profile_ != "none" && SignalsPassedOn::Received() == 0 && problems_.empty()) Count();
    Show();
  }

 private:
  double Seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  std::vector<RunSummary> Named(const Side& side) const {
    std::vector<RunSummary> runs = Database::OpenForReading(args_.db).RunsNamed(side.label);
    std::erase_if(runs, [&](const RunSummary& run) { return run.run.label != side.label; });
    return runs;
  }

  // Both in turns until it is clear, the budget is spent, there are enough, or something stops it.
  void Record() {
    int next_look = processes_.first;
    for (int pair = 0; pair < processes_.second; ++pair) {
      if (pair > 0 && Seconds() + Seconds() / pair > budget_s_) {
        problems_of_time_ = fmt::format("The budget of {} s was spent after {} processes of each.", budget_s_, pair);
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
    const double left = std::max(budget_s_ - Seconds(), std::min<double>(budget_s_, kAtLeast));
    const double most = side.longest_s > 0 ? std::min(left, std::max(kAtLeast, kTimes * side.longest_s)) : left;
    std::string failure = RecordOne(side, {"--profile", "none"}, most);
    if (SignalsPassedOn::Received() != 0) {
      problems_.emplace_back("A signal stopped versus. The executions recorded until then are judged.");
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
  std::string RecordOne(Side& side, const std::vector<std::string>& options, std::optional<double> most_s) {
    const PrivateFolder folder;
    const std::string said = folder.path() / "said";
    const OpenFile in("/dev/null", O_RDONLY), out("/dev/null", O_WRONLY), err(said.c_str(), O_WRONLY | O_CREAT);
    std::vector<std::string> words = {"/proc/self/exe", "record", "--db", args_.db, "--label", side.label};
    words.insert(words.end(), options.begin(), options.end());
    if (!args_.capture.empty()) words.insert(words.end(), {"--capture", args_.capture});
    words.emplace_back("--");
    words.insert(words.end(), side.words.begin(), side.words.end());
    const ProgramEnd end = RunAsItIs(words, {}, {in.get(), out.get(), err.get()},
                                     most_s ? std::optional(TimeLimit{*most_s, {}}) : std::nullopt);
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
    test_.Look(Database::OpenForReading(args_.db), sides_[0].runs, sides_[1].runs, last);
    if (test_.quantities().empty()) return;
    const AbQuantity& program = test_.quantities().front();
    streams_.err << fmt::format("culprit: {} and {} processes after {:.0f} s: {}\n", sides_[0].runs.size(),
                                sides_[1].runs.size(), Seconds(),
                                program.change ? ChangeText(*program.change) : "too few for an interval")
                 << std::flush;
  }

  bool Differs() const {
    return std::ranges::any_of(test_.quantities(), [](const AbQuantity& q) {
      return q.verdict != AbVerdict::kSame && q.verdict != AbVerdict::kOpen;
    });
  }

  // Options of `record` for each side. By default all kernels are sampled, and those whose calls take another time are
  // also counted exactly.
  std::array<std::vector<std::string>, 2> HowToCount() const {
    if (!profile_.empty()) return {{{"--profile", profile_}, {"--profile", profile_}}};
    const Database database = Database::OpenForReading(args_.db);
    const ProgramExplanation timed = ExplainProgram(database, sides_[0].runs, sides_[1].runs);
    std::array<std::vector<std::string>, 2> names;
    for (const ProgramPart* part : LeadingParts(timed)) {
      for (const std::size_t i : part->match.base) names[0].push_back(RE2::QuoteMeta(timed.base_launches[i].stage.id));
      for (const std::size_t i : part->match.candidate)
        names[1].push_back(RE2::QuoteMeta(timed.candidate_launches[i].stage.id));
    }
    std::array<std::vector<std::string>, 2> options;
    for (std::size_t i = 0; i < names.size(); ++i)
      if (!names[i].empty()) options[i] = {"-k", fmt::format("^({})$", fmt::join(names[i], "|"))};
    return options;
  }

  // One of each with counters: their times came first, and count as any other's.
  void Count() {
    streams_.err << "culprit: the programs differ, so each is recorded once more with counters\n" << std::flush;
    const auto options = HowToCount();
    std::array<Side, 2> counted = sides_;
    for (std::size_t i = 0; i < counted.size(); ++i) {
      counted[i].runs.clear();
      if (const std::string failure = RecordOne(counted[i], options[i], {}); !failure.empty()) {
        problems_.push_back("No counters: " + failure);
        return;
      }
    }
    why_ = ExplainProgram(Database::OpenForReading(args_.db), counted[0].runs, counted[1].runs);
  }

  void Show() {
    std::vector<std::string> caveats = problems_;
    if (const auto change =
            VersionChange(Database::OpenForReading(args_.db), sides_[0].runs.front().id, sides_[1].runs.front().id))
      caveats.push_back(change->text);
    if (!problems_of_time_.empty()) caveats.push_back(problems_of_time_);
    for (std::string& finding : watch_.Findings()) caveats.push_back(std::move(finding));
    if (const auto drift = test_.Drift())
      caveats.push_back(
          fmt::format("Both changed by {} from the first half of the executions to the second, so the machine changed. "
                      "They took turns, so this affected both alike.",
                      ChangeText(*drift)));
    Render(MakeAbReport({test_, sides_[0].runs, sides_[1].runs, sides_[0].label, sides_[1].label, Seconds(), caveats,
                         std::move(why_)}),
           args_.output, streams_);
    streams_.exit_status = static_cast<int>(test_.Status());
    // A program that fails passes no gate.
    const bool failed = sides_[0].failures + sides_[1].failures > 0;
    const bool slower = test_.Status() == CheckStatus::kRegression;
    if (!slower && (failed || SignalsPassedOn::Received() != 0))
      streams_.exit_status = static_cast<int>(CheckStatus::kNotJudged);
  }

  const Versus& args_;
  Streams& streams_;
  const Clock::time_point start_ = Clock::now();
  const int budget_s_;
  const std::string profile_;
  std::array<Side, 2> sides_;
  std::pair<int, int> processes_;
  AbTest test_;
  GpuWatch watch_;
  std::set<RunId> known_;
  std::vector<std::string> problems_;
  std::string problems_of_time_;
  std::optional<ProgramExplanation> why_;
};

}  // namespace

void RunPrograms(const Versus& args, const VersusPrograms& programs, Streams& streams) {
  Session(args, programs, streams).Run();
}

}  // namespace culprit
