// SPDX-License-Identifier: Apache-2.0
#include "profiler/source_lines.h"

#include <cupti_pcsampling.h>

#include <cstdlib>
#include <filesystem>
#include <memory>

#include "db/source_place.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;

using Allocated = std::unique_ptr<char, decltype(&std::free)>;  // CUPTI allocates, we free

}  // namespace

std::optional<SourceFrame> OwnLine(const std::vector<SourceFrame>& lines) {
  const auto own = FindOwnLine(lines);
  return own == lines.end() ? std::nullopt : std::optional(SourceFrame{PlaceOf(own->file), own->line});
}

std::optional<SourceFrame> InnermostLineOf(std::span<const unsigned char> cubin, const std::string& function,
                                           std::int64_t pc_offset) {
  CUpti_GetSassToSourceCorrelationParams p{};
  p.size = CUpti_GetSassToSourceCorrelationParamsSize;
  p.cubin = cubin.data();
  p.cubinSize = cubin.size();
  p.functionName = function.c_str();
  p.pcOffset = static_cast<std::uint64_t>(pc_offset);
  const CUptiResult found = cuptiGetSassToSourceCorrelation(&p);
  const Allocated file(p.fileName, &std::free), directory(p.dirName, &std::free);
  if (found != CUPTI_SUCCESS || !file || p.lineNumber == 0) return std::nullopt;
  const fs::path path = fs::path(directory ? directory.get() : "") / file.get();
  return SourceFrame{PlaceOf(path.string()), static_cast<int>(p.lineNumber)};
}

std::string PlaceOf(std::string_view path) {
  const fs::path normal = fs::path(path).lexically_normal();
  const fs::path below = normal.is_relative() ? normal : normal.lexically_relative(CULPRIT_SOURCE_ROOT);
  return below.empty() || *below.begin() == ".." ? normal.filename().string() : below.string();
}

}  // namespace culprit
