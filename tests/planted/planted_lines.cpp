// SPDX-License-Identifier: Apache-2.0
#include "tests/planted/planted_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <stdexcept>
#include <utility>

#include "tests/planted/csv.h"

namespace culprit::testing {
namespace {

namespace fs = std::filesystem;

// The lines of a planted kernel's file, found by their text; counted from 1.
class Source {
 public:
  explicit Source(const fs::path& file) : name_(file.filename().string()) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) lines_.push_back(line);
    if (lines_.empty()) throw std::runtime_error(file.string() + " holds no line");
  }

  // The first line after `above` that contains `piece`; 0: none.
  int Find(std::string_view piece, int above) const {
    for (std::size_t i = above; i < lines_.size(); ++i)
      if (lines_[i].find(piece) != std::string::npos) return static_cast<int>(i) + 1;
    return 0;
  }
  int First(std::string_view piece, int above) const {
    const int line = Find(piece, above);
    if (line == 0) throw std::runtime_error(fmt::format("no line of {} below {} holds '{}'", name_, above, piece));
    return line;
  }
  int Only(std::string_view piece) const {
    const int line = First(piece, 0);
    if (const int other = Find(piece, line); other != 0)
      throw std::runtime_error(fmt::format("lines {} and {} of {} hold '{}'", line, other, name_, piece));
    return line;
  }

 private:
  std::string name_;
  std::vector<std::string> lines_;
};

// Recordings of November 2026 have the former folder of the planted kernels in their paths.
constexpr std::string_view kThen = "kernels/planted/", kNow = "tests/planted/kernels/";
std::string InTree(const std::string& source) {
  return source.starts_with(kThen) ? std::string(kNow) + source.substr(kThen.size()) : source;
}

bool Holds(const PlantedPlace& place, const GrownLine& line) {
  const std::string source = place.source.empty() ? PlantedSource(place.planted) : place.source;
  return place.OnLine() && line.file == source && line.line >= place.first && line.line <= place.last;
}

}  // namespace

std::string PlantedSource(const std::string& planted) {
  return planted.ends_with(".cu") ? planted : std::string(kThen) + planted + ".cu";
}

void FindPlace(const fs::path& file, const std::string& line, const std::string& to, const std::string& below,
               PlantedPlace& place) {
  const Source source(file);
  place.first = below.empty() ? source.Only(line) : source.First(line, source.Only(below));
  place.last = to.empty() ? place.first : source.First(to, place.first);
}

std::vector<PlantedPlace> ReadPlantedPlaces(const fs::path& csv, const fs::path& root) {
  std::vector<PlantedPlace> places;
  for (const auto& f : ReadCsv(csv, 5)) {
    PlantedPlace& place = places.emplace_back(PlantedPlace{f[0], f[1]});
    if (f[2] == "none") continue;
    constexpr std::string_view kHeader = ".cuh: ";
    const std::size_t named = f[2].find(kHeader);
    const bool in_header = named != std::string::npos;
    place.source = in_header ? f[2].substr(0, named + kHeader.size() - 2) : PlantedSource(place.planted);
    FindPlace(root / InTree(place.source), in_header ? f[2].substr(named + kHeader.size()) : f[2], f[3], f[4], place);
  }
  return places;
}

std::vector<GrownLine> GrownLines(const LineDifferences& differences) {
  std::vector<GrownLine> grown;
  for (const DifferentLine& line : differences.lines) {
    const CodePlace& place = line.candidate ? *line.candidate : *line.base;
    if (line.DeltaUs() > 0 && place.frame.line > 0)
      grown.push_back({place.frame.file, place.frame.line, line.DeltaUs()});
  }
  std::ranges::stable_sort(grown, std::ranges::greater{}, &GrownLine::us);
  return grown;
}

int RankOf(std::span<const GrownLine> grown, std::span<const PlantedPlace> planted, const std::string& cause) {
  int rank = 1;
  for (const GrownLine& line : grown) {
    bool other = false;
    for (const PlantedPlace& place : planted) {
      if (!Holds(place, line)) continue;
      if (place.cause == cause) return rank;
      other = true;
    }
    if (!other) ++rank;
  }
  return 0;
}

}  // namespace culprit::testing
