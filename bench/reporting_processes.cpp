// SPDX-License-Identifier: Apache-2.0
#include "bench/reporting_processes.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <tuple>
#include <utility>

#include "db/error.h"

namespace culprit {
namespace {

using Clock = std::chrono::steady_clock;

std::pair<int, int> Pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw Error("cannot make a pipe for a process: close some files and try again");
  return {ends[0], ends[1]};
}

// What read() gives, asked again when a signal interrupts it.
ssize_t ReadSome(int descriptor, char* buffer, std::size_t room) {
  ssize_t got = 0;
  do got = read(descriptor, buffer, room);
  while (got < 0 && errno == EINTR);
  return got;
}

}  // namespace

// Ends and reaps its process when it goes.
class ReportingProcesses::Process {
 public:
  // `go`: a descriptor that it inherits, or -1.
  Process(const std::string& program, std::vector<std::string> words, const DescriptorOptions& options, int go,
          std::size_t index_)
      : index(index_) {
    const auto [out, in] = Pipe();
    out_ = out;
    words.push_back(options.report + std::to_string(in));
    if (go >= 0) words.push_back(options.go + std::to_string(go));
    std::vector<char*> args;
    for (std::string& word : words) args.push_back(word.data());
    args.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in, in);  // onto itself: inherited, by that number
    if (go >= 0) posix_spawn_file_actions_adddup2(&actions, go, go);
    if (!options.shows_output) posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    const int failed = posix_spawn(&pid_, program.c_str(), &actions, nullptr, args.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(in);
    if (failed != 0) {
      close(out_);
      throw Error("cannot start " + program + " as a process of its own: is /proc mounted?");
    }
  }
  Process(Process&& other) noexcept { *this = std::move(other); }
  Process& operator=(Process&& other) noexcept {
    std::swap(pid_, other.pid_);
    std::swap(out_, other.out_);
    std::swap(ended_, other.ended_);
    std::swap(index, other.index);
    std::swap(end, other.end);
    std::swap(since, other.since);
    return *this;
  }
  ~Process() {
    Kill();
    Reap();
  }

  int out() const { return out_; }
  bool ended() const { return ended_; }  // nothing will come any more

  void Read() {
    char buffer[1 << 16];  // a pipe's whole room: reports may be megabytes
    const ssize_t got = ReadSome(out_, buffer, sizeof buffer);
    if (got > 0) end.report.append(buffer, static_cast<std::size_t>(got));
    ended_ = got <= 0;
  }

  void Kill() const {
    if (pid_ > 0) kill(pid_, SIGKILL);
  }

  void Reap() {
    if (out_ >= 0) close(std::exchange(out_, -1));
    if (pid_ <= 0) return;
    while (waitpid(pid_, &end.status, 0) < 0 && errno == EINTR) {
    }
    pid_ = 0;
  }

  std::size_t index = 0;
  EndedProcess end;
  Clock::time_point since = Clock::now();  // its deadline counts from here

 private:
  pid_t pid_ = 0;
  int out_ = -1;
  bool ended_ = false;
};

ReportingProcesses::ReportingProcesses(std::string program, std::vector<std::vector<std::string>> commands,
                                       DescriptorOptions options, ProcessLimits limits)
    : program_(std::move(program)), commands_(std::move(commands)), options_(std::move(options)), limits_(limits) {
  if (!options_.go.empty()) std::tie(go_read_, go_write_) = Pipe();
  StartMore();
}

ReportingProcesses::~ReportingProcesses() {
  running_.clear();
  for (const int end : {go_read_, go_write_})
    if (end >= 0) close(end);
}

void ReportingProcesses::StartMore() {
  for (; next_ < commands_.size() && running_.size() < limits_.at_a_time; ++next_)
    running_.emplace_back(program_, commands_[next_], options_, go_read_, next_);
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
  if (go_write_ >= 0) close(std::exchange(go_write_, -1));
  for (Process& p : running_) {
    p.since = Clock::now();
    p.end.overdue = false;
  }
  while (StartMore(), !running_.empty()) {
    std::vector<Process*> all;
    for (Process& p : running_)
      if (!p.ended()) all.push_back(&p);
    if (all.size() == running_.size()) ReadFrom(all);
    for (std::size_t i = running_.size(); i-- > 0;) {
      Process& process = running_[i];
      if (!process.ended() && !process.end.overdue) continue;
      if (process.end.overdue) process.Kill();
      process.Reap();
      const Process finished = std::move(process);
      running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
      done(finished.index, finished.end);
    }
  }
}

void AwaitGo(int descriptor) {
  char nothing;
  while (ReadSome(descriptor, &nothing, 1) > 0) {
  }
}

void BelongToParent(int descriptor) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody reads the report of a process whose parent was killed
  pollfd report{descriptor, 0, 0};   // or had been killed before that: then nobody holds the other end
  if (poll(&report, 1, 0) > 0 && (report.revents & POLLERR) != 0) _exit(1);
  fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

void WriteReport(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw Error("cannot report what was measured: the process that asked for it has closed the pipe");
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace culprit
