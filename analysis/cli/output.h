// SPDX-License-Identifier: Apache-2.0
// In which form a command shows its report.
#pragma once
#include <string>

#include "analysis/cli/syntax.h"
#include "analysis/render/report.h"

namespace culprit {

struct Streams;

// --format, --json and --table
struct OutputOptions {
  std::string format = "text";
  bool json = false;
  std::string table = {};  // of CSV; empty: all of them
  bool details = true;     // text shows them

  bool IsJson() const { return json || format == "json"; }
  // Documents have room for columns that people do not get in a terminal.
  bool IsWide() const { return !json && format == "md"; }
};
void AddOutputOptions(Syntax& syntax, OutputOptions& options);
// -v, for a command whose report has details: text leaves them out without.
void AddDetailsOption(Syntax& syntax, OutputOptions& options);

void Render(const Report& report, const OutputOptions& options, Streams& streams);

}  // namespace culprit
