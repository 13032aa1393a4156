// SPDX-License-Identifier: Apache-2.0
#include "analysis/launch/python_place.h"

#include <fmt/core.h>

#include <string_view>

namespace culprit {
namespace {

std::string PlaceOf(const KernelRecord& kernel, std::string_view (*file_of)(std::string_view)) {
  if (!kernel.program || kernel.program->stack.empty()) return {};
  const PythonFrame& frame = kernel.program->stack.front();
  const std::string place = fmt::format("{}:{}", file_of(frame.file), frame.line);
  return frame.function == "<module>" ? place : fmt::format("{} ({})", place, frame.function);
}

std::string_view WithOneFolder(std::string_view file) {
  const std::size_t name = file.rfind('/');
  if (name == file.npos || name == 0) return file;
  const std::size_t folder = file.rfind('/', name - 1);
  return folder == file.npos ? file : file.substr(folder + 1);
}

}  // namespace

std::string LaunchedAt(const KernelRecord& kernel) {
  return PlaceOf(kernel, [](std::string_view file) { return file; });
}

std::string ShortLaunchedAt(const KernelRecord& kernel) { return PlaceOf(kernel, WithOneFolder); }

std::string LaunchedAtInBoth(const KernelRecord* base, const KernelRecord* candidate) {
  const std::string was = base != nullptr ? ShortLaunchedAt(*base) : "";
  const std::string is = candidate != nullptr ? ShortLaunchedAt(*candidate) : "";
  if (was.empty() || is.empty() || was == is) return is.empty() ? was : is;
  return fmt::format("{} -> {}", was, is);
}

}  // namespace culprit
