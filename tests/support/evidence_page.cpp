// SPDX-License-Identifier: Apache-2.0
#include "tests/support/evidence_page.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

namespace culprit::testing {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kMostRows = 30;

// What stands before the first `end`, which is taken away with it.
std::string_view Take(std::string_view& text, char end) {
  const std::size_t at = text.find(end);
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at == text.npos ? text.size() : at + 1);
  return taken;
}

std::string Trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == text.npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(' ') - first + 1));
}

// "| a | b, c |" as "a,"b, c"".
std::string CsvRow(std::string_view row) {
  std::string csv;
  Take(row, '|');
  for (bool first = true; !row.empty(); first = false) {
    const std::string cell = Trimmed(Take(row, '|'));
    if (!first) csv += ',';
    if (cell.find_first_of(",\"") == cell.npos) {
      csv += cell;
      continue;
    }
    csv += '"';
    for (const char c : cell) csv += c == '"' ? "\"\"" : std::string(1, c);
    csv += '"';
  }
  return csv + '\n';
}

}  // namespace

std::map<std::string, std::string> EvidenceFiles(const std::string& name, std::string_view markdown) {
  std::map<std::string, std::string> files;
  std::string page;
  std::vector<std::string_view> table;  // its heading, the rule below, its rows
  const auto put_table = [&] {
    if (table.size() <= kMostRows + 2) {
      for (const std::string_view row : table) page += fmt::format("{}\n", row);
    } else {
      const std::string file = files.empty() ? name + ".csv" : fmt::format("{}_{}.csv", name, files.size() + 1);
      page += fmt::format("[{0}]({0}) has the table of {1} rows.\n", file, table.size() - 2);
      std::string& csv = files[file];
      for (std::size_t i = 0; i < table.size(); ++i)
        if (i != 1) csv += CsvRow(table[i]);
    }
    table.clear();
  };
  while (!markdown.empty()) {
    const std::string_view line = Take(markdown, '\n');
    if (line.starts_with('|')) {
      table.push_back(line);
    } else {
      put_table();
      page += fmt::format("{}\n", line);
    }
  }
  put_table();
  files[name + ".md"] = page;
  return files;
}

void ExpectEvidence(const std::string& name, std::string_view markdown) {
  const fs::path folder = fs::path(CULPRIT_SOURCE_DIR) / "docs/evidence";
  for (const auto& [file, text] : EvidenceFiles(name, markdown)) {
    if (std::getenv("CULPRIT_UPDATE_GOLDEN") != nullptr) std::ofstream(folder / file) << text;
    std::ifstream in(folder / file);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), text)
        << file << ": run this test with CULPRIT_UPDATE_GOLDEN=1 and review the change";
  }
}

}  // namespace culprit::testing
