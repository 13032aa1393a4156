// SPDX-License-Identifier: Apache-2.0
#include "bench/program/reporting_processes.h"

#include <fmt/core.h>
#include <poll.h>
#include <sys/wait.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <utility>

#include "bench/program/child.h"
#include "bench/program/pipe.h"

namespace culprit {
namespace {

using Clock = std::chrono::steady_clock;

// Behind the plan, whose lines are not empty.
constexpr const char* kEndOfPlan = "\n";

}  // namespace

ProcessTrace EndedProcess::Trace() const try {
  return ParseTrace(report, "what a process reported");
} catch (const Error&) {
  return {};
}

std::string EndedProcess::HowItEnded(std::chrono::minutes deadline) const {
  if (overdue) return fmt::format("was ended after {} minutes", deadline.count());
  if (WIFSIGNALED(status)) return fmt::format("ended by signal {}", WTERMSIG(status));
  return fmt::format("ended with status {}", WEXITSTATUS(status));
}

// Ends its process when it goes.
class ReportingProcesses::Process {
 public:
  Process(const std::string& program, const ReportingTask& task, bool shows_output, std::size_t index_)
      : index(index_) {
    PutPlan(PlanText(task.plan) + kEndOfPlan);
    std::vector<std::string> words = task.words;
    words.push_back(fmt::format("{}={},{}", kParentOption, plan_.read(), report_.write()));
    const OpenFile nowhere("/dev/null", O_WRONLY);
    child_.emplace(words, ChildOptions{.file = program,
                                       .streams = {.out = shows_output ? -1 : nowhere.get()},
                                       .inherited = {plan_.read(), report_.write()},
                                       .is_guarded = false});
    plan_.CloseRead();
    report_.CloseWrite();
    if (child_->error() != 0) throw Error("cannot start " + program + " as a process of its own: is /proc mounted?");
  }
  Process(const Process&) = delete;
  ~Process() { Kill(); }

  int out() const { return report_.read(); }
  bool ended() const { return ended_; }  // nothing will come any more

  void MayBegin() { plan_.CloseWrite(); }

  void Read() {
    char buffer[1 << 16];  // a pipe's whole room: reports may be megabytes
    const ssize_t got = ReadSome(out(), buffer, sizeof buffer);
    if (got > 0) end.report.append(buffer, static_cast<std::size_t>(got));
    ended_ = got <= 0;
  }

  void Kill() const {
    if (child_ && child_->pid() > 0) kill(child_->pid(), SIGKILL);
  }

  void Await() {
    report_.CloseRead();  // else one that goes on writing would never end
    end.status = child_->Await();
  }

  const std::size_t index;
  EndedProcess end;
  Clock::time_point since = Clock::now();  // its deadline counts from here

 private:
  // Before the process starts: one that ends early leaves nobody who waits for it to read.
  void PutPlan(const std::string& text) {
    const int pipe = plan_.write(), size = static_cast<int>(text.size());
    const bool fits = fcntl(pipe, F_GETPIPE_SZ) >= size || fcntl(pipe, F_SETPIPE_SZ, size) >= size;
    if (!fits || !WriteAll(pipe, text)) throw Error("cannot tell a process what to measure: choose fewer kernels");
  }

  ProcessPipe plan_, report_;
  bool ended_ = false;
  std::optional<Child> child_;
};

ReportingProcesses::ReportingProcesses(std::string program, std::vector<ReportingTask> tasks, ProcessLimits limits,
                                       bool shows_output)
    : program_(std::move(program)), tasks_(std::move(tasks)), limits_(limits), shows_output_(shows_output) {
  StartMore();
}

ReportingProcesses::~ReportingProcesses() = default;

void ReportingProcesses::StartMore() {
  for (; next_ < tasks_.size() && running_.size() < limits_.at_a_time; ++next_) {
    running_.emplace_back(program_, tasks_[next_], shows_output_, next_);
    if (may_begin_) running_.back().MayBegin();
  }
}

// Waits until one of those has something to read or is overdue, reads, and marks the overdue ones.
void ReportingProcesses::ReadFrom(const std::vector<Process*>& processes) {
  std::vector<pollfd> waits;
  Clock::time_point due = Clock::time_point::max();
  for (const Process* p : processes) {
    waits.push_back({p->out(), POLLIN, 0});
    due = std::min(due, p->since + limits_.deadline);
  }
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(due - Clock::now()).count();
  const int ready = poll(waits.data(), waits.size(), static_cast<int>(std::max<decltype(left)>(left, 0)));
  for (std::size_t i = 0; i < waits.size(); ++i) {
    if (ready > 0 && waits[i].revents != 0)
      processes[i]->Read();
    else
      processes[i]->end.overdue = Clock::now() >= processes[i]->since + limits_.deadline;
  }
}

void ReportingProcesses::AwaitFirstWords() {
  for (;;) {
    std::vector<Process*> silent;
    for (Process& p : running_)
      if (p.end.report.empty() && !p.ended() && !p.end.overdue) silent.push_back(&p);
    if (silent.empty()) return;
    ReadFrom(silent);
  }
}

void ReportingProcesses::Finish(const std::function<void(std::size_t, const EndedProcess&)>& done) {
  may_begin_ = true;
  for (Process& p : running_) {
    p.MayBegin();
    p.since = Clock::now();
    p.end.overdue = false;
  }
  while (StartMore(), !running_.empty()) {
    std::vector<Process*> all;
    for (Process& p : running_)
      if (!p.ended()) all.push_back(&p);
    if (all.size() == running_.size()) ReadFrom(all);
    for (auto next = running_.begin(); next != running_.end();) {
      const auto process = next++;
      if (!process->ended() && !process->end.overdue) continue;
      if (process->end.overdue) process->Kill();
      process->Await();
      const std::pair<std::size_t, EndedProcess> finished(process->index, std::move(process->end));
      running_.erase(process);
      done(finished.first, finished.second);
    }
  }
}

EndedProcess RunReporting(ReportingTask task, std::chrono::milliseconds deadline, bool shows_output) {
  EndedProcess ended;
  ReportingProcesses("/proc/self/exe", {std::move(task)}, {1, deadline}, shows_output)
      .Finish([&](std::size_t, const EndedProcess& process) { ended = process; });
  return ended;
}

ParentProcess::ParentProcess(const std::string& descriptors) {
  const char* const end = descriptors.data() + descriptors.size();
  const auto plan = std::from_chars(descriptors.data(), end, plan_);
  if (plan.ptr == end || *plan.ptr != ',' || std::from_chars(plan.ptr + 1, end, report_).ptr != end)
    throw Error(fmt::format("{} takes two descriptors, not '{}'.", kParentOption, descriptors));
  for (const int descriptor : {plan_, report_}) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

TracePlan ParentProcess::ReadPlan() {
  std::string text;
  char byte = 0;
  while (!text.ends_with("\n\n") && ReadSome(plan_, &byte, 1) == 1) text += byte;
  if (text.ends_with("\n\n")) text.pop_back();
  return ParsePlan(text, "the plan of the process that started this one");
}

void ParentProcess::AwaitGo() {
  char nothing = 0;
  while (ReadSome(plan_, &nothing, 1) > 0) {
  }
}

}  // namespace culprit
