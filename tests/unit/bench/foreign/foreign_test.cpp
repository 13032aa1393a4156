// SPDX-License-Identifier: Apache-2.0
// Reports of other tools: real ones of Nsight Compute 2025.3 (H200, cut to the columns that are read), and others
// written after the documented formats.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

#include "bench/foreign/csv.h"
#include "bench/foreign/report.h"
#include "db/database.h"
#include "tests/support/scratch.h"

namespace culprit {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::string Text(const std::string& name) {
  return Bytes(std::filesystem::path(CULPRIT_SOURCE_DIR) / "tests/unit/bench/foreign" / name);
}

ForeignReport Read(std::string_view text, const std::filesystem::path& folder = "/nowhere") {
  return ReadForeign(text, {"F", folder, "2026-11-21T00:25:46Z", "mine"});
}

std::string Replaced(std::string text, std::string_view from, std::string_view to) {
  const auto at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return at == text.npos ? text : text.replace(at, from.size(), to);
}

const ForeignLaunch& Find(const ForeignReport& report, std::string_view kernel) {
  const auto found = std::ranges::find_if(
      report.launches, [&](const ForeignLaunch& l) { return l.launch.kernel.find(kernel) != std::string::npos; });
  if (found == report.launches.end()) throw std::runtime_error("no launch of " + std::string(kernel));
  return *found;
}

double ValueOf(const std::vector<Reading>& readings, std::string_view id) {
  const auto found = std::ranges::find_if(readings, [&](const Reading& r) { return r.metric.id == id; });
  return found == readings.end() ? -1 : found->value.value_or(-2);
}

TEST(NcuReport, IsARunOfItsLaunches) {
  const ForeignReport report = Read(Text("ncu_full.csv"));
  EXPECT_EQ(report.run.program->source, ProgramSource::kNcu);
  EXPECT_EQ(report.run.command_line, "/home/me/sampler");
  EXPECT_EQ(report.run.started_utc, "2026-11-21T00:25:46Z");
  EXPECT_EQ(report.run.label, "mine");
  EXPECT_EQ(report.run.program->processes, 1);
  const Device& d = report.run.device.value();
  EXPECT_EQ(d.name, "NVIDIA H200");
  EXPECT_EQ(d.cc_major, 9);
  EXPECT_EQ(d.sm_count, 132);
  EXPECT_EQ(d.sm_clock_mhz, 1980);
  EXPECT_EQ(d.dram_bytes_per_s, 2.0 * 3201e6 * 6016 / 8);
  EXPECT_EQ(d.l2_bytes, 62914560);
  EXPECT_EQ(d.fp32_lanes_per_sm, 128);
  ASSERT_EQ(report.launches.size(), 4u);  // each profiled twice
  const ForeignLaunch& scatter = Find(report, "Scatter<33>");
  EXPECT_EQ(scatter.launch.kernel, "void (anonymous namespace)::Scatter<33>(float*, int)");
  EXPECT_EQ(scatter.launch.shape, "16384x1x1x256x1x1");
  EXPECT_EQ(scatter.launch.arch, "sm_90");
  EXPECT_EQ(scatter.program.calls, 2);
  EXPECT_EQ(scatter.program.counted, 2);
  ASSERT_EQ(scatter.samples.size(), 2u);
  EXPECT_DOUBLE_EQ(scatter.program.time_us.value(), scatter.samples[0].time_us + scatter.samples[1].time_us);
  EXPECT_NEAR(scatter.samples[0].clock_mhz.value(), 1500, 20);  // ncu locks the clock to its base
}

TEST(NcuReport, GivesMetricsOurIds) {
  const ForeignReport report = Read(Text("ncu_full.csv"));
  const std::vector<Reading>& one = Find(report, "AddOne").counted[0];
  EXPECT_EQ(ValueOf(one, "inst_executed"), 1966080);
  EXPECT_EQ(ValueOf(one, "sass_inst"), 1966080);             // inst_executed
  EXPECT_EQ(ValueOf(one, "sass_global_sectors"), 1048576);   // memory_l2_theoretical_sectors_global
  EXPECT_EQ(ValueOf(one, "sass_global_load_inst"), 131072);  // smsp__sass_inst_executed_op_global_ld.sum
  EXPECT_EQ(ValueOf(one, "launch_registers"), 16);
  EXPECT_EQ(ValueOf(one, "launch_theoretical_occupancy"), 1);
  EXPECT_EQ(ValueOf(one, "launch_blocks_per_sm_by_warps"), 8);
  EXPECT_EQ(ValueOf(one, "pipe_fma_inst"), -1);  // not in the report: not measured, never 0
  // 38.25 warps a cycle in which one is issued.
  EXPECT_DOUBLE_EQ(ValueOf(one, "stall_long_scoreboard"), 38.25 * 1972294);
  // The states are all that a resident warp can be in.
  const std::vector<Reading>& uneven = Find(report, "Scatter<33>").counted[0];
  double states = 0;
  for (const Reading& r : uneven)
    if (r.metric.id.starts_with("stall_")) states += r.value.value_or(0);
  EXPECT_NEAR(states / ValueOf(uneven, "warps_active"), 1, 0.02);
}

TEST(NcuReport, OfFewMetricsHasTheseAlone) {
  const ForeignReport report = Read(Text("ncu_default.csv"));
  const std::vector<Reading>& one = Find(report, "AddOne").counted[0];
  EXPECT_EQ(ValueOf(one, "smsp_cycles_active"), 8927973);
  EXPECT_EQ(ValueOf(one, "inst_issued"), -1);
}

// The same launches in the units that ncu takes by itself, with thousands and fractions as in another country.
TEST(NcuReport, IsTheSameInOtherUnitsAndSeparators) {
  const char* kHeader =
      "\"ID\",\"Process ID\",\"Process Name\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\","
      "\"gpu__time_duration.sum\",\"dram__bytes_read.sum\",\"smsp__inst_executed.sum\",\"sm__cycles_elapsed.max\"\n";
  const ForeignReport base = Read(std::string(kHeader) +
                                  "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"ns\",\"byte\",\"inst\",\"cycle\"\n"
                                  "\"0\",\"1\",\"p\",\"k(int)\",\"(64, 2, 1)\",\"(3, 4, 5)\",\"0\",\"8.0\",\"12,500\","
                                  "\"1,500,000\",\"1,973,720\",\"15,000\"\n");
  const ForeignReport other =
      Read(std::string(kHeader) +
           "\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"usecond\",\"Mbyte\",\"inst\",\"cycle\"\r\n"
           "\"0\",\"1\",\"p\",\"k(int)\",\"(64, 2, 1)\",\"(3, 4, 5)\",\"0\",\"8.0\",\"12,50\","
           "\"1,50\",\"1.973.720\",\"15.000\"\r\n");
  for (const ForeignReport* report : {&base, &other}) {
    const ForeignLaunch& l = report->launches.at(0);
    EXPECT_DOUBLE_EQ(l.samples.at(0).time_us, 12.5);
    EXPECT_DOUBLE_EQ(l.samples.at(0).clock_mhz.value(), 1200);
    EXPECT_DOUBLE_EQ(ValueOf(l.counted.at(0), "dram_read_bytes"), 1.5e6);
    EXPECT_EQ(ValueOf(l.counted.at(0), "inst_executed"), 1973720);
    EXPECT_EQ(l.launch.shape, "3x4x5x64x2x1");
    EXPECT_EQ(report->run.device->name, "GPU of compute capability 8.0");
  }
  EXPECT_NE(base.run.uuid, other.run.uuid);
}

TEST(NcuReport, SaysWhatIsDamagedAndWhere) {
  const std::string good = Text("ncu_default.csv");
  const auto complaint = [](const std::string& text) { return ComplaintOf([&] { Read(text); }); };
  EXPECT_THAT(complaint(good.substr(0, good.size() - 200)), AllOf(HasSubstr("F line 13"), HasSubstr("nothing was")));
  EXPECT_THAT(complaint(good + "\"9"), HasSubstr("does not end"));
  EXPECT_THAT(complaint(Replaced(good, "\"13,504\"", "\"-13,504\"")), HasSubstr("gpu__time_duration.sum is '-13,504'"));
  EXPECT_THAT(complaint(Replaced(good, "\"13,504\"", "\"inf\"")),
              HasSubstr("F line 6: gpu__time_duration.sum is 'inf'"));
  EXPECT_THAT(complaint(Replaced(good, "\"13,504\"", "\"1e999\"")), HasSubstr("'1e999'"));
  EXPECT_THAT(complaint(Replaced(good, "(16384, 1, 1)", "(99999999999, 1, 1)")), HasSubstr("is no Grid Size"));
  EXPECT_THAT(complaint(Replaced(good, "\"9.0\"", "\"nine\"")), HasSubstr("compute capability"));
  EXPECT_THAT(complaint(Replaced(good, "Kernel Name\"", "Kernel Name\",\"Metric Name\"")), HasSubstr("--page raw"));
  EXPECT_THAT(complaint("==PROF== Connected to process 1 (/p)\n==ERROR== ERR_NVGPUCTRPERM\n"),
              HasSubstr("ncu says:  ERR_NVGPUCTRPERM"));
  EXPECT_THAT(complaint(std::string("NVR\0x", 5)), HasSubstr("ncu --import F --csv --page raw --print-units base"));
}

// A small table: its columns, units and rows.
std::string Table(const std::string& metrics, const std::string& units, const std::vector<std::string>& rows) {
  std::string text =
      "\"ID\",\"Process ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Device\",\"CC\"," + metrics + "\n";
  if (!units.empty()) text += "\"\",\"\",\"\",\"\",\"\",\"\",\"\"," + units + "\n";
  int id = 0;
  for (const std::string& row : rows)
    text += fmt::format("\"{}\",\"1\",\"k(int)\",\"(64, 2, 1)\",\"(3, 4, 5)\",\"0\",\"8.0\",{}\n", id++, row);
  return text;
}

// Since 2025.4 ncu samples warps in cycles in which their scheduler issued nothing: other counts, of samples, not states.
TEST(NcuReport, TakesSamplesWithoutAnIssueForNoWarpStates) {
  const auto row = [](const std::vector<std::string>& fields) {
    return fmt::format("\"{}\"", fmt::join(fields, "\",\""));
  };
  std::vector<std::string> columns{"smsp__inst_issued.sum", "smsp__inst_executed.sum",
                                   "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio"};
  std::vector<std::string> units{"inst", "inst", "inst"}, values{"1000", "900", "2.5"};
  for (const char* state : {"barrier", "long_scoreboard"})
    for (const char* name : {"smsp__pcsamp_warps_issue_stalled_{}", "smsp__pcsamp_warps_issue_stalled_{}_not_issued",
                             "smsp__warps_issue_stalled_{}_not_issued.sum",
                             "smsp__average_warps_issue_stalled_{}_not_issued_per_issue_active.ratio"}) {
      columns.push_back(fmt::format(fmt::runtime(name), state));
      units.emplace_back();
      values.emplace_back("77");
    }
  const ForeignReport report = Read(Table(row(columns), row(units), {row(values)}));
  const std::vector<Reading>& readings = report.launches.at(0).counted.at(0);
  EXPECT_DOUBLE_EQ(ValueOf(readings, "stall_barrier"), 2.5 * 1000);
  EXPECT_EQ(ValueOf(readings, "stall_long_scoreboard"), -1) << "it was not measured";
}

constexpr const char* kTime = "\"gpu__time_duration.sum\"";

// A number that is wrong and looks right is the worst that a reader can do.
TEST(NcuReport, RefusesWhatWouldBecomeAnotherNumber) {
  const auto complaint = [](const std::string& text) { return ComplaintOf([&] { Read(text); }); };
  const std::string ns = Table(kTime, "\"ns\"", {"\"13,504\""}), us = Table(kTime, "\"us\"", {"\"12.50\""});
  EXPECT_EQ(complaint(ns), "");
  EXPECT_THAT(complaint(ns + us), HasSubstr("F line 5: its units are not those of the rows above"));
  EXPECT_EQ(complaint(ns + ns), "");
  EXPECT_THAT(complaint(ns + Table(kTime, "", {"\"12\""})), HasSubstr("F line 5: a row before the row of units"));
  EXPECT_THAT(complaint(ns + Table("\"sm__cycles_elapsed.max\"", "\"cycle\"", {"\"12\""})),
              HasSubstr("F line 4: its columns are not those of the rows above"));
  EXPECT_THAT(complaint(Table(kTime, "", {"\"13,504\""})), HasSubstr("F line 2: a row before the row of units"));
  EXPECT_THAT(complaint(Table(kTime, "", {"\"13,504\""}) + us), HasSubstr("F line 2: a row before the row of units"));
  EXPECT_THAT(complaint(Replaced(ns, "\"0\",\"1\",\"k", "\"\",\"1\",\"k")), HasSubstr("F line 3: a row without an ID"));
  EXPECT_THAT(complaint(Replaced(ns, "\n\"0\",", "\n0\",")), HasSubstr("F line 3: a damaged row"));
  EXPECT_THAT(complaint(Replaced(ns, "(3, 4, 5)", "(16,384, 1, 1)")), HasSubstr("'(16,384, 1, 1)' is no Grid Size"));
  EXPECT_THAT(complaint(Replaced(ns, "(3, 4, 5)", "(1.5, 1, 1)")), HasSubstr("is no Grid Size"));
  EXPECT_THAT(complaint(Replaced(ns, "\"8.0\"", "\"8.05\"")), HasSubstr("'8.05' is not a compute capability"));
  const std::string both = std::string(kTime) + "," + kTime;
  EXPECT_EQ(complaint(Table(both, "\"ns\",\"ns\"", {"\"1,000\",\"1,000\""})), "");
  EXPECT_THAT(complaint(Table(both, "\"ns\",\"ns\"", {"\"1,000\",\"2,000\""})),
              HasSubstr("two columns gpu__time_duration.sum that differ"));
  EXPECT_THAT(complaint(Table(both, "\"ns\",\"us\"", {"\"1,000\",\"1,000\""})),
              HasSubstr("two columns gpu__time_duration.sum that differ"));
  EXPECT_THAT(complaint(Table(kTime, "\"us\"", {"\"1,234.50\"", "\"1.234,5\""})), HasSubstr("F line 4"));
}

// Fields without quotes: where the last one ends, the end of its line alone says.
TEST(NcuReport, RefusesALastNumberThatMayBeCutOff) {
  std::string text = Table(kTime, "\"ns\"", {"\"13504\""});
  text = Replaced(Replaced(Replaced(text, "\"(64, 2, 1)\"", "\"(64; 2; 1)\""), "(64; 2; 1)", "64x2x1"), "\"(3, 4, 5)\"",
                  "3x4x5");
  std::erase(text, '"');
  EXPECT_DOUBLE_EQ(Read(text).launches.at(0).samples.at(0).time_us, 13.504);
  EXPECT_THAT(ComplaintOf([&] { Read(text.substr(0, text.size() - 3)); }), HasSubstr("F line 3: the file ends within"));
}

TEST(NcuReport, ScalesMeansByTheirUnits) {
  const ForeignReport report = Read(Table(
      "\"smsp__inst_issued.sum\",\"smsp__inst_executed.sum\",\"smsp__average_warp_latency_per_inst_issued.ratio\","
      "\"smsp__average_warps_issue_stalled_wait_per_issue_active.ratio\"",
      "\"inst\",\"inst\",\"Kcycle\",\"inst\"", {"\"2,000\",\"2,000\",\"1.50\",\"3.00\""}));
  const auto& readings = report.launches.at(0).counted.at(0);
  EXPECT_DOUBLE_EQ(ValueOf(readings, "warps_active"), 1500 * 2000.0);
  EXPECT_DOUBLE_EQ(ValueOf(readings, "stall_wait"), 3 * 2000.0);
}

TEST(NcuReport, SaysThatATimeHasAUnitThatIsNone) {
  const ForeignReport report = Read(Table(kTime, "\"furlong\"", {"\"13,504\""}));
  EXPECT_TRUE(report.launches.at(0).samples.empty());
  EXPECT_THAT(report.warnings.at(1).text, HasSubstr("gpu__time_duration.sum ('furlong')"));
}

// In another country, in base units, without a number that can only be one of both.
TEST(NcuReport, TellsThousandsByWhatIsCounted) {
  const ForeignReport report =
      Read(Table(std::string(kTime) + ",\"sm__cycles_elapsed.max\"", "\"ns\",\"cycle\"", {"\"13.504\",\"20.197\""}));
  EXPECT_DOUBLE_EQ(report.launches.at(0).samples.at(0).time_us, 13.504);
  EXPECT_NEAR(report.launches.at(0).samples.at(0).clock_mhz.value(), 1495.6, 0.1);
}

TEST(NcuReport, KeepsWhatHasNoValueApartFromZero) {
  const ForeignReport report = Read(Replaced(Text("ncu_default.csv"), "\"8,927,973\"", "\"n/a\""));
  const auto& readings = Find(report, "AddOne").counted[0];
  const auto found =
      std::ranges::find_if(readings, [](const Reading& r) { return r.metric.id == "smsp_cycles_active"; });
  ASSERT_NE(found, readings.end());
  EXPECT_FALSE(found->value);
  EXPECT_EQ(found->status, ReadingStatus::kUnsupported);
}

TEST(GoogleBenchmark, HasASampleForEachRepetition) {
  const ForeignReport report = Read(Text("google_benchmark.json"));
  EXPECT_EQ(report.run.program->source, ProgramSource::kGoogleBenchmark);
  EXPECT_EQ(report.run.started_utc, "2026-03-01T11:00:00Z");
  EXPECT_EQ(report.run.command_line, "./sort_bench");
  EXPECT_FALSE(report.run.device);
  const ForeignLaunch& sort = Find(report, "BM_Sort");
  EXPECT_EQ(sort.launch.kernel, "BM_Sort<float>");
  EXPECT_EQ(sort.launch.shape, "1024x8");
  EXPECT_THAT(sort.launch.stage, testing::StartsWith("BM_Sort_float~"));
  ASSERT_EQ(sort.samples.size(), 2u);
  EXPECT_DOUBLE_EQ(sort.samples[1].time_us, 16);
  EXPECT_EQ(sort.samples[1].repetition, 1);
  const ForeignLaunch& scan = Find(report, "scan");  // of which aggregates alone are there
  EXPECT_EQ(scan.launch.shape, "4096");
  ASSERT_EQ(scan.samples.size(), 1u);
  EXPECT_DOUBLE_EQ(scan.samples[0].time_us, 2500);
  const ForeignLaunch& broken = Find(report, "broken");
  EXPECT_EQ(broken.launch.state, LaunchState::kFailed);
  EXPECT_EQ(broken.launch.message, "no memory");
  EXPECT_EQ(report.launches.size(), 3u);  // a quarter of a nanosecond is no kernel
  EXPECT_EQ(report.warnings.size(), 2u);
}

TEST(Json, SaysWhatIsDamagedAndWhere) {
  const std::string good = Text("google_benchmark.json"), bench = Text("nvbench.json");
  const auto complaint = [](const std::string& text) { return ComplaintOf([&] { Read(text); }); };
  EXPECT_THAT(complaint(good.substr(0, 900)), AllOf(HasSubstr("F line "), HasSubstr("it is no JSON")));
  EXPECT_THAT(complaint(Replaced(good, "1.5e+01", "1e999")), HasSubstr("it is no JSON"));
  EXPECT_THAT(complaint(Replaced(good, "1.5e+01", "-15")), HasSubstr("benchmarks[0].real_time is no time"));
  EXPECT_THAT(complaint(Replaced(good, "1.5e+01", "\"Infinity\"")), HasSubstr("benchmarks[0].real_time is no finite"));
  EXPECT_THAT(complaint(Replaced(good, "\"us\"", "\"weeks\"")), HasSubstr("benchmarks[0].time_unit"));
  EXPECT_THAT(complaint("{}"), HasSubstr("neither Google Benchmark's"));
  EXPECT_THAT(complaint("{\"context\": {}, \"benchmarks\": []}"), HasSubstr("no benchmark with a time"));
  EXPECT_THAT(complaint("{\"devices\": [], \"benchmarks\": 3}"), HasSubstr("benchmarks is no list"));
  EXPECT_THAT(complaint(Replaced(bench, "\"2e-05\"", "\"-1\"")), HasSubstr("states[0].summaries[1] is no time"));
  EXPECT_THAT(complaint(Replaced(bench, "\"2e-05\"", "\"fast\"")), HasSubstr("value is no number"));
}

TEST(Nvbench, HasMeansWhereSamplesAreNotThere) {
  const ForeignReport report = Read(Text("nvbench.json"));
  EXPECT_EQ(report.run.program->source, ProgramSource::kNvbench);
  EXPECT_EQ(report.run.command_line, "./copy_bench --jsonbin copy.json");
  EXPECT_EQ(report.run.l2, "flush");
  EXPECT_EQ(report.run.device->sm_count, 132);
  EXPECT_EQ(report.run.device->cc_major, 9);
  EXPECT_EQ(report.run.device->sm_clock_mhz, 1980);
  ASSERT_EQ(report.launches.size(), 2u);
  EXPECT_EQ(report.launches[0].launch.kernel, "copy T=I32");
  EXPECT_EQ(report.launches[0].launch.shape, "1048576");
  EXPECT_EQ(report.launches[0].launch.arch, "sm_90");
  ASSERT_EQ(report.launches[0].samples.size(), 1u);
  EXPECT_DOUBLE_EQ(report.launches[0].samples[0].time_us, 20);
  EXPECT_EQ(report.launches[1].launch.state, LaunchState::kRefused);
  EXPECT_EQ(report.launches[1].launch.message, "T is wider than this test wants.");
  ASSERT_EQ(report.warnings.size(), 2u);
  EXPECT_EQ(report.warnings[0].code, "means_alone");
  EXPECT_EQ(report.warnings[1].code, "no_time");  // of "launch", which has a time of the CPU alone
}

TEST(Nvbench, ReadsTheSamplesThatLieBesideIt) {
  const Scratch scratch;
  std::filesystem::create_directory(scratch / "copy.json-bin");
  const float seconds[] = {1e-5f, 2e-5f, 4e-5f};
  const std::string bytes(reinterpret_cast<const char*>(seconds), sizeof seconds);
  Write(scratch / "copy.json-bin/0.bin", bytes);
  const ForeignReport report = Read(Text("nvbench.json"), scratch.path());
  ASSERT_EQ(report.launches[0].samples.size(), 3u);
  EXPECT_NEAR(report.launches[0].samples[2].time_us, 40, 1e-4);
  EXPECT_NE(report.run.uuid, Read(Text("nvbench.json")).run.uuid);
  Write(scratch / "copy.json-bin/0.bin", bytes.substr(4));
  EXPECT_THAT(ComplaintOf([&] { Read(Text("nvbench.json"), scratch.path()); }),
              HasSubstr("does not hold the 3 samples"));
}

TEST(Nvbench, TakesNoFileFromOutsideOfTheFolderOfItsReport) {
  const Scratch scratch;
  for (const char* folder : {"in", "in/deep"}) std::filesystem::create_directory(scratch / folder);
  const float seconds[] = {1e-5f, 2e-5f, 4e-5f};
  Write(scratch / "0.bin", {reinterpret_cast<const char*>(seconds), sizeof seconds});
  std::filesystem::create_symlink("..", scratch / "in/up");
  std::filesystem::create_symlink("../0.bin", scratch / "in/0.bin");
  for (const std::string& name : {std::string("../0.bin"), (scratch / "0.bin").string(), std::string("up/0.bin"),
                                  std::string("deep/../../0.bin"), std::string("0.bin")}) {
    std::string text = Text("nvbench.json");
    text.replace(text.find("copy.json-bin/0.bin"), std::string("copy.json-bin/0.bin").size(), name);
    EXPECT_EQ(Read(text, scratch / "in").launches.at(0).samples.size(), 1u) << name << ": the mean alone";
  }
}

TEST(ForeignReports, AreExportsThatComeBackAsTheyWere) {
  for (const char* name : {"ncu_full.csv", "ncu_default.csv", "google_benchmark.json", "nvbench.json"}) {
    const ForeignReport report = Read(Text(name));
    EXPECT_EQ(report.run.uuid, Read(Text(name)).run.uuid) << name;
    EXPECT_EQ(AsExport(report), AsExport(Read(Text(name)))) << name;
    Database database = Database::InMemory();
    EXPECT_EQ(database.Import(AsExport(report), name).runs_added, 1) << name;
    EXPECT_EQ(database.Import(AsExport(report), name).runs_already_there, 1) << name;
    const RunSummary run = database.Runs().at(0);
    EXPECT_EQ(run.run.program->source, report.run.program->source) << name;
    EXPECT_EQ(run.state, "complete") << name;
    EXPECT_EQ(run.launches, static_cast<int>(report.launches.size())) << name;
  }
}

TEST(ForeignReports, KeepTheRepetitionsAndTheirMedian) {
  const ForeignReport report = Read(Text("ncu_full.csv"));
  Database database = Database::InMemory();
  database.Import(AsExport(report), "ncu");
  const KernelRecord kernel = database.FindKernel(Find(report, "AddOne").launch.stage, {});
  ASSERT_EQ(kernel.repeats.at("dram_read_bytes").size(), 2u);
  const auto& read = kernel.repeats.at("dram_read_bytes");
  EXPECT_DOUBLE_EQ(ValueOf(kernel.readings, "dram_read_bytes"), (read[0] + read[1]) / 2);
  EXPECT_EQ(kernel.program->calls, 2);
}

// Names of any length and content are stored, and are no names of stages that nobody can type.
TEST(ForeignReports, TakeHostileNames) {
  const std::string big(2 << 20, 'x');
  const std::string csv = Replaced(Text("ncu_default.csv"), "<unnamed>::AddOne(float *, int)",
                                   "<b>\x1b[31m'; DROP TABLE run; -- " + big + std::string(1, '\0') + "\n");
  const std::string json = Replaced(Text("google_benchmark.json"), "broken/7\", \"run_type",
                                    "br\\u0000\\u001b]0;x\\u0007'/../" + big + "\", \"run_type");
  for (const std::string& text : {csv, json}) {
    const ForeignReport report = Read(text);
    for (const StageRecord& stage : report.stages) {
      EXPECT_LE(stage.id.size(), 100u);
      EXPECT_EQ(stage.id.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_~"),
                std::string::npos);
    }
    Database database = Database::InMemory();
    EXPECT_EQ(database.Import(AsExport(report), "F").runs_added, 1);
  }
}

TEST(Csv, IsReadAsRfc4180HasIt) {
  const std::string text = "a,\"b \"\"q\"\", c\",\r\n\"two\nlines\",x,\"\"\nlast";
  CsvReader reader(text, "F");
  EXPECT_THAT(reader.Next().fields, ElementsAre("a", "b \"q\", c", ""));
  const CsvRow second = reader.Next();
  EXPECT_EQ(second.line, 2);
  EXPECT_THAT(second.fields, ElementsAre("two\nlines", "x", ""));
  const CsvRow third = reader.Next();
  EXPECT_EQ(third.line, 4);
  EXPECT_THAT(third.fields, ElementsAre("last"));
  EXPECT_TRUE(reader.AtEnd());
}

TEST(Recognition, IsByContent) {
  EXPECT_EQ(KindOf(Text("ncu_full.csv")), ForeignKind::kNcuCsv);
  EXPECT_EQ(KindOf("program output\n\"ID\",\"Process ID\",\"Kernel Name\"\n"), ForeignKind::kNcuCsv);
  EXPECT_EQ(KindOf(std::string_view("NVR\0\1", 5)), ForeignKind::kNcuFile);
  EXPECT_EQ(KindOf("\xef\xbb\xbf {}"), ForeignKind::kJson);
  EXPECT_EQ(KindOf(std::string_view("SQLite format 3\0\x10", 17)), ForeignKind::kDatabase);
  EXPECT_EQ(KindOf(std::string_view("\x7f"
                                    "ELF\2\1\0",
                                    7)),
            ForeignKind::kBinary);
  EXPECT_EQ(KindOf(std::string_view("-- culprit export, schema 11\nBEGIN;\0", 36)), ForeignKind::kNone);
  EXPECT_EQ(KindOf("-- culprit export, schema 11\nBEGIN;\n"), ForeignKind::kNone);
  EXPECT_EQ(KindOf(""), ForeignKind::kUnknown);
}

}  // namespace
}  // namespace culprit
