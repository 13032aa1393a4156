// SPDX-License-Identifier: Apache-2.0
// Output formats of a command's report.
#pragma once
#include <string>
#include <vector>

#include "analysis/cli/syntax.h"
#include "analysis/show/render/report.h"

namespace culprit {

struct Streams;

// --format, --json, --top, --table and -v
struct OutputOptions {
  std::string format = {};  // empty: text, or CSV when one table is requested
  bool json = false;
  int top = 0;             // the most elements of a list in JSON; 0: all
  std::string table = {};  // empty: all tables
  bool details = false;    // -v: text includes details

  bool IsText() const { return !json && table.empty() && (format.empty() || format == "text" || format == "table"); }
  bool IsPage() const { return !json && format == "html"; }
  // Documents also show columns that are too wide for a terminal.
  bool IsWide() const { return !json && (format == "md" || format == "html"); }
  // For a format other than JSON. Throws culprit::Error if --top was given.
  void RefuseTop() const;
};
// `also`: further formats that only this command has.
void AddOutputOptions(Syntax& syntax, OutputOptions& options, const std::vector<std::string>& also = {});

void Render(const Report& report, const OutputOptions& options, Streams& streams);

}  // namespace culprit
