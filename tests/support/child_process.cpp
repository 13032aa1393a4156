// SPDX-License-Identifier: Apache-2.0
#include "tests/support/child_process.h"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <exception>
#include <stdexcept>

namespace culprit {
namespace {

constexpr uid_t kNobody = 65534;

void WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(fd, text.data(), text.size());
    if (n <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

}  // namespace

std::string InChild(const std::function<std::string()>& work) {
  BackgroundChild child([&](int report) {
    std::string text;
    try {
      text = work();
    } catch (const std::exception& e) {
      text = e.what();
    }
    WriteAll(report, text);
  });
  std::string text;
  while (child.WaitForReport()) {
  }
  return child.Reports();
}

std::string InChildWithoutRights(const std::function<std::string()>& work) {
  return InChild([&]() -> std::string {
    if (geteuid() == 0 && (setgroups(0, nullptr) != 0 || setgid(kNobody) != 0 || setuid(kNobody) != 0))
      return "this machine does not let root become nobody";
    return work();
  });
}

BackgroundChild::BackgroundChild(const std::function<void(int report)>& work) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe");
  pid_ = fork();
  if (pid_ < 0) throw std::runtime_error("fork");
  if (pid_ == 0) {
    close(ends[0]);
    try {
      work(ends[1]);
    } catch (const std::exception& e) {
      WriteAll(ends[1], e.what());
    }
    _exit(0);  // neither GoogleTest's nor a sanitizer's last words
  }
  close(ends[1]);
  pipe_ = ends[0];
}

BackgroundChild::~BackgroundChild() {
  Kill();
  close(pipe_);
}

bool BackgroundChild::WaitForReport() {
  char buffer[4096];
  const ssize_t n = read(pipe_, buffer, sizeof buffer);
  if (n <= 0) return false;
  seen_.append(buffer, static_cast<std::size_t>(n));
  return true;
}

void BackgroundChild::Kill() {
  if (pid_ <= 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  pid_ = 0;
}

std::string BackgroundChild::Reports() {
  pollfd ready{pipe_, POLLIN, 0};
  while (poll(&ready, 1, 0) > 0 && WaitForReport()) {
  }
  return seen_;
}

}  // namespace culprit
