// SPDX-License-Identifier: Apache-2.0
#include "analysis/cli/recorded_program.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <thread>

#include "analysis/cli/end_program.h"
#include "db/error.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;

constexpr std::array kPassedOn = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

volatile std::sig_atomic_t running = 0;  // the program's process; 0: none
volatile std::sig_atomic_t received = 0;
std::array<struct sigaction, kPassedOn.size()> before;
struct sigaction before_child;

// A terminal sends its signals to all processes of a group: the program has it already then.
void PassOn(int signal, siginfo_t* info, void*) {
  if (received == 0) received = signal;
  if (running != 0 && info->si_code <= 0) kill(static_cast<pid_t>(running), signal);
}

// Signals wait while a process is started or its end is taken note of: none must go to another process of that id.
class Quiet {
 public:
  Quiet() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : kPassedOn) sigaddset(&set, signal);
    sigprocmask(SIG_BLOCK, &set, &before_);
  }
  ~Quiet() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  Quiet(const Quiet&) = delete;
  const sigset_t& before() const { return before_; }

 private:
  sigset_t before_;
};

class Attributes {
 public:
  explicit Attributes(const sigset_t& mask) {
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setsigmask(&attributes_, &mask);
    sigset_t defaults;  // of what our main ignores
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    sigaddset(&defaults, SIGXFSZ);
    posix_spawnattr_setsigdefault(&attributes_, &defaults);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~Attributes() { posix_spawnattr_destroy(&attributes_); }
  Attributes(const Attributes&) = delete;
  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_;
};

class FileActions {
 public:
  explicit FileActions(const OtherStreams& streams) {
    posix_spawn_file_actions_init(&actions_);
    for (const auto& [other, own] :
         {std::pair(streams.in, STDIN_FILENO), {streams.out, STDOUT_FILENO}, {streams.err, STDERR_FILENO}})
      if (other >= 0 && other != own) posix_spawn_file_actions_adddup2(&actions_, other, own);
  }
  ~FileActions() { posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> Environment(const std::map<std::string, std::string>& variables) {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (!variables.contains(std::string(text.substr(0, text.find('='))))) environment.emplace_back(text);
  }
  for (const auto& [name, value] : variables) environment.push_back(name + "=" + value);
  return environment;
}

// With `options` 0 it waits for the end. The process stays to be waited for, and keeps its id.
bool HasEnded(pid_t pid, int options) {
  siginfo_t info{};
  int failed = 0;
  while ((failed = waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT | options)) < 0 && errno == EINTR) {
  }
  return failed != 0 || info.si_pid == pid;
}

bool EndsWithin(pid_t pid, double seconds) {
  constexpr std::chrono::milliseconds kLook{10};
  const auto start = std::chrono::steady_clock::now();
  // Readable when the process ends; of kernels before Linux 5.3, and of sandboxes that refuse it, there is none.
  const int end = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  bool has_ended = false;
  while (!(has_ended = HasEnded(pid, WNOHANG))) {
    const double left = seconds - std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (left <= 0) break;
    constexpr double kLongestS = 3600;  // of one wait: it fits an int
    pollfd watched{end, POLLIN, 0};
    if (end < 0)
      std::this_thread::sleep_for(kLook);
    else
      poll(&watched, 1, static_cast<int>(1000 * std::min(left, kLongestS)) + 1);
  }
  if (end >= 0) close(end);
  return has_ended;
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

PrivateFolder::PrivateFolder() {
  std::error_code error;
  fs::path parent = fs::temp_directory_path(error);
  if (error) parent = "/tmp";
  std::string name = (parent / "culprit-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr)
    throw Error("cannot make a folder in " + parent.string() + " (" + std::strerror(errno) +
                "): name one that can be written to in TMPDIR.");
  path_ = name;
}

PrivateFolder::~PrivateFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

SignalsPassedOn::SignalsPassedOn() {
  received = 0;
  struct sigaction action {};
  action.sa_sigaction = PassOn;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  for (std::size_t i = 0; i < kPassedOn.size(); ++i) {
    sigaction(kPassedOn[i], nullptr, &before[i]);
    // What whoever started us wants ignored (nohup) stays ignored, by the program too.
    if (before[i].sa_handler != SIG_IGN) sigaction(kPassedOn[i], &action, nullptr);
  }
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;  // else nobody would tell us how the program ended
  sigaction(SIGCHLD, &usual, &before_child);
}

SignalsPassedOn::~SignalsPassedOn() {
  for (std::size_t i = 0; i < kPassedOn.size(); ++i) sigaction(kPassedOn[i], &before[i], nullptr);
  sigaction(SIGCHLD, &before_child, nullptr);
}

int SignalsPassedOn::Received() { return received; }

ProgramEnd RunAsItIs(const std::vector<std::string>& words, const std::map<std::string, std::string>& variables,
                     const OtherStreams& streams, const std::optional<TimeLimit>& limit) {
  std::vector<std::string> own_words = words, environment = Environment(variables);
  const FileActions actions(streams);
  const auto start = std::chrono::steady_clock::now();
  pid_t pid = 0;
  int failed = 0;
  {
    const Quiet quiet;
    const Attributes attributes(quiet.before());
    failed = posix_spawnp(&pid, own_words.front().c_str(), actions.get(), attributes.get(), Pointers(own_words).data(),
                          Pointers(environment).data());
    if (failed == 0) running = pid;
  }
  ProgramEnd end;
  if (failed != 0) {
    end.status = failed == ENOENT || failed == ENOTDIR ? 127 : 126;
    end.not_started = std::strerror(failed);
    return end;
  }
  if (limit && !EndsWithin(pid, limit->seconds)) {
    end.was_ended = true;
    EndProgram(pid, limit->traces);
  }
  // What cannot be killed is not waited for.
  if (!end.was_ended) HasEnded(pid, 0);
  end.wall_us = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
  const Quiet quiet;
  int status = 0;
  while (waitpid(pid, &status, end.was_ended ? WNOHANG : 0) < 0 && errno == EINTR) {
  }
  running = 0;
  end.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return end;
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

InputAgain::~InputAgain() {
  if (descriptor_ >= 0) close(descriptor_);
}

std::optional<int> InputAgain::Descriptor() {
  // A pipe of which something may have been read: bytes that waited, or a writer that came and went.
  const bool was_read = !is_file_ && !was_at_end_ && (BytesWaiting() < waiting_ || (IsHungUp() && BytesWaiting() == 0));
  if (was_read) return std::nullopt;
  if (descriptor_ >= 0) close(descriptor_);
  // Opened anew, it has a place of its own: the first execution's stays where it left it.
  descriptor_ = open(is_file_ ? "/proc/self/fd/0" : "/dev/null", O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) return std::nullopt;
  if (is_file_) lseek(descriptor_, offset_, SEEK_SET);
  return descriptor_;
}

}  // namespace culprit
