// SPDX-License-Identifier: Apache-2.0
// The source lines of planted causes, and the lines that cost more in one kernel than in another.
#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "analysis/judge/blame/line_difference.h"

namespace culprit::testing {

// A line of lines.csv: a statement of tests/planted/kernels/<planted>.cu, or of a file of helpers, whose cost the
// planted change raises. A cause may have several lines. A change outside of the kernel's code has none, such as how
// many blocks fit an SM.
struct PlantedPlace {
  std::string planted;      // id of a pair or of a mixture; or a file, which ends with .cu
  std::string cause;        // an id of Causes()
  int first = 0, last = 0;  // lines, both included; 0: on no line
  std::string source = {};  // the file that they are of, as recordings name it

  bool OnLine() const { return first > 0; }
};

// "kernels/planted/<planted>.cu", as recordings name it; a file is itself.
std::string PlantedSource(const std::string& planted);

// The file says lines by what stands there, as line numbers go stale unseen: `line` is a piece of the statement's first
// line, behind the name of a header and ": " where it stands in that, that no other line of the file has, or the first
// of that kind below the one line that holds `below`; `to`, where the statement has more lines than one, is a piece of
// its last, the first that fits. "none" is no line. `root` holds kernels/. Throws std::runtime_error where text is not
// there, or is not the only one.
std::vector<PlantedPlace> ReadPlantedPlaces(const std::filesystem::path& csv, const std::filesystem::path& root);

// Sets the lines of a place, by pieces of them as in that file.
void FindPlace(const std::filesystem::path& file, const std::string& line, const std::string& to,
               const std::string& below, PlantedPlace& place);

struct GrownLine {
  std::string file;
  int line = 0;
  double us = 0;
};

// The lines that are blamed for more microseconds in the candidate, the largest growth first. A line is the user's own
// (see CostLine); code without a line is left out.
std::vector<GrownLine> GrownLines(const LineDifferences& differences);

// 1: the line that grew most is planted for this cause. Each line before the first such adds 1, unless something else
// was planted there. 0: none of the lines that grew.
int RankOf(std::span<const GrownLine> grown, std::span<const PlantedPlace> planted, const std::string& cause);

}  // namespace culprit::testing
