// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "analysis/cli/name_runs.h"
#include "analysis/cli/server.h"
#include "analysis/fleet/sent_run.h"
#include "analysis/launch/recording.h"
#include "analysis/show/render/tabulate.h"
#include "db/compressed.h"

namespace culprit {
namespace {

struct Arguments : ReportOptions {
  std::string server;
  std::vector<std::string> runs;
  std::string branch, base_branch = "main";
  bool not_judged = false;
};

constexpr const char* kNotes =
    "Sends complete runs that the server does not have, each in one transaction. The\n"
    "file is only read. If the connection breaks, the same command goes on where it\n"
    "stopped.\n"
    "Each run is compared with the newest earlier run of its workload, GPU model and\n"
    "branch, else of the base branch. The server keeps the verdicts and first causes.\n"
    "This needs the role culprit_read, too.\n"
    "The branch: --branch for all of them. Else, of runs of the CI job's own commit,\n"
    "$GITHUB_HEAD_REF, $GITHUB_REF_NAME or $CI_COMMIT_REF_NAME.\n"
    "Exit status: 0 all is on the server; 2 something is not, and the report says what.";

struct Row {
  RunSummary run;
  std::string state = {};  // "sent", "already there", ...
  std::string why = {};    // it was not sent
  std::string base = {};   // it was compared with
  std::size_t launches = 0, archive_bytes = 0;
  std::int64_t metric_values = 0;
};

std::string Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// A file may have runs of other commits, which an earlier job could not send.
std::string BranchOf(const std::string& given, const RunRecord& run) {
  if (!given.empty()) return given;
  for (const auto& [commit, name] : {std::pair("GITHUB_SHA", "GITHUB_HEAD_REF"),
                                     {"GITHUB_SHA", "GITHUB_REF_NAME"},
                                     {"CI_COMMIT_SHA", "CI_COMMIT_REF_NAME"}})
    if (!Variable(name).empty() && !run.git_sha.empty() && Variable(commit) == run.git_sha) return Variable(name);
  return "";
}

std::vector<RunSummary> ChosenRuns(const Database& database, const Arguments& args) {
  std::vector<RunSummary> chosen;
  if (args.runs.empty()) {
    chosen = database.RunsToChooseFrom();
    std::ranges::reverse(chosen);
    return chosen;
  }
  std::set<RunId> known;
  for (const std::string& name : args.runs)
    for (RunSummary& run : FindRuns(database, "--run", name))
      if (known.insert(run.id).second) chosen.push_back(std::move(run));
  std::ranges::sort(chosen, {}, [](const RunSummary& r) { return std::pair(r.run.started_utc, r.run.uuid); });
  return chosen;
}

// A run that was read, with its export.
struct Prepared {
  SentRun sent;
  std::string text;  // empty if nothing is judged
};

// Reads the next runs while the server stores the one before: reading takes twice as long. Each reader has a connection,
// which is for one thread.
class Readers {
 public:
  Readers(const Arguments& args, std::vector<const Row*> rows, bool keep_text)
      : args_(args), rows_(std::move(rows)), keep_text_(keep_text) {
    for (std::size_t i = 0; i < std::min(kReaders, rows_.size()); ++i)
      databases_.push_back(std::make_unique<Database>(Database::OpenForReading(args.db)));
    for (std::size_t i = 0; i < databases_.size(); ++i) Begin(i);
  }

  // The runs in the order of `rows`, one a call. Throws what made the run unreadable.
  Prepared Next() {
    std::future<Prepared> now = std::move(ahead_.front());
    ahead_.pop_front();
    now.wait();
    if (const std::size_t i = next_++ + databases_.size(); i < rows_.size()) Begin(i);
    return now.get();
  }

 private:
  static constexpr std::size_t kReaders = 2;

  void Begin(std::size_t i) {
    ahead_.push_back(std::async(std::launch::async, [this, i] {
      const RunSummary& run = rows_[i]->run;
      const Database& database = *databases_[i % databases_.size()];
      Prepared prepared{MakeSentRun(database, run, BranchOf(args_.branch, run.run)), database.Export({run.id})};
      prepared.sent.run.archive = Compressed(prepared.text, Effort::kFast);
      if (!keep_text_) prepared.text.clear();
      return prepared;
    }));
  }

