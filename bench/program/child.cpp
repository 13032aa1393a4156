// SPDX-License-Identifier: Apache-2.0
#include "bench/program/child.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <string_view>
#include <utility>

#include "bench/program/pipe.h"

namespace culprit {
namespace {

constexpr std::array kPassedOn = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
constexpr std::size_t kMostAtOnce = 2;

std::array<volatile std::sig_atomic_t, kMostAtOnce> running;  // their guards; 0: none
volatile std::sig_atomic_t received = 0, keeps_interrupts = 0;
timespec received_at{};  // written before `received`
std::array<struct sigaction, kPassedOn.size()> before;
struct sigaction before_child;

// Whoever sends one signal may send it to us and to our group (timeout does). So one that follows at once is the same.
bool IsLater() {
  constexpr long kNsPerMs = 1'000'000, kMsPerS = 1000, kSameMs = 300;
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (now.tv_sec - received_at.tv_sec) * kMsPerS + (now.tv_nsec - received_at.tv_nsec) / kNsPerMs > kSameMs;
}

// A terminal sends its signals to all processes of a group: a program has it already then.
void PassOn(int signal, siginfo_t* info, void*) {
  const bool is_for_us = signal == SIGINT && keeps_interrupts != 0;
  bool any = false;
  for (const volatile std::sig_atomic_t& guard : running) {
    const auto pid = static_cast<pid_t>(guard);
    any = any || pid != 0;
    if (pid != 0 && info->si_code <= 0 && !is_for_us) kill(pid, signal);
  }
  if (received != 0 && (!any || signal == SIGINT) && IsLater()) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  if (received != 0) return;
  clock_gettime(CLOCK_MONOTONIC, &received_at);
  received = signal;
}

// Blocks signals while a child starts or is reaped, so that none reaches a recycled process id.
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

// All that exec needs, made before the fork: behind it nothing may allocate.
struct Program {
  const std::string& file;
  std::vector<char*> arguments, environment;
};

// What stands between fork and exec: functions that are safe in a signal handler, and no others. glibc's execvpe, which
// looks for the file as a shell does, allocates nothing either. Returns why the program could not be run.
int Become(const Program& program, const ChildOptions& options, const Guard& guard, pid_t parent,
           const sigset_t& mask) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) return ECANCELED;  // which was killed before that
  if (options.has_own_group && setpgid(0, 0) != 0) return errno;
  if (options.is_guarded) {
    if (const int error = guard.Announce(); error != 0) return error;
    prctl(PR_SET_PDEATHSIG, 0);  // the guard finds what is below it only as long as it lives
  }
  for (const int signal : kPassedOn) {
    struct sigaction now {};
    sigaction(signal, nullptr, &now);
    if (now.sa_handler != SIG_IGN) std::signal(signal, SIG_DFL);  // ours would pass signals on to our other children
  }
  for (const int ignored_by_main : {SIGPIPE, SIGXFSZ}) std::signal(ignored_by_main, SIG_DFL);
  for (const auto& [other, own] : {std::pair(options.streams.in, STDIN_FILENO),
                                   {options.streams.out, STDOUT_FILENO},
                                   {options.streams.err, STDERR_FILENO}})
    if (other >= 0 && other != own && dup2(other, own) < 0) return errno;
  for (const int descriptor : options.inherited) fcntl(descriptor, F_SETFD, 0);
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  execvpe(program.file.c_str(), program.arguments.data(), program.environment.data());
  return errno;
}

}  // namespace

SignalsPassedOn::SignalsPassedOn(bool interrupts) {
  received = 0;
  keeps_interrupts = interrupts ? 1 : 0;
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
  received = 0;
}

int SignalsPassedOn::Received() { return received; }

Child::Child(const std::vector<std::string>& words, const ChildOptions& options) {
  std::vector<std::string> arguments = words, environment = Environment(options.variables);
  const Program program{options.file.empty() ? words.front() : options.file, Pointers(arguments),
                        Pointers(environment)};
  ProcessPipe report;  // closed by exec; why there was none
  const Quiet quiet;
  std::size_t slot = 0;
  while (options.is_guarded && running.at(slot) != 0) ++slot;
  const pid_t parent = getpid();
  error_ = received != 0 ? ECANCELED : options.is_guarded ? guard_.Start() : 0;
  if (error_ == 0) {
    pid_ = fork();
    if (pid_ == 0) {
      const int error = Become(program, options, guard_, parent, quiet.before());
      _exit(write(report.write(), &error, sizeof error) == sizeof error ? 127 : 126);
    }
    if (pid_ < 0) error_ = errno;
  }
  guard_.ProgramIsForked();
  report.CloseWrite();
  if (pid_ > 0) ReadSome(report.read(), &error_, sizeof error_);
  if (error_ != 0)
    Reap(0);
  else if (options.is_guarded)
    running.at(slot) = guard_.pid();
}

Child::~Child() {
  if (pid_ > 0) Await();
}

bool Child::HasEnded() const {
  siginfo_t info{};
  int failed = 0;
  while ((failed = waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT | WNOHANG)) < 0 && errno == EINTR) {
  }
  return failed != 0 || info.si_pid == pid_;
}

int Child::Await() {
  // It stays to be waited for, and keeps its id while signals may come.
  siginfo_t info{};
  while (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
  }
  return Reap(0);
}

int Child::LetGo() { return Reap(WNOHANG); }

int Child::Reap(int options) {
  if (pid_ <= 0) return 0;
  const Quiet quiet;
  for (volatile std::sig_atomic_t& guard : running)
    if (guard != 0 && guard == guard_.pid()) guard = 0;
  guard_.End();
  int status = 0;
  while (waitpid(pid_, &status, options) < 0 && errno == EINTR) {
  }
  pid_ = 0;
  signal_ = received;
  return status;
}

}  // namespace culprit
