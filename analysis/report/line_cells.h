// SPDX-License-Identifier: Apache-2.0
// What tables of source lines say alike (lines_report.h, line_difference_report.h).
#pragma once
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/blame/lane_counts.h"
#include "analysis/number/measured.h"

namespace culprit {

struct LinePart {
  double share = 0;  // of the line
  std::string name;
};

// The heaviest first; beside it one more, where that is a tenth of the line or more.
std::vector<LinePart> LeadingParts(std::vector<LinePart> parts);

// Of 32, on average of a warp's executions; undefined where they were not counted.
Measured LanesThere(const LaneCounts& lanes);
Measured LanesOn(const LaneCounts& lanes);

// What is to say of a line: `file` empty where it stands alone, `short_name` beside others of its file.
struct LineNote {
  std::string file, name, short_name, text;
};
// Sentences, in the order of the first lines: of lines in one file that say the same, one.
std::vector<std::string> Sentences(const std::vector<LineNote>& notes);

// Files of which no text is shown, and why: one sentence each. Those of which the same is said are one sentence.
using FilesWithoutText = std::set<std::pair<std::string, std::string>>;
std::vector<std::string> WhyNoText(const FilesWithoutText& files);

// Without the blanks around it.
std::string Trimmed(std::string_view source);

// The beginning of a source line, as printable text.
std::string SourceCell(std::string_view source);

}  // namespace culprit
