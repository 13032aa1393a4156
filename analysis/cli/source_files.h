// SPDX-License-Identifier: Apache-2.0
// Text of recorded source lines, from the recording or from available files.
#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/cli/output.h"
#include "analysis/show/report/lines_report.h"
#include "db/code.h"

namespace culprit {

// --source, for commands that quote lines: with --lines, and in pages.
void AddSourceOption(Syntax& syntax, std::string& folder);
// Throws culprit::Error if a folder is given but no line will be quoted.
void RequireQuotes(const std::string& folder, bool lines, const OutputOptions& output);

// Lines quoted in the recording are used as they are. For other lines it searches below `folder` for the file, by its
// recorded name (at any depth, if only one file matches). A file with quotes is also searched for in the working
// directory and its parents up to the repository root; without a repository, only in the working directory. If a file's
// text differs from the quotes, the file has changed since the recording and is not shown.
// Recordings are untrusted input. So it reads only non-empty regular files inside these folders, no hidden ones, and
// follows no link out of them.
class SourceFiles {
 public:
  // Throws culprit::Error when `folder` is not a folder.
  explicit SourceFiles(std::filesystem::path folder, std::span<const SourceQuote> quotes = {});

  SourceText At(const SourceFrame& line);

 private:
  struct File {
    std::vector<std::string> lines;
    std::string why_not;  // why it is not available
  };
  // The files below the folder whose path ends in `name`. Walks the folder once, on the first request. Skips hidden
  // folders and stops after 200,000 entries, in case the folder is wrong.
  std::vector<std::filesystem::path> EndingIn(const std::filesystem::path& name);
  File Read(const std::string& file);
  bool IsQuoted(const std::string& file) const;
  bool IsAsRecorded(const std::string& file, const std::vector<std::string>& lines) const;

  std::filesystem::path folder_;
  std::optional<std::multimap<std::string, std::filesystem::path>> below_;  // by file name; none: not walked yet
  std::map<std::string, std::map<int, std::string>> quotes_;                // by file and line
  std::map<std::string, File> files_;
};

}  // namespace culprit
