// SPDX-License-Identifier: Apache-2.0
// What people read of advice, held against the lines that it names, on every kernel of the shipped recordings that was
// sampled.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "analysis/judge/advice/advice.h"
#include "analysis/judge/blame/lines.h"
#include "analysis/launch/kernel_view.h"
#include "analysis/number/format.h"
#include "analysis/show/report/lines_report.h"
#include "tests/support/invented_database.h"
#include "tests/support/recordings.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;
using Line = std::pair<std::string, int>;

// "a.cu:25, :27-28, b.cu:3"
std::set<Line> LinesNamedIn(const std::string& text) {
  std::set<Line> lines;
  std::string file;
  const std::regex place("([^ ,:]*):(\\d+)(?:-(\\d+))?");
  for (std::sregex_iterator at(text.begin(), text.end(), place), end; at != end; ++at) {
    if ((*at)[1].length() > 0) file = (*at)[1];
    const int first = std::stoi((*at)[2]), last = (*at)[3].matched ? std::stoi((*at)[3]) : first;
    for (int line = first; line <= last; ++line) lines.emplace(file, line);
  }
  return lines;
}

// A sampled launch, as `culprit show --lines` shows it.
struct Shown {
  std::string name;
  double time_us = 0;
  std::map<Line, double> cost_us = {};
  Report report = {};

  double CostOf(const std::set<Line>& lines) const {
    double us = 0;
    for (const Line& line : lines)
      if (const auto found = cost_us.find(line); found != cost_us.end()) us += found->second;
    return us;
  }
  const Section* WhatToDo() const {
    const auto found = std::ranges::find(report.sections, "What to do", &Section::title);
    return found == report.sections.end() ? nullptr : &*found;
  }
  std::string ToDo() const {
    for (const Fact& fact : report.answer.facts)
      if (fact.title == "To do") return Format(fact.value);
    return "";
  }
};

std::vector<Shown> ShownOf(const fs::path& recording) {
  const testing::TemporaryFolder folder;
  Database database = Database::OpenForRecording(folder / "recorded.db");
  testing::ImportRecording(recording, database);
  std::vector<Shown> all;
  for (const auto& row : database.Query("SELECT id FROM launch WHERE id IN (SELECT launch_id FROM sampling)").rows) {
    const KernelRecord kernel = database.LoadKernel(std::get<std::int64_t>(row.at(0)));
    const Measured time_us = KernelView(kernel).Get("time_us");
    const auto sampling = database.Sampling(kernel.id);
    if (!time_us || !sampling) continue;
    const std::vector<InstructionRecord> counted = database.Instructions(kernel.id);
    const KernelCosts costs = CostsOf(*time_us, *sampling, counted);
    const FindSourceText none = [](const SourceFrame&) { return SourceText(); };
    Shown shown{.name = kernel.stage.id + " at " + kernel.launch.shape, .time_us = *time_us};
    shown.report = MakeLinesReport(kernel, *sampling, costs, counted, none);
    for (const CostLine& line : LinesOf(costs)) shown.cost_us[{line.at.file, line.at.line}] = line.cost.blamed_us;
    all.push_back(std::move(shown));
  }
  return all;
}

// Of about 30 kernels the line that an item named cost less than the item, and two items on one line counted it twice.
void ExpectNoMoreThanTheLinesCost(const Shown& shown) {
  struct Read {
    std::set<Line> lines;
    double us;
  };
  std::vector<Read> before;
  for (const Item& item : shown.WhatToDo()->items) {
    const Read read{LinesNamedIn(item.key), item.weight.value.value_or(0)};
    before.push_back(read);
    if (read.lines.empty()) continue;  // without line information
    EXPECT_LE(read.us, shown.CostOf(read.lines) + 1e-6) << shown.name << ": " << item.key;
    for (std::size_t n = 0; n + 1 < before.size(); ++n) {
      std::set<Line> both = read.lines;
      both.insert(before[n].lines.begin(), before[n].lines.end());
      const bool apart = both.size() == read.lines.size() + before[n].lines.size();
      const bool said =
          std::ranges::any_of(item.details, [](const std::string& d) { return d.starts_with("Its time is also in "); });
      if (apart || said) continue;
      EXPECT_LE(read.us + before[n].us, shown.CostOf(both) + 1e-6) << shown.name << ": " << item.key;
    }
  }
}

TEST(PrintedAdvice, NeverExceedsTheLinesThatItNames) {
  int items = 0;
  for (const char* folder : {"", "ladder", "lanes", "lines", "planted", "planted/lines", "programs", "strangers"})
    for (const fs::path& recording : testing::RecordingsIn(folder))
      for (const Shown& shown : ShownOf(recording)) {
        if (shown.WhatToDo() == nullptr) continue;
        ExpectNoMoreThanTheLinesCost(shown);
        items += static_cast<int>(shown.WhatToDo()->items.size());
        if (const std::string to_do = shown.ToDo(); !to_do.empty()) {
          const auto leads = std::ranges::find_if(shown.WhatToDo()->items,
                                                  [&](const Item& i) { return to_do.starts_with(i.key + ": "); });
          ASSERT_NE(leads, shown.WhatToDo()->items.end()) << to_do;
          EXPECT_GE(leads->weight.value.value_or(0), 0.02 * shown.time_us) << shown.name << ": " << to_do;
        }
      }
  EXPECT_GT(items, 400);
}

// Atomics at four lines cost 145.1 us, and the report led with a barrier of 0.847 us.
TEST(PrintedAdvice, LeadsWithTheAtomicsThatEveryTripOfALoopSends) {
  int seen = 0;
  for (const Shown& shown : ShownOf("strangers/h200_sxm_cuda13.0_2026-11-24_second.sql.zst")) {
    if (!shown.name.starts_with("norm_backward") ||
        shown.CostOf({{"tests/strangers/second/programs/norm_backward.cu", 26}}) < 10)
      continue;
    EXPECT_THAT(
        shown.ToDo(),
        ::testing::StartsWith("tests/strangers/second/programs/norm_backward.cu:26-29: every trip of the loop adds"));
    ++seen;
  }
  EXPECT_GE(seen, 1);
}

}  // namespace
}  // namespace culprit