  const Arguments& args_;
  std::vector<const Row*> rows_;
  bool keep_text_;
  std::vector<std::unique_ptr<Database>> databases_;
  std::deque<std::future<Prepared>> ahead_;  // waited for before the connections are closed
  std::size_t next_ = 0;
};

class Pusher {
 public:
  // It reads bases by a connection of its own.
  Pusher(const Arguments& args, Fleet& fleet) : args_(args), fleet_(fleet) {
    if (!args.not_judged && fleet.CanRead()) bases_.emplace(Database::OpenForReading(args.db));
  }

  bool Judges() const { return bases_.has_value(); }

  void Send(Row& row, Prepared& prepared) {
    SentRun& sent = prepared.sent;
    if (Judges()) JudgeIfPossible(row, sent, prepared.text);
    row.launches = sent.run.kernels.size();
    row.archive_bytes = sent.run.archive.size();
    row.metric_values = 0;
    for (const FleetKernel& kernel : sent.run.kernels)
      row.metric_values += static_cast<std::int64_t>(kernel.readings.size());
    row.base = sent.run.base_uuid.substr(0, 8);
    switch (fleet_.Send(sent.run)) {
      case Sent::kNow:
        row.state = "sent";
        break;
      case Sent::kAlreadyThere:
        row.state = "already there";
        break;
      case Sent::kOtherContent:
        row.state = "kept apart";
        break;
    }
  }

 private:
  // A base that cannot be read must not keep the run from being sent.
  void JudgeIfPossible(Row& row, SentRun& sent, const std::string& text) {
    try {
      Judge(sent, text);
    } catch (const Error& error) {
      if (!fleet_.IsAlive()) throw;
      sent.run.base_uuid.clear();
      for (FleetKernel& kernel : sent.run.kernels) kernel.verdict = {};
      row.why = std::string("not compared: ") + error.what();
    }
  }

  // The base is read from the file if it is there.
  void Judge(SentRun& sent, const std::string& text) {
    const auto base = fleet_.FindBase(sent.run, args_.base_branch);
    if (!base) return;
    const std::vector<RunSummary> here = bases_->RunsNamed(base->uuid);
    if (here.size() == 1 && here.front().state == "complete") {
      JudgeAgainst(sent, bases_->LoadKernels(here.front().id, Ordinals::kAll), Neighbours(*bases_));
      return;
    }
    if (fetched_uuid_ != base->uuid) {
      fetched_ = Decompressed(fleet_.Archive(*base), kMostArchiveBytes);
      fetched_uuid_ = base->uuid;
    }
    Database both = Database::InMemory();
    both.Import(fetched_, "the base");
    both.Import(text, "the run");
    const auto kernels = [&](const std::string& uuid) {
      return both.LoadKernels(both.FindRun({.run = uuid}).id, Ordinals::kAll);
    };
    JudgeAgainst(sent, kernels(base->uuid), Neighbours(both));
  }

