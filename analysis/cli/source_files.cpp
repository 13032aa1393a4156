// SPDX-License-Identifier: Apache-2.0
#include "analysis/cli/source_files.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "analysis/number/printable.h"
#include "db/error.h"
#include "db/regular_file.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;

// No source is larger; what else may have the name is not read until memory ends.
constexpr std::uintmax_t kMostBytes = 64U << 20;
constexpr int kMostEntries = 200'000;

bool EndsIn(const fs::path& path, const fs::path& end) {
  const auto has = std::distance(path.begin(), path.end()), parts = std::distance(end.begin(), end.end());
  return has >= parts && std::equal(end.begin(), end.end(), std::next(path.begin(), has - parts));
}

bool IsHidden(const fs::path& relative) {
  return std::ranges::any_of(relative, [](const fs::path& part) { return part != "." && part.string()[0] == '.'; });
}

// Quotes of long lines are cut, by up to a character of UTF-8 more than they must be.
bool IsQuoteOf(std::string_view line, std::string_view quote) {
  return quote.size() + 4 > SourceQuote::kMostBytes ? line.starts_with(quote) : line == quote;
}

bool IsBlank(std::string_view line) { return line.find_first_not_of(" \t\r") == line.npos; }

// A file below a folder, by its canonical path; or why none is read there.
struct Search {
  std::optional<fs::path> found;
  std::string why_not = {};
};

// Nothing of both where there is no such file.
Search Look(const fs::path& root, const fs::path& name) {
  std::error_code none;
  const auto size = fs::is_regular_file(root / name, none) ? fs::file_size(root / name, none) : 0;
  if (none || size == 0 || size > kMostBytes) return {};
  std::optional<fs::path> file = FindInside(root, name);
  if (!file)
    return {{}, fmt::format("{} leads out of {} through a link, so it is not read.", name.string(), root.string())};
  if (IsHidden(file->lexically_relative(fs::canonical(root, none))))
    return {{}, fmt::format("{} leads to a hidden file, which is not read.", name.string())};
  return {std::move(file)};
}

// The file itself, else the only one below `root` whose path ends in `name`.
Search LookBelow(const fs::path& root, const fs::path& name, const auto& ending_in) {
  Search search = Look(root, name);
  if (search.found || !search.why_not.empty()) return search;
  for (const fs::path& relative : ending_in(name)) {
    Search one = Look(root, relative);
    if (!one.found) continue;
    if (search.found) return {{}, fmt::format("Several files below {} are called {}.", root.string(), name.string())};
    search = std::move(one);
  }
  return search;
}

// The root of the repository that holds the working directory; without one the working directory. Never the root of
// the file system: then it is empty.
fs::path ProjectOf(const fs::path& working_directory) {
  std::error_code none;
  for (fs::path above = working_directory; above.has_relative_path(); above = above.parent_path())
    if (fs::exists(above / ".git", none)) return above;
  return working_directory.has_relative_path() ? working_directory : fs::path();
}

// In the working directory, and in those above it up to the root of its repository.
Search LookAbove(const fs::path& name) {
  std::error_code none;
  const fs::path here = fs::current_path(none), project = ProjectOf(here);
  Search search;
  for (fs::path above = here; !project.empty() && !search.found && search.why_not.empty();
       above = above.parent_path()) {
    search = Look(project, above.lexically_relative(project) / name);
    if (above == project) break;
  }
  return search;
}

std::vector<std::string> LinesOf(const fs::path& file) {
  RegularFile in(file);
  if (in.Size() > kMostBytes) throw Error(fmt::format("{} is too large for a source.", file.string()));
  std::vector<std::string> lines;
  std::istringstream text(in.Text());
  for (std::string line; std::getline(text, line);) {
    if (line.ends_with('\r')) line.pop_back();
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace

void AddSourceOption(Syntax& syntax, std::string& folder) {
  syntax.Add("--source", &folder,
             "folder of the sources that --lines quotes (default: the repository around the working directory, for "
             "files that the recording quotes)",
             {.value = "DIR", .not_empty = true});
}

void RequireQuotes(const std::string& folder, bool lines, const OutputOptions& output) {
  if (!folder.empty() && !lines && !output.IsPage())
    throw Error(
        "--source is used only with --lines and in pages; add --lines or --format html, or leave --source out.");
}

SourceFiles::SourceFiles(fs::path folder, std::span<const SourceQuote> quotes) : folder_(std::move(folder)) {
  for (const SourceQuote& quote : quotes) quotes_[quote.at.file].emplace(quote.at.line, quote.text);
  std::error_code none;
  if (!folder_.empty() && !fs::is_directory(folder_, none))
    throw Error(fmt::format("--source '{}' is not a folder; give the folder that has the sources.",
                            Printable(folder_.string())));
}

std::vector<fs::path> SourceFiles::EndingIn(const fs::path& name) {
  if (!below_) {
    below_.emplace();
    std::error_code none;
    int entries = 0;
    const auto skip = fs::directory_options::skip_permission_denied;
    for (auto at = fs::recursive_directory_iterator(folder_, skip, none);
         !none && at != fs::recursive_directory_iterator() && ++entries <= kMostEntries; at.increment(none)) {
      std::string file = at->path().filename().string();
      if (file.starts_with('.')) at.disable_recursion_pending();
      below_->emplace(std::move(file), at->path().lexically_relative(folder_));
    }
  }
  std::vector<fs::path> found;
  const auto [begin, end] = below_->equal_range(name.filename().string());
  for (auto file = begin; file != end; ++file)
    if (EndsIn(file->second, name)) found.push_back(file->second);
  return found;
}

SourceFiles::File SourceFiles::Read(const std::string& file) {
  if (!LeadsDown(file))
    return {{},
            fmt::format("{} is outside the project, so only the lines that the recording quotes are shown.",
                        file.empty() ? "A file without a name" : file)};
  if (IsHidden(file))
    return {{}, fmt::format("{} is hidden, so only the lines that the recording quotes are shown.", file)};
  Search search;
  if (!folder_.empty()) search = LookBelow(folder_, file, [this](const fs::path& name) { return EndingIn(name); });
  if (!search.found && search.why_not.empty()) {
    if (IsQuoted(file))
      search = LookAbove(file);
    else if (folder_.empty())
      search.why_not = fmt::format(
          "The recording quotes no line of {}, so it is not known which file was compiled. Name its folder with "
          "--source DIR.",
          file);
  }
  if (!search.why_not.empty()) return {{}, search.why_not};
  if (!search.found)
    return {
        {},
        fmt::format(
            "The text of {} was not found. Run this command where the file is, or name its folder with --source DIR.",
            file)};
  File read;
  try {
    read.lines = LinesOf(*search.found);
  } catch (const Error& e) {
    return {{}, e.what()};
  }
  if (!IsAsRecorded(file, read.lines))
    return {{},
            fmt::format("{} was changed after it was compiled, so only the lines that the recording quotes are shown.",
                        file)};
  return read;
}

bool SourceFiles::IsQuoted(const std::string& file) const {
  const auto quoted = quotes_.find(file);
  return quoted != quotes_.end() &&
         !std::ranges::all_of(quoted->second, [](const auto& quote) { return IsBlank(quote.second); });
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
    return {"",
            fmt::format(
                "{} has {} lines here, but the recording has line {}, so the file was changed after it was compiled.",
                line.file, file.lines.size(), line.line)};
  return {file.lines[static_cast<std::size_t>(line.line) - 1], ""};
}

}  // namespace culprit
