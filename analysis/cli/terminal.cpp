// SPDX-License-Identifier: Apache-2.0
#include "analysis/cli/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "analysis/cli/environment.h"

namespace culprit {
namespace {

// Lines of fewer would hold single words.
constexpr std::size_t kNarrowest = 40;
constexpr double kWidest = 10'000;

std::size_t Stated() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  // Not ours: what makes no sense there is no reason to refuse a command.
  const std::optional<double> columns = PositiveNumber(Variable("COLUMNS").value_or(""));
  return columns && *columns <= kWidest ? static_cast<std::size_t>(*columns) : 80;
}

}  // namespace

std::size_t TerminalWidth() { return std::max(Stated(), kNarrowest); }

}  // namespace culprit
