// SPDX-License-Identifier: Apache-2.0
#include "bench/program/recorded_program.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <limits>
#include <thread>

#include "bench/program/end_program.h"
#include "bench/program/private_folder.h"

namespace culprit {
namespace {

enum class Waited { kEnded, kTooLong, kLeft };

Waited AwaitEnd(const Child& child, double seconds, const Leaving* leaving) {
  constexpr std::chrono::milliseconds kLook{10};
  constexpr int kAskMs = 50;
  const auto start = std::chrono::steady_clock::now();
  // Readable when the process ends; of kernels before Linux 5.3, and of sandboxes that refuse it, there is none.
  const OpenFile end(static_cast<int>(syscall(SYS_pidfd_open, child.pid(), 0)));
  while (!child.HasEnded()) {
    const double left = seconds - std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (left <= 0) return Waited::kTooLong;
    if (leaving != nullptr && leaving->is_time()) return Waited::kLeft;
    constexpr double kLongestS = 3600;  // of one wait: it fits an int
    pollfd watched{end.get(), POLLIN, 0};
    const int wait_ms = static_cast<int>(1000 * std::min(left, kLongestS)) + 1;
    if (end.get() < 0)
      std::this_thread::sleep_for(kLook);
    else
      poll(&watched, 1, leaving != nullptr ? std::min(wait_ms, kAskMs) : wait_ms);
  }
  return Waited::kEnded;
}

std::vector<std::string> Lines(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

int BytesWaiting() {
  int bytes = 0;
  return ioctl(STDIN_FILENO, FIONREAD, &bytes) == 0 ? bytes : 0;
}

// Of a pipe nobody writes to any more.
bool IsHungUp() {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  return poll(&input, 1, 0) > 0 && (input.revents & POLLHUP) != 0;
}

}  // namespace

int ShellStatus(int status) { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

ProgramEnd RunAsItIs(const std::vector<std::string>& words, const std::map<std::string, std::string>& variables,
                     const OtherStreams& streams, const std::optional<TimeLimit>& limit, Leaving* leaving) {
  const auto start = std::chrono::steady_clock::now();
  const auto since_start_us = [&] {
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
  };
  auto started =
      std::make_unique<Child>(words, ChildOptions{.variables = variables,
                                                  .streams = streams,
                                                  .has_own_group = leaving != nullptr && leaving->has_own_group});
  Child& child = *started;
  ProgramEnd end;
  if (const int error = child.error(); error != 0) {
    const int signal = SignalsPassedOn::Received();
    end.status = error == ECANCELED && signal != 0 ? 128 + signal : error == ENOENT || error == ENOTDIR ? 127 : 126;
    end.not_started = end.status > 128 ? "a signal came first" : std::strerror(error);
    return end;
  }
  if (limit || leaving != nullptr) {
    constexpr double kNever = std::numeric_limits<double>::infinity();
    const Waited waited = AwaitEnd(child, limit ? limit->seconds : kNever, leaving);
    if (waited == Waited::kLeft) {
      end.goes_on = true;
      end.wall_us = since_start_us();
      end.signal = SignalsPassedOn::Received();
      leaving->child = std::move(started);
      return end;
    }
    end.was_ended = waited == Waited::kTooLong;
    if (end.was_ended) EndProgram(child.pid(), limit->traces);
  }
  // What cannot be killed is not waited for.
  const int status = end.was_ended ? child.LetGo() : child.Await();
  end.wall_us = since_start_us();
  end.signal = child.signal();
  end.status = ShellStatus(status);
  return end;
}

std::string Answer::WhyNot() const {
  if (!not_started.empty()) return not_started;
  for (const auto* lines : {&err, &out})
    if (!lines->empty()) return lines->front();
  return "status " + std::to_string(status);
}

Answer Ask(const std::vector<std::string>& words, double limit_s) {
  const PrivateFolder folder;
  const OpenFile in("/dev/null", O_RDONLY), out((folder / "out").c_str(), O_WRONLY | O_CREAT),
      err((folder / "err").c_str(), O_WRONLY | O_CREAT);
  ProgramEnd end = RunAsItIs(words, {}, {in.get(), out.get(), err.get()}, TimeLimit{limit_s, {}});
  if (end.was_ended) end.status = 1;
  return {end.status, std::move(end.not_started), Lines(folder / "out"), Lines(folder / "err")};
}

InputAgain::InputAgain() {
  struct stat input {};
  is_file_ = fstat(STDIN_FILENO, &input) == 0 && S_ISREG(input.st_mode);
  if (is_file_) {
    offset_ = lseek(STDIN_FILENO, 0, SEEK_CUR);
    return;
  }
  waiting_ = BytesWaiting();
  was_at_end_ = IsHungUp() && waiting_ == 0;
}

std::optional<int> InputAgain::Descriptor() {
  // A pipe of which something may have been read: bytes that waited, or a writer that came and went.
  const bool was_read = !is_file_ && !was_at_end_ && (BytesWaiting() < waiting_ || (IsHungUp() && BytesWaiting() == 0));
  if (was_read) return std::nullopt;
  // Opened anew, it has a place of its own: the first execution's stays where it left it.
  descriptor_.Close(open(is_file_ ? "/proc/self/fd/0" : "/dev/null", O_RDONLY | O_CLOEXEC));
  if (descriptor_.get() < 0) return std::nullopt;
  if (is_file_) lseek(descriptor_.get(), offset_, SEEK_SET);
  return descriptor_.get();
}

}  // namespace culprit
