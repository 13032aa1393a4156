// SPDX-License-Identifier: Apache-2.0
// In which form a command shows its report.
#pragma once
#include <string>
#include <vector>

#include "analysis/cli/syntax.h"
#include "analysis/render/report.h"

namespace culprit {

struct Streams;

// --format, --json, --table and -v
struct OutputOptions {
  std::string format = {};  // empty: text, or CSV where one table is asked for
  bool json = false;
  std::string table = {};  // empty: all of them
  bool details = false;    // text shows them

  bool IsText() const { return !json && table.empty() && (format.empty() || format == "text" || format == "table"); }
  bool IsJson() const { return json || format == "json"; }
  bool IsPage() const { return !json && format == "html"; }
  // Documents have room for columns that people do not get in a terminal.
  bool IsWide() const { return !json && (format == "md" || format == "html"); }
};
// `also`: formats that the command writes itself, behind those of every report.
void AddOutputOptions(Syntax& syntax, OutputOptions& options, const std::vector<std::string>& also = {});

void Render(const Report& report, const OutputOptions& options, Streams& streams);

}  // namespace culprit
