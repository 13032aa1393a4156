// SPDX-License-Identifier: Apache-2.0
// Whether ui.perfetto.dev can read an export: valid JSON, known phases, slices that nest on their threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "analysis/cli/culprit.h"
#include "tests/support/invented_timeline.h"
#include "tests/support/scratch.h"

namespace culprit {
namespace {

using nlohmann::json;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class Perfetto : public ::testing::Test {
 protected:
  Perfetto() { testing::WriteTimelineDatabase(scratch / "t.db"); }

  std::string Run(std::vector<std::string> args, int status = 0) {
    args.insert(args.end(), {"--db", (scratch / "t.db").string()});
    std::ostringstream out, err;
    EXPECT_EQ(Main(args, out, err, false), status) << err.str();
    return status == 0 ? out.str() : err.str();
  }
  json Events(const std::string& run) {
    return json::parse(Run({"export", "--format", "perfetto", run}))["traceEvents"];
  }

  Scratch scratch;
};

TEST_F(Perfetto, SlicesOfAThreadNest) {
  for (const char* run : {"before", "after"}) {
    std::map<std::pair<int, int>, std::vector<double>> open;  // by process and thread: ends of open slices
    std::map<std::pair<int, int>, double> last;
    int slices = 0;
    for (const json& event : Events(run)) {
      EXPECT_THAT((std::set<std::string>{"M", "X", "C"}), Contains(event["ph"].get<std::string>()));
      if (event["ph"] != "X") continue;
      ++slices;
      const std::pair<int, int> thread{event["pid"], event["tid"]};
      const double start = event["ts"], end = start + event["dur"].get<double>();
      EXPECT_GE(start, last[thread]);
      last[thread] = start;
      auto& ends = open[thread];
      while (!ends.empty() && ends.back() <= start + 1e-6) ends.pop_back();
      if (!ends.empty()) {
        EXPECT_LE(end, ends.back() + 1e-6) << event;
      }
      ends.push_back(end);
    }
    EXPECT_GT(slices, 10);
  }
}

TEST_F(Perfetto, HasAThreadForWhatOverlapsOnAStream) {
  std::map<int, std::string> names;
  std::map<std::string, int> slices;
  for (const json& event : Events("before")) {
    if (event["name"] == "thread_name") names[event["tid"]] = event["args"]["name"];
    if (event["ph"] == "X") ++slices[names.at(event["tid"])];
  }
  EXPECT_EQ(slices["Stream 7"], 8);
  EXPECT_EQ(slices["Stream 13"], 1);
  EXPECT_EQ(slices["Stream 13 (2)"], 1);
  EXPECT_EQ(slices["Copies and memsets"], 4);
  EXPECT_EQ(slices["NVTX of stream 7"], 4 * 3);
  EXPECT_EQ(slices["Not listed"], 0);
}

TEST_F(Perfetto, HasNoEventForABinThatWasNotMeasured) {
  std::map<std::string, std::vector<double>> starts;
  for (const json& event : Events("before"))
    if (event["ph"] == "C") starts[event["name"]].push_back(event["ts"]);
  ASSERT_THAT(starts["Issue slots (%), in turns: keeps its last value"], SizeIs(75));
  ASSERT_THAT(starts["L1 sectors (GB/s), in turns: keeps its last value"], SizeIs(5));
  EXPECT_EQ(starts["L1 sectors (GB/s), in turns: keeps its last value"][0], 37'500);
}

TEST_F(Perfetto, ShowsWhereLaunchesAreNotListed) {
  std::vector<json> unlisted;
  for (const json& event : Events("after"))
    if (event["name"] == "launches are not listed") unlisted.push_back(event);
  ASSERT_THAT(unlisted, SizeIs(1));
  EXPECT_EQ(unlisted[0]["ts"], 20'000);
  EXPECT_EQ(unlisted[0]["dur"], 10'000);
}

TEST_F(Perfetto, OfARunWithoutATimelineSaysHowToRecordOne) {
  for (const std::vector<std::string>& args :
       {std::vector<std::string>{"export", "--format", "perfetto", "plain"}, {"timeline", "plain"}})
    EXPECT_THAT(Run(args, 2), HasSubstr("has no timeline: record one with 'culprit record --profile sampled"));
  EXPECT_THAT(Run({"timeline", "before", "gather_rows"}, 2), HasSubstr("kernel 'gather_rows' has no profile in run"));
  EXPECT_THAT(Run({"export", "--format", "perfetto", "before", "--run", "after"}, 2), HasSubstr("writes one run"));
}

TEST_F(Perfetto, IsWrittenToAFile) {
  const std::string file = (scratch / "trace.json").string();
  EXPECT_THAT(Run({"export", "--format", "perfetto", "--out", file, "before"}), HasSubstr("trace.json"));
  EXPECT_EQ(Bytes(file), Run({"export", "--format", "perfetto", "before"}));
}

TEST_F(Perfetto, TimelineCommandRefusesWhatHasNoMeaning) {
  EXPECT_THAT(Run({"timeline", "before", "--from", "soon"}, 2), HasSubstr("--from takes a time such as 12.5ms"));
  EXPECT_THAT(Run({"timeline", "before", "--from", "30", "--to", "20"}, 2), HasSubstr("there is no time between"));
  EXPECT_THAT(Run({"timeline", "before", "--base", "after"}, 2), HasSubstr("--base needs a KERNEL"));
  EXPECT_THAT(Run({"timeline", "before", "matmul_tiles", "--to", "20"}, 2), HasSubstr("times of the program"));
  EXPECT_THAT(Run({"timeline", "matmul_tiles"}), HasSubstr("Timeline inside matmul_tiles"));
  EXPECT_THAT(Run({"timeline", "matmul_tiles@before"}), HasSubstr("Timeline inside matmul_tiles"));
  EXPECT_THAT(Run({"timeline", "no_such"}, 2), HasSubstr("no_such"));
}

}  // namespace
}  // namespace culprit
