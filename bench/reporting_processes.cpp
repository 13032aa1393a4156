// SPDX-License-Identifier: Apache-2.0
#include "bench/reporting_processes.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>

#include "db/error.h"

namespace culprit {
namespace {

using Clock = std::chrono::steady_clock;

// Ends and reaps its process when it goes.
class Process {
 public:
  Process(const char* program, std::vector<std::string> words, std::string_view option, std::size_t index_)
      : index(index_) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw Error("cannot make a pipe for a process: close some files and try again");
    words.push_back(std::string(option) + std::to_string(ends[1]));
    std::vector<char*> args;
    for (std::string& word : words) args.push_back(word.data());
    args.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], ends[1]);  // onto itself: inherited, by that number
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    const int failed = posix_spawn(&pid_, program, &actions, nullptr, args.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    out_ = ends[0];
    if (failed != 0) {
      close(out_);
      throw Error(std::string("cannot start ") + program + " as a process of its own: is /proc mounted?");
    }
  }
  Process(Process&& other) noexcept { *this = std::move(other); }
  Process& operator=(Process&& other) noexcept {
    std::swap(pid_, other.pid_);
    std::swap(out_, other.out_);
    std::swap(index, other.index);
    std::swap(outcome, other.outcome);
    std::swap(started, other.started);
    return *this;
  }
  ~Process() {
    Kill();
    Reap();
  }

  int out() const { return out_; }

  // False when nothing will come any more.
  bool Read() {
    char buffer[1 << 16];  // a pipe's whole room: reports may be megabytes
    const ssize_t got = read(out_, buffer, sizeof buffer);
    if (got > 0) outcome.report.append(buffer, static_cast<std::size_t>(got));
    return got > 0 || (got < 0 && errno == EINTR);
  }

  void Kill() const {
    if (pid_ > 0) kill(pid_, SIGKILL);
  }

  void Reap() {
    if (out_ >= 0) close(std::exchange(out_, -1));
    if (pid_ <= 0) return;
    while (waitpid(pid_, &outcome.status, 0) < 0 && errno == EINTR) {
    }
    pid_ = 0;
  }

  std::size_t index = 0;
  ProcessOutcome outcome;
  Clock::time_point started = Clock::now();

 private:
  pid_t pid_ = 0;
  int out_ = -1;
};

}  // namespace

void RunReporting(const char* program, const std::vector<std::vector<std::string>>& commands, std::string_view option,
                  const ProcessLimits& limits, const std::function<void(std::size_t, const ProcessOutcome&)>& done) {
  std::vector<Process> running;
  std::size_t next = 0;
  while (next < commands.size() || !running.empty()) {
    for (; next < commands.size() && running.size() < limits.at_a_time; ++next)
      running.emplace_back(program, commands[next], option, next);
    std::vector<pollfd> waits;
    Clock::time_point due = Clock::time_point::max();
    for (const Process& p : running) {
      waits.push_back({p.out(), POLLIN, 0});
      due = std::min(due, p.started + limits.deadline);
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(due - Clock::now()).count();
    const int ready = poll(waits.data(), waits.size(), static_cast<int>(std::max<decltype(left)>(left, 0)));
    for (std::size_t i = waits.size(); i-- > 0;) {
      Process& process = running[i];
      if (ready > 0 && waits[i].revents != 0 && process.Read()) continue;
      const bool ended = ready > 0 && waits[i].revents != 0;
      if (!ended && Clock::now() < process.started + limits.deadline) continue;
      process.outcome.overdue = !ended;
      if (!ended) process.Kill();
      process.Reap();
      const Process finished = std::move(process);
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
      done(finished.index, finished.outcome);
    }
  }
}

}  // namespace culprit
