// SPDX-License-Identifier: Apache-2.0
#include "analysis/cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace culprit {
namespace {

// Lines of fewer would hold single words.
constexpr std::size_t kNarrowest = 40;

std::size_t Stated() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const char* columns = std::getenv("COLUMNS");
  const long stated = columns != nullptr ? std::strtol(columns, nullptr, 10) : 0;
  return stated > 0 ? static_cast<std::size_t>(stated) : 80;
}

}  // namespace

std::size_t TerminalWidth() { return std::max(Stated(), kNarrowest); }

}  // namespace culprit
