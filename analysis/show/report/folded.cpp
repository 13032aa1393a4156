// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "analysis/number/printable.h"
#include "analysis/show/report/profile_formats.h"

namespace culprit {
namespace {

// ';' separates frames, and a line ends a stack.
std::string Frame(std::string_view text) {
  std::string frame = Printable(text);
  for (char& c : frame)
    if (c == ';') c = ',';
  return frame.empty() ? "unknown" : frame;
}

}  // namespace

std::string FoldedText(std::span<const KernelTime> kernels) {
  std::string text;
  for (const KernelTime& kernel : kernels) {
    std::string root;
    if (kernel.kernel.program)
      for (std::string_view left = kernel.kernel.program->nvtx; !left.empty();) {
        const auto end = std::min(left.find('/'), left.size());
        if (end > 0) root += Frame(left.substr(0, end)) + ';';
        left.remove_prefix(std::min(end + 1, left.size()));
      }
    root += Frame(kernel.name);
    const auto write = [&](const std::string& stack, double us) {
      if (const long long ns = std::llround(us * 1e3); ns > 0)
        fmt::format_to(std::back_inserter(text), "{} {}\n", stack, ns);
    };
    for (const KernelTime::Stack& stack : kernel.stacks) {
      std::string frames = root;
      for (auto frame = stack.frames.rbegin(); frame != stack.frames.rend(); ++frame)
        frames += ';' + Frame(fmt::format("{}:{}", frame->file, frame->line));
      write(frames, stack.us);
    }
    write(root, kernel.RestUs());
  }
  return text;
}

}  // namespace culprit
