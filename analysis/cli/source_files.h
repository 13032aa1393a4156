// SPDX-License-Identifier: Apache-2.0
// Source text of recorded lines: as it was recorded, else from the files that are at hand.
#pragma once
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "analysis/cli/files_below.h"
#include "analysis/cli/output.h"
#include "analysis/report/lines_report.h"
#include "db/code.h"

namespace culprit {

// --source, of commands that quote lines: those of --lines, and in pages.
void AddSourceOption(Syntax& syntax, std::string& folder);
// Throws culprit::Error where a folder was named and nothing will be quoted.
void RequireQuotes(const std::string& folder, bool lines, const OutputOptions& output);

// What the recording quotes is taken from there. For other lines looks for the file, as recordings name it, below
// `folder` (anywhere below it, where that is one file). A file that the recording quotes is also looked for in the
// working directory and those above it, up to the root of its repository; without a repository in the working directory
// alone. A file with another text than the one quoted was changed, and is not shown.
// Recordings may come from anybody. So nothing outside of these folders is read, through a link either, nothing hidden
// and nothing but regular files that are not empty.
class SourceFiles {
 public:
  // Throws culprit::Error when `folder` is none.
  explicit SourceFiles(std::filesystem::path folder, std::span<const SourceQuote> quotes = {});

  SourceText At(const SourceFrame& line);

 private:
  struct File {
    std::vector<std::string> lines;
    std::string why_not;  // it is not at hand
  };
  File Read(const std::string& file);
  bool IsQuoted(const std::string& file) const;
  bool IsAsRecorded(const std::string& file, const std::vector<std::string>& lines) const;

  std::filesystem::path folder_;
  FilesBelow below_;
  std::map<std::string, std::map<int, std::string>> quotes_;  // by file and line
  std::map<std::string, File> files_;
};

}  // namespace culprit
