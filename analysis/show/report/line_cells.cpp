// SPDX-License-Identifier: Apache-2.0
#include "analysis/show/report/line_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "analysis/number/printable.h"

namespace culprit {
namespace {

constexpr std::size_t kNamed = 2;
constexpr double kWorthNamingIn = 0.1;
constexpr std::size_t kColumns = 60;

}  // namespace

std::vector<LinePart> LeadingParts(std::vector<LinePart> parts) {
  std::ranges::stable_sort(parts, std::ranges::greater(), &LinePart::share);
  std::size_t named = std::min(kNamed, parts.size());
  while (named > 1 && parts[named - 1].share < kWorthNamingIn) --named;
  parts.resize(named);
  return parts;
}

Measured LanesThere(const LaneCounts& lanes) {
  return lanes.Known() ? Measured(lanes.There()) : Measured::Missing(Absence::kUndefined);
}

Measured LanesOn(const LaneCounts& lanes) {
  return lanes.Known() ? Measured(lanes.On()) : Measured::Missing(Absence::kUndefined);
}

std::vector<std::string> WhyNoText(const FilesWithoutText& files) {
  std::vector<std::string> sentences;
  std::map<std::pair<std::string, std::string>, std::string> several;  // what stands before and behind the file
  for (const auto& [file, why_not] : files) {
    const auto at = file.empty() ? why_not.npos : why_not.find(file);
    if (at == why_not.npos || at == 0) {
      sentences.push_back(why_not);
      continue;
    }
    std::string& list = several[{why_not.substr(0, at), why_not.substr(at + file.size())}];
    list += (list.empty() ? "" : ", ") + file;
  }
  for (const auto& [around, list] : several) sentences.push_back(around.first + list + around.second);
  return sentences;
}

std::vector<std::string> Sentences(const std::vector<LineNote>& notes) {
  std::vector<std::pair<std::string, const LineNote*>> all;  // lines, and the first of them
  for (const LineNote& note : notes) {
    const auto same = std::ranges::find_if(all, [&](const auto& known) {
      return !note.file.empty() && known.second->file == note.file && known.second->text == note.text;
    });
    if (same == all.end())
      all.emplace_back(note.name, &note);
    else
      same->first += ", " + note.short_name;
  }
  std::vector<std::string> sentences;
  for (const auto& [lines, note] : all) sentences.push_back(fmt::format("{}: {}.", lines, note->text));
  return sentences;
}

std::string Trimmed(std::string_view source) {
  const auto first = source.find_first_not_of(" \t"), last = source.find_last_not_of(" \t\r");
  return first == source.npos ? "" : std::string(source.substr(first, last - first + 1));
}

std::string SourceCell(std::string_view source) {
  std::string text = Printable(Trimmed(source));
  if (Width(text) > kColumns) text = text.substr(0, BytesWithin(text, kColumns)) + "...";
  return text;
}

}  // namespace culprit
