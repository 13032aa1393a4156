// SPDX-License-Identifier: Apache-2.0
#include "profiler/source_quotes.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>

#include "db/source_place.h"
#include "profiler/source_lines.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;

bool IsAsCompiled(const fs::path& file, std::uint64_t size) {
  std::error_code none;
  return size > 0 && fs::is_regular_file(file, none) && fs::file_size(file, none) == size && !none;
}

// Whatever is no text is not quoted.
bool IsText(std::string_view line) {
  return std::ranges::none_of(line, [](char c) { return static_cast<unsigned char>(c) < ' ' && c != '\t'; });
}

std::string Cut(std::string line) {
  if (line.size() <= SourceQuote::kMostBytes) return line;
  std::size_t end = SourceQuote::kMostBytes;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xc0u) == 0x80u) --end;  // not within a character of UTF-8
  line.resize(end);
  return line;
}

void Quote(const std::string& path, const std::set<int>& named, std::vector<SourceQuote>& quotes) {
  std::ifstream in(path, std::ios::binary);
  const std::string place = PlaceOf(path);
  std::string line;
  auto next = named.begin();
  for (int number = 1; next != named.end() && std::getline(in, line); ++number) {
    while (next != named.end() && *next < number - kQuotedAround) ++next;
    if (next == named.end() || *next > number + kQuotedAround) continue;
    if (line.ends_with('\r')) line.pop_back();
    if (IsText(line)) quotes.push_back({{place, number}, Cut(line)});
  }
}

}  // namespace

std::vector<SourceQuote> QuotesOf(std::span<const SourceLine> lines,
                                  const std::function<std::uint64_t(const std::string& path)>& compiled_bytes) {
  std::map<std::string, std::set<int>> named;
  for (const SourceLine& line : lines)
    if (!IsToolkitHeader(line.file)) named[line.file].insert(line.line);
  std::vector<SourceQuote> quotes;
  for (const auto& [path, of_file] : named)
    if (IsAsCompiled(path, compiled_bytes(path))) Quote(path, of_file, quotes);
  const auto place = [](const SourceQuote& quote) { return std::tie(quote.at.file, quote.at.line); };
  std::ranges::stable_sort(quotes, {}, place);
  const auto again = std::ranges::unique(quotes, {}, place);  // two files of one name, of different folders
  quotes.erase(again.begin(), again.end());
  return quotes;
}

}  // namespace culprit
