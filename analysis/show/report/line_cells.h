// SPDX-License-Identifier: Apache-2.0
// Shared parts of source line tables (lines_report.h, line_difference_report.h).
#pragma once
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/judge/blame/lane_counts.h"
#include "analysis/number/measured.h"

namespace culprit {

struct LinePart {
  double share = 0;  // of the line
  std::string name;
};

// The largest part, and the next one if it is at least a tenth of the line.
std::vector<LinePart> LeadingParts(std::vector<LinePart> parts);

// The average number of lanes (of 32) per execution by a warp. Undefined if not counted.
Measured LanesThere(const LaneCounts& lanes);
Measured LanesOn(const LaneCounts& lanes);

// A note on a line. `name` names the line with its file; `short_name` is used beside other notes on the same file.
struct LineNote {
  std::string file, name, short_name, text;
};
// The notes as sentences, in the order of their first lines. Lines of one file with the same note share a sentence.
std::vector<std::string> Sentences(const std::vector<LineNote>& notes);

// Files whose text cannot be shown, each with the reason. WhyNoText returns one sentence per reason.
using FilesWithoutText = std::set<std::pair<std::string, std::string>>;
std::vector<std::string> WhyNoText(const FilesWithoutText& files);

// The line without surrounding blanks.
std::string Trimmed(std::string_view source);

// The start of a source line, as printable text.
std::string SourceCell(std::string_view source);

}  // namespace culprit
