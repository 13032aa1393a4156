// SPDX-License-Identifier: Apache-2.0
#include "analysis/cli/source_files.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "analysis/render/printable.h"
#include "db/error.h"
#include "db/regular_file.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;

// No source is larger; what else may have the name is not read until memory ends.
constexpr std::uintmax_t kMostBytes = 64U << 20;
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
    return {{}, fmt::format("{} leads out of {} through a link and is not read.", name.string(), root.string())};
  if (IsHidden(file->lexically_relative(fs::canonical(root, none))))
    return {{}, fmt::format("{} leads to a hidden file, which is not read.", name.string())};
  return {std::move(file)};
}

// The file itself, else the only one below `root` whose path ends in `name`.
Search LookBelow(const fs::path& root, FilesBelow& below, const fs::path& name) {
  Search search = Look(root, name);
  if (search.found || !search.why_not.empty()) return search;
  for (const fs::path& relative : below.EndingIn(name)) {
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
             "folder of the sources that --lines quotes (default: the repository that holds the working directory, for "
             "files of which the recording quotes a line)",
             {.value = "DIR", .not_empty = true});
}

void RequireQuotes(const std::string& folder, bool lines, const OutputOptions& output) {
  if (!folder.empty() && !lines && !output.IsPage())
    throw Error("--source is of --lines and of pages: add --lines or --format html, or leave --source out.");
}

SourceFiles::SourceFiles(fs::path folder, std::span<const SourceQuote> quotes)
    : folder_(std::move(folder)), below_(folder_) {
  for (const SourceQuote& quote : quotes) quotes_[quote.at.file].emplace(quote.at.line, quote.text);
  std::error_code none;
  if (!folder_.empty() && !fs::is_directory(folder_, none))
    throw Error(
        fmt::format("--source '{}' is no folder; give the one that holds the sources.", Printable(folder_.string())));
}

SourceFiles::File SourceFiles::Read(const std::string& file) {
  if (!LeadsDown(file))
    return {{},
            fmt::format("{} lies outside of the project: only what the recording quotes of it is shown.",
                        file.empty() ? "A file without a name" : file)};
  if (IsHidden(file)) return {{}, fmt::format("{} is hidden: only what the recording quotes of it is shown.", file)};
  Search search;
  if (!folder_.empty()) search = LookBelow(folder_, below_, file);
  if (!search.found && search.why_not.empty()) {
    if (IsQuoted(file))
      search = LookAbove(file);
    else if (folder_.empty())
      search.why_not = fmt::format(
          "The recording quotes nothing of {}, so nothing shows which file was compiled: name its folder with --source "
          "DIR.",
          file);
  }
  if (!search.why_not.empty()) return {{}, search.why_not};
  if (!search.found)
    return {{},
            fmt::format("The text of {} is not at hand: run this where it lies, or name its folder with --source DIR.",
                        file)};
  File read;
  try {
    read.lines = LinesOf(*search.found);
  } catch (const Error& e) {
    return {{}, e.what()};
  }
  if (!IsAsRecorded(file, read.lines))
    return {{}, fmt::format("{} was changed since: only what the recording quotes of it is shown.", file)};
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
    return {"", fmt::format("{} has {} lines here and line {} in the recording: it was changed since.", line.file,
                            file.lines.size(), line.line)};
  return {file.lines[static_cast<std::size_t>(line.line) - 1], ""};
}

}  // namespace culprit
