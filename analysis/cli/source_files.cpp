// SPDX-License-Identifier: Apache-2.0
#include "analysis/cli/source_files.h"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "analysis/render/printable.h"
#include "db/error.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;

// No source is larger; what else may have the name is not read until memory ends.
constexpr std::uintmax_t kMostBytes = 64U << 20;
// A search below a folder that was named by mistake ends.
constexpr int kMostEntries = 200'000;

bool IsInside(const fs::path& file) {
  return file.is_relative() && std::ranges::none_of(file, [](const fs::path& part) { return part == ".."; });
}

// Quotes of long lines are cut, by up to a character of UTF-8 more than they must be.
bool IsQuoteOf(std::string_view line, std::string_view quote) {
  return quote.size() + 4 > SourceQuote::kMostBytes ? line.starts_with(quote) : line == quote;
}

bool IsReadable(const fs::path& file) {
  std::error_code none;
  return fs::is_regular_file(file, none) && fs::file_size(file, none) <= kMostBytes && !none;
}

// Of the files below a folder that end in `file`; `several` where it is not one.
std::optional<fs::path> Below(const fs::path& folder, const fs::path& file, bool& several) {
  std::optional<fs::path> found;
  std::error_code none;
  int entries = 0;
  const auto skip = fs::directory_options::skip_permission_denied;
  for (auto at = fs::recursive_directory_iterator(folder, skip, none);
       !none && at != fs::recursive_directory_iterator() && ++entries <= kMostEntries; at.increment(none)) {
    if (at->path().filename().string().starts_with('.')) at.disable_recursion_pending();
    if (at->path().filename() != file.filename() || !IsReadable(at->path())) continue;
    const auto parts = std::distance(file.begin(), file.end()),
               has = std::distance(at->path().begin(), at->path().end());
    if (has < parts || !std::equal(file.begin(), file.end(), std::next(at->path().begin(), has - parts))) continue;
    several = found.has_value();
    if (several) return std::nullopt;
    found = at->path();
  }
  return found;
}

}  // namespace

void AddSourceOption(Syntax& syntax, std::string& folder) {
  syntax.Add("--source", &folder,
             "folder of the sources that --lines quotes (default: the working directory and those above it)",
             {.value = "DIR", .not_empty = true});
}

void RequireQuotes(const std::string& folder, bool lines, const OutputOptions& output) {
  if (!folder.empty() && !lines && !output.IsPage())
    throw Error("--source is of --lines and of pages: add --lines or --format html, or leave --source out.");
}

SourceFiles::SourceFiles(fs::path folder, std::span<const SourceQuote> quotes) : folder_(std::move(folder)) {
  for (const SourceQuote& quote : quotes) quotes_[quote.at.file].emplace(quote.at.line, quote.text);
  std::error_code none;
  if (!folder_.empty() && !fs::is_directory(folder_, none))
    throw Error(
        fmt::format("--source '{}' is no folder; give the one that holds the sources.", Printable(folder_.string())));
}

SourceFiles::File SourceFiles::Read(const std::string& file) const {
  std::optional<fs::path> found;
  bool several = false;
  std::error_code none;
  if (const fs::path place = file; !place.empty() && IsInside(place)) {
    if (!folder_.empty()) found = IsReadable(folder_ / place) ? folder_ / place : Below(folder_, place, several);
    fs::path above = fs::current_path(none);
    while (!found && !several && !above.empty()) {
      if (IsReadable(above / place)) found = above / place;
      if (above == above.root_path()) break;
      above = above.parent_path();
    }
  }
  if (several) return {{}, fmt::format("Several files below {} are called {}.", folder_.string(), file)};
  std::ifstream in;
  if (found) in.open(*found, std::ios::binary);
  if (!in.is_open())
    return {{},
            fmt::format("The text of {} is not at hand: run this where it lies, or name its folder with --source DIR.",
                        file)};
  File read;
  for (std::string line; std::getline(in, line);) {
    if (line.ends_with('\r')) line.pop_back();
    read.lines.push_back(std::move(line));
  }
  if (!IsAsRecorded(file, read.lines))
    return {{}, fmt::format("{} was changed since: only what the recording quotes of it is shown.", file)};
  return read;
}

bool SourceFiles::IsAsRecorded(const std::string& file, const std::vector<std::string>& lines) const {
  const auto quoted = quotes_.find(file);
  return quoted == quotes_.end() || std::ranges::all_of(quoted->second, [&](const auto& quote) {
           const auto at = static_cast<std::size_t>(quote.first) - 1;
           return at < lines.size() && IsQuoteOf(lines[at], quote.second);
         });
}

SourceText SourceFiles::At(const SourceFrame& line) {
  if (const auto file = quotes_.find(line.file); file != quotes_.end())
    if (const auto quote = file->second.find(line.line); quote != file->second.end()) return {quote->second, ""};
  const auto known = files_.find(line.file);
  const File& file = known != files_.end() ? known->second : files_.emplace(line.file, Read(line.file)).first->second;
  if (!file.why_not.empty()) return {"", file.why_not};
  if (line.line < 1 || static_cast<std::size_t>(line.line) > file.lines.size())
    return {"", fmt::format("{} has {} lines here and line {} in the recording: it was changed since.", line.file,
                            file.lines.size(), line.line)};
  return {file.lines[static_cast<std::size_t>(line.line) - 1], ""};
}

}  // namespace culprit
