// SPDX-License-Identifier: Apache-2.0
#include "bench/program/guard.h"

#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <optional>

#include "bench/program/descendants.h"
#include "db/process.h"

namespace culprit {
namespace {

// From the kernel: our parent is dead. From our parent: the program has ended.
constexpr int kOver = SIGUSR1;

// Else whoever waits for the end of a pipe or a lock of theirs would wait for the guard.
void CloseAllButStandardStreams() {
  constexpr unsigned kFirst = STDERR_FILENO + 1;
  if (close_range(kFirst, ~0U, 0) == 0) return;
  constexpr long kMost = 65536;  // kernels before Linux 5.9
  for (long descriptor = kFirst; descriptor < std::min(sysconf(_SC_OPEN_MAX), kMost); ++descriptor)
    close(static_cast<int>(descriptor));
}

// The program first: a shell whose command ends before the signal comes goes on with its next one. Who is below is
// known only as long as it lives.
void PassOn(int signal, const Processes::value_type& program) {
  if (!IsThere(program)) return;
  const Processes below = Below(program.first);
  Send(signal, {program});
  Send(signal, below);
}

// A process that is stopped starts no others, so that all are known before the first one dies.
void Kill(const Processes::value_type& program) {
  if (!IsThere(program)) return;
  Processes all, found{program};
  while (!found.empty()) {
    Send(SIGSTOP, found);
    all.merge(found);
    found = Below(program.first);
    std::erase_if(found, [&](const auto& process) { return all.contains(process.first); });
  }
  Send(SIGKILL, all);
}

[[noreturn]] void Watch(int announcement, pid_t parent) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  // What ends us by our group or our name does not end it.
  setpgid(0, 0);
  prctl(PR_SET_NAME, "guard");
  prctl(PR_SET_PDEATHSIG, kOver);
  pid_t program = 0;
  if (read(announcement, &program, sizeof program) != sizeof program) _exit(0);
  CloseAllButStandardStreams();
  const std::optional<LiveProcess> found = FindProcess(program);
  const Processes::value_type guarded(program, found ? found->start : 0);
  for (;;) {
    if (getppid() != parent) {
      Kill(guarded);
      _exit(0);
    }
    siginfo_t info{};
    const int signal = sigwaitinfo(&all, &info);
    // Others than our parent have sent theirs to the program, too: a terminal does.
    if (signal < 0 || info.si_pid != parent || getppid() != parent) continue;
    if (signal == kOver) _exit(0);
    PassOn(signal, guarded);
  }
}

}  // namespace

int Guard::Start() {
  program_.emplace();
  const pid_t parent = getpid();
  pid_ = fork();
  const int error = pid_ < 0 ? errno : 0;
  if (pid_ == 0) {
    program_->CloseWrite();
    Watch(program_->read(), parent);
  }
  program_->CloseRead();
  return error;
}

int Guard::Announce() const {
  const pid_t own = getpid();
  return write(program_->write(), &own, sizeof own) == sizeof own ? 0 : errno;
}

void Guard::End() {
  ProgramIsForked();
  if (pid_ <= 0) return;
  kill(pid_, kOver);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = 0;
}

}  // namespace culprit