  const Arguments& args_;
  Fleet& fleet_;
  std::optional<Database> bases_;       // none: nothing is judged
  std::string fetched_uuid_, fetched_;  // the last base that was not in the file
};

// Tries once more on a new connection if the old one broke. The server then has the whole run, or nothing of it.
void SendOrReconnect(Fleet& fleet, const std::string& server, const std::function<void()>& send) {
  try {
    send();
  } catch (const Error&) {
    if (fleet.IsAlive()) throw;
    fleet = Fleet(server);
    send();
  }
}

Report MakeReport(const std::vector<Row>& rows, bool judges, const Arguments& args) {
  Report report{"push", "Runs sent"};
  ReportTable table =
      Tabulate<Row>("runs", "", rows,
                    {{"run", "Run", [](const Row& r) { return ShortUuid(r.run.run); }},
                     {"run_uuid", [](const Row& r) { return r.run.run.uuid; }},
                     {"run_label", "Label", [](const Row& r) { return r.run.run.label; }},
                     {"recorded_utc", "Started", [](const Row& r) { return r.run.run.started_utc; }},
                     {"state", "State", [](const Row& r) { return r.state; }},
                     {"base", "Compared with", [](const Row& r) { return r.base; }},
                     {"launches", "Kernels", Unit::kCount, [](const Row& r) { return r.launches; }},
                     {"metric_values", "Counters", Unit::kCount, [](const Row& r) { return r.metric_values; }},
                     {"archive_bytes", "Size", Unit::kBytes, [](const Row& r) { return r.archive_bytes; }},
                     {"why", "", [](const Row& r) { return r.why; }}});
  report.sections.push_back({"pushed", "", {}, {std::move(table)}});
  const auto count = [&](std::string_view state) { return std::ranges::count(rows, state, &Row::state); };
  if (count("not sent") > 0)
    report.warnings.push_back(
        fmt::format("{} of {} runs could not be sent. They stay in {}; run the same command again.", count("not sent"),
                    rows.size(), args.db));
  if (count("kept apart") > 0)
    report.warnings.push_back("The server has a run of the same UUID with other content, and keeps it.");
  if (count("sent") > 0 && !judges && !args.not_judged)
    report.notes.push_back("Nothing was compared with a base: this needs the role culprit_read, too.");
  return report;
}

void Run(const Arguments& args, Streams& streams) {
  const Database database = Database::OpenForReading(args.db);
  std::vector<Row> rows;
  for (RunSummary& run : ChosenRuns(database, args)) rows.push_back({std::move(run)});
  Fleet fleet(ServerOf(args.server));
  std::vector<std::string> uuids;
  for (const Row& row : rows) uuids.push_back(row.run.run.uuid);
  std::map<std::string, std::string> known;
  for (auto& [uuid, content] : fleet.Known(uuids)) known.emplace(uuid, content);
  std::vector<Row*> to_send;
  for (Row& row : rows)
    if (row.run.state != "complete") {
      row.state = "not complete";
      row.why = "it is " + row.run.state;
    } else if (known.contains(row.run.run.uuid)) {
      row.state = ContentOf(database, row.run.id) == known[row.run.run.uuid] ? "already there" : "kept apart";
    } else {
      to_send.push_back(&row);
    }
  Pusher pusher(args, fleet);
  Readers readers(args, {to_send.begin(), to_send.end()}, pusher.Judges());
  std::string broken;  // why nothing more can be sent
  for (Row* row : to_send) {
    row->state = "not sent";
    row->why = broken;
    if (!broken.empty()) continue;
    try {
      Prepared prepared = readers.Next();
      SendOrReconnect(fleet, ServerOf(args.server), [&] { pusher.Send(*row, prepared); });
    } catch (const Error& error) {
      row->why = error.what();
      if (!fleet.IsAlive()) broken = row->why;
    }
  }
  for (const Row& row : rows) {
    const bool asked_for = !args.runs.empty() && row.state == "not complete";
    if (row.state == "not sent" || row.state == "kept apart" || asked_for) streams.exit_status = 2;
  }
  Render(MakeReport(rows, pusher.Judges(), args), args.output, streams);
}

}  // namespace

Action AddPush(Syntax& syntax) {
  auto args = std::make_shared<Arguments>();
  AddServer(syntax, args->server);
  syntax.Add("--run", &args->runs, "UUID prefix, id or label; may be repeated (default: every complete run)",
             {.value = "RUN", .words = "runs"});
  syntax.Add("--branch", &args->branch, "the branch of the runs' commits", {.value = "NAME", .not_empty = true});
  syntax.Add("--base-branch", &args->base_branch, "whose runs are the base of a new branch (default: main)",
             {.value = "NAME", .not_empty = true});
  syntax.Add("--not-judged", &args->not_judged, "compare with no base");
  AddReportOptions(syntax, *args);
  syntax.notes = kNotes;
  return [args](Streams& streams) { Run(*args, streams); };
}

}  // namespace culprit
