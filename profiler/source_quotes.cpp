// SPDX-License-Identifier: Apache-2.0
#include "profiler/source_quotes.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>

#include "db/error.h"
#include "db/regular_file.h"
#include "db/source_place.h"
#include "profiler/source_lines.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;

// Larger files are not source.
constexpr std::uint64_t kMostBytes = 64U << 20;

// The path comes from machine code and is foreign input. Empty when the file has another size, and so another text.
std::string TextAsCompiled(const fs::path& file, std::uint64_t size) try {
  if (size == 0 || size > kMostBytes || file.filename().string().starts_with('.')) return {};
  RegularFile in(file);
  return in.Size() == size ? in.Text() : std::string();
} catch (const Error&) {
  return {};
}

// Only text is quoted.
bool IsText(std::string_view line) {
  return std::ranges::none_of(line, [](char c) { return static_cast<unsigned char>(c) < ' ' && c != '\t'; });
}

std::string Cut(std::string line) {
  if (line.size() <= SourceQuote::kMostBytes) return line;
  std::size_t end = SourceQuote::kMostBytes;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xc0u) == 0x80u) --end;  // not within a UTF-8 character
  line.resize(end);
  return line;
}

void Quote(const std::string& path, const std::string& text, const std::set<int>& named,
           std::vector<SourceQuote>& quotes) {
  std::istringstream in(text);
  const std::string place = PlaceOf(path);
  std::string line;
  auto next = named.begin();
  for (int number = 1; next != named.end() && std::getline(in, line); ++number) {
    while (next != named.end() && *next < number - SourceQuote::kAround) ++next;
    if (next == named.end() || *next > number + SourceQuote::kAround) continue;
    if (line.ends_with('\r')) line.pop_back();
    if (IsText(line)) quotes.push_back({{place, number}, Cut(line)});
  }
}

}  // namespace

std::vector<SourceQuote> QuotesOf(std::span<const SourceFrame> lines,
                                  const std::function<std::uint64_t(const std::string& path)>& compiled_bytes) {
  std::map<std::string, std::set<int>> named;
  for (const SourceFrame& line : lines)
    if (!IsToolkitHeader(line.file)) named[line.file].insert(line.line);
  std::vector<SourceQuote> quotes;
  for (const auto& [path, of_file] : named) Quote(path, TextAsCompiled(path, compiled_bytes(path)), of_file, quotes);
  const auto place = [](const SourceQuote& quote) { return std::tie(quote.at.file, quote.at.line); };
  std::ranges::stable_sort(quotes, {}, place);
  const auto again = std::ranges::unique(quotes, {}, place);  // two files with the same name in different folders
  quotes.erase(again.begin(), again.end());
  return quotes;
}

}  // namespace culprit
