// SPDX-License-Identifier: Apache-2.0
// What every command writes, byte for byte, for a database of invented numbers. CULPRIT_UPDATE_GOLDEN=1 rewrites the
// files; review the diff.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "analysis/cli/culprit.h"
#include "bench/foreign/report.h"
#include "tests/evidence/claim_world.h"
#include "tests/evidence/tool.h"
#include "tests/support/invented_database.h"
#include "tests/support/invented_gate.h"
#include "tests/support/invented_program.h"
#include "tests/support/invented_recording.h"
#include "tests/support/invented_samples.h"
#include "tests/support/invented_timeline.h"
#include "tests/support/invented_why.h"

namespace culprit {
namespace {

struct Case {
  const char* file;
  std::vector<std::string> args;
  const char* database = "m.db";
  int status = 0;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.file; }

const std::vector<Case>& Cases() {
  static const std::vector<Case> cases = {
      {"runs.txt", {"runs"}},
      {"runs.json", {"runs", "--json"}},
      {"machine.txt", {"machine"}},
      {"machine.json", {"machine", "--json"}},
      {"list.txt", {"list"}},
      {"list.json", {"list", "--json"}},
      {"list_static.json", {"list", "--static", "--run", "static", "--json"}},
      {"list_static.txt", {"list", "--static", "--run", "static"}},
      {"show_v1_6.txt", {"show", "v1_6"}},
      {"show_v1_6.json", {"show", "v1_6", "--json"}},
      {"show_v1_6_details.txt", {"show", "v1_6", "-v"}},
      {"show_static.txt", {"show", "v1_6"}, "static.db"},
      {"show_static.json", {"show", "v1_6", "--json"}, "static.db"},
      {"why_metrics.txt", {"why", "v1_7", "v1_6", "--metrics"}},
      {"why_metrics.json", {"why", "v1_7", "v1_6", "--metrics", "--json"}},
      {"why.txt", {"why", "v1_7", "v1_6"}, "why.db"},
      {"why.md", {"why", "v1_7", "v1_6", "--format", "md"}, "why.db"},
      {"why.json", {"why", "v1_7", "v1_6", "--json"}, "why.db"},
      {"why.csv", {"why", "v1_7", "v1_6", "--format", "csv"}, "why.db"},
      {"why.html", {"why", "v1_7", "v1_6", "--format", "html"}, "why.db"},
      {"why_program.txt", {"why"}, "program.db"},
      {"why_program.json", {"why", "--json"}, "program.db"},
      {"check_program.txt", {"check", "--base", "before", "--cand", "after"}, "program.db", 3},
      {"why_ncu.txt", {"why", "Scatter~61bd75", "Scatter~2f341e", "--run", "full"}, "foreign.db"},
      {"why_ncu.json", {"why", "Scatter~61bd75", "Scatter~2f341e", "--run", "full", "--json"}, "foreign.db"},
      {"report.txt", {"report"}},
      {"report.md", {"report", "--format", "md"}},
      {"report.json", {"report", "--json"}},
      {"report_static.json", {"report", "--json"}, "static.db"},
      {"report_ladder.csv", {"report", "--format", "csv", "--table", "shapes.ladder"}},
      {"causes.json", {"causes", "--json"}},
      {"query.json", {"query", "SELECT key, count(*) AS n FROM metric GROUP BY key ORDER BY key LIMIT 2", "--json"}},
      {"query_top.json",
       {"query", "SELECT 1 AS one UNION SELECT 2 UNION SELECT 3 ORDER BY one", "--json", "--top", "2"}},
      {"query.txt",
       {"query",
        "SELECT key, count(*) AS n, max(value) AS most FROM metric_value JOIN metric ON metric.id = metric_id GROUP BY "
        "key ORDER BY key LIMIT 5"}},
      {"banks_stage.txt", {"banks", "half_tile"}, "banks.db"},
      {"banks_stage.json", {"banks", "half_tile", "store A", "--json"}, "banks.db"},
      {"banks_counted.txt", {"banks", "counted_alone"}, "banks.db"},
      {"banks_counted.json", {"banks", "counted_alone", "--json"}, "banks.db"},
      {"banks_pattern.txt",
       {"banks", "--pattern", "lane * 4 % 8 * 512 + lane / 2 * 4", "--op", "st", "--bytes", "4", "--pattern",
        "lane / 16 * 32", "--op", "ld", "--bytes", "16", "--row-bytes", "512"}},
      {"banks_column.json", {"banks", "--pattern", "lane < 2 ? lane * 128 : -1", "--row-bytes", "128", "--json"}},
      {"calibrate.md", {"calibrate", "--format", "md"}},
      {"calibrate.json", {"calibrate", "--json"}},
      {"claims.md", {"claims", "--format", "md"}, "world.db"},
      {"claims.json", {"claims", "--json"}, "world.db"},
      {"claims_one.txt", {"claims", "v1_6", "padding_wins"}, "world.db"},
      {"claims_one.json", {"claims", "v1_6", "padding_wins", "--json"}, "world.db"},
      {"reproduce.md", {"reproduce", "--format", "md"}, "world.db"},
      {"reproduce.json", {"reproduce", "--json"}, "world.db"},
      {"study.txt", {"study", "v1_8", "v1_6_1"}, "study.db"},
      {"study.json", {"study", "v1_8", "v1_6_1", "--json"}, "study.db"},
      {"study_tree.txt", {"study", "--family", "v_study"}, "study.db"},
      {"study_tree.json", {"study", "--family", "v_study", "--json"}, "study.db"},
      {"ladder_fp16_study.txt",
       {"study", "hgemm_mma_swizzle", "hgemm_pingpong_boxes", "--run", "h200-hgemm"},
       "fp16.db"},
      {"ladder_fp16_why_drained_lines.txt",
       {"why", "hgemm_tma_store", "hgemm_drained", "--lines", "--run", "h200-hgemm"},
       "fp16.db"},
      {"ladder_fp32_why_stream_k.txt", {"why", "sgemm_tma", "sgemm_stream_k", "--run", "h200-sgemm-4096"}, "fp32.db"},
      {"check.txt", {"check", "--base", "main", "--cand", "change"}, "gate.db", 1},
      {"check.md", {"check", "--base", "main", "--cand", "change", "--format", "md"}, "gate.db", 1},
      {"check.json", {"check", "--base", "main", "--cand", "change", "--json"}, "gate.db", 1},
      {"check_top.json", {"check", "--base", "main", "--cand", "change", "--json", "--top", "2"}, "gate.db", 1},
      {"check.sarif", {"check", "--base", "main", "--cand", "change", "--format", "sarif"}, "gate.db", 1},
      {"check.junit.xml", {"check", "--base", "main", "--cand", "change", "--format", "junit"}, "gate.db", 1},
      {"check.github", {"check", "--base", "main", "--cand", "newest", "--format", "github"}, "gate.db", 1},
      {"history.txt", {"history", "v1_7"}, "gate.db"},
      {"history.json", {"history", "v1_7", "--json"}, "gate.db"},
      {"help_versus.txt", {"versus", "--help"}},
      {"check.html", {"check", "--base", "main", "--cand", "change", "--format", "html"}, "gate.db", 1},
      {"program_runs.json", {"runs", "--json"}, "recorded.db"},
      {"program_report.txt", {"report"}, "recorded.db"},
      {"program_report.json", {"report", "--json"}, "recorded.db"},
      {"program_show.txt", {"show", "gather_rows"}, "recorded.db"},
      {"program_show.json", {"show", "gather_rows", "--json"}, "recorded.db"},
      {"lines.txt", {"show", "local_sums", "--lines", "--source", CULPRIT_SOURCE_DIR}, "sampled.db"},
      {"lines.md", {"show", "local_sums", "--lines", "--format", "md", "--source", CULPRIT_SOURCE_DIR}, "sampled.db"},
      {"lines.json", {"show", "local_sums", "--lines", "--json", "--source", CULPRIT_SOURCE_DIR}, "sampled.db"},
      {"why_lines.txt", {"why", "v1_7", "v1_6", "--lines", "--source", CULPRIT_SOURCE_DIR}, "why_sampled.db"},
      {"why_lines.json",
       {"why", "v1_7", "v1_6", "--lines", "--json", "--source", CULPRIT_SOURCE_DIR},
       "why_sampled.db"},
      {"why_sampled.txt", {"why", "v1_7", "v1_6"}, "why_sampled.db"},
      {"why_sampled.json", {"why", "v1_7", "v1_6", "--json"}, "why_sampled.db"},
      {"timeline.txt", {"timeline", "after"}, "timeline.db"},
      {"timeline.json", {"timeline", "before", "--json"}, "timeline.db"},
      {"timeline_part.txt", {"timeline", "before", "--from", "10ms", "--to", "20ms"}, "timeline.db"},
      {"timeline_kernel.txt", {"timeline", "before", "matmul_tiles"}, "timeline.db"},
      {"timeline_kernel.json", {"timeline", "before", "matmul_tiles", "--json"}, "timeline.db"},
      {"timeline_base.txt", {"timeline", "after", "matmul_tiles", "--base", "before"}, "timeline.db"},
      {"why_phases.txt", {"why", "matmul_tiles", "--base", "even", "--cand", "uneven"}, "timeline.db"},
      {"why_phases.json", {"why", "matmul_tiles", "--base", "even", "--cand", "uneven", "--json"}, "timeline.db"},
      {"why_phases_program.txt", {"why", "--base", "even", "--cand", "uneven"}, "timeline.db"},
      {"perfetto.trace", {"export", "--format", "perfetto", "before"}, "timeline.db"},
      {"help.txt", {"--help"}},
      {"help_why.txt", {"why", "--help"}},
  };
  return cases;
}

// What a page holds of the program itself is no answer, and differs with what it was built with.
void LeaveOut(std::string_view from, std::string_view to, std::string& text) {
  const std::size_t begin = text.find(from);
  if (begin == text.npos) return;
  const std::size_t end = text.find(to, begin);
  text.erase(begin + from.size(), end - begin - from.size());
}

std::string Read(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The recordings that ship in a folder and whose names end so.
void ImportRecorded(std::string_view folder, std::string_view end, const std::filesystem::path& file) {
  std::vector<std::string> words{"import", "--db", file.string()};
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(CULPRIT_SOURCE_DIR) / "tests/recorded" / folder))
    if (entry.path().string().ends_with(end)) words.push_back(entry.path().string());
  std::ranges::sort(words.begin() + 3, words.end());
  std::ostringstream out, err;
  ASSERT_EQ(Main(words, out, err, false), 0) << err.str();
}

// Reports of other tools, as runs.
void WriteForeignDatabase(const std::filesystem::path& file) {
  const std::filesystem::path reports = std::filesystem::path(CULPRIT_SOURCE_DIR) / "tests/unit/bench/foreign";
  std::vector<Database::ImportSource> sources;
  for (const auto& [name, label] : {std::pair("ncu_full.csv", "full"),
                                    {"ncu_default.csv", "default"},
                                    {"google_benchmark.json", "google"},
                                    {"nvbench.json", "nvbench"}})
    sources.push_back(
        {name, [=] {
           return AsExport(ReadForeign(Read(reports / name), {name, "/nowhere", "2026-01-01T00:00:00Z", label}));
         }});
  Database::ImportInto(file, sources);
}

void WriteDatabase(const std::string& name, const std::filesystem::path& file) {
  if (name == "static.db")
    testing::WriteStaticDatabase(file);
  else if (name == "banks.db")
    testing::WriteBanksDatabase(file);
  else if (name == "world.db")
    testing::ClaimWorld().Write(file);
  else if (name == "study.db")
    testing::WriteStudyDatabase(file);
  else if (name == "gate.db")
    testing::WriteGateDatabase(file);
  else if (name == "program.db")
    testing::WriteProgramDatabase(file);
  else if (name == "recorded.db")
    testing::WriteRecordedDatabase(file);
  else if (name == "timeline.db")
    testing::WriteTimelineDatabase(file);
  else if (name == "sampled.db")
    testing::WriteSampledDatabase(file);
  else if (name == "why_sampled.db")
    testing::WriteSampledWhyDatabase(file);
  else if (name == "shipped.db")
    ImportRecorded("programs", ".sql.zst", file);
  else if (name == "fp16.db")
    ImportRecorded("ladder", "_fp16.sql.zst", file);
  else if (name == "fp32.db")
    ImportRecorded("ladder", "_fp32.sql.zst", file);
  else if (name == "foreign.db")
    WriteForeignDatabase(file);
  else if (name == "why.db")
    testing::WriteWhyDatabase(file);
  else
    testing::WriteInventedDatabase(file);
}

// What the command of `args` writes about a database.
std::string Written(const std::vector<std::string>& args, const std::string& database, int expected_status) {
  const testing::TemporaryFolder folder;
  // Sources go on after they were recorded: who asks for no folder of them gets none.
  std::filesystem::current_path(folder / "");
  const std::filesystem::path file = folder / database.c_str();
  WriteDatabase(database, file);
  ::setenv("CULPRIT_DB", file.c_str(), 1);
  std::ostringstream out, err;
  const auto is_asked = [&](const Command& command) { return command.name == args.front(); };
  const bool evidence = std::ranges::any_of(EvidenceTool().commands, is_asked);
  const int status = Main(evidence ? EvidenceTool() : CulpritTool(), args, out, err, false);
  ::unsetenv("CULPRIT_DB");
  EXPECT_EQ(status, expected_status) << err.str();
  EXPECT_EQ(err.str(), "");
  // The help names the environment's value as the default; the folder is another one each time.
  std::string written = out.str();
  for (std::size_t at; (at = written.find(file.string())) != written.npos;)
    written.replace(at, file.string().size(), "FILE");
  return written;
}

class Golden : public ::testing::TestWithParam<Case> {};

TEST_P(Golden, IsWhatTheCommandWrites) {
  std::string written = Written(GetParam().args, GetParam().database, GetParam().status);
  LeaveOut("script-src ", "; base-uri", written);
  LeaveOut("<style>", "</style>", written);
  LeaveOut("<!-- scripts -->", "<!-- /scripts -->", written);
  const std::filesystem::path golden = std::filesystem::path(CULPRIT_SOURCE_DIR) / "tests/golden" / GetParam().file;
  if (std::getenv("CULPRIT_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(golden, std::ios::binary) << written;
    GTEST_SKIP() << "rewrote " << golden;
  }
  ASSERT_TRUE(std::filesystem::exists(golden))
      << golden << " is missing: run with CULPRIT_UPDATE_GOLDEN=1 and review it";
  EXPECT_EQ(written, Read(golden));
}

INSTANTIATE_TEST_SUITE_P(Commands, Golden, ::testing::ValuesIn(Cases()), [](const auto& golden) {
  std::string name = golden.param.file;
  for (char& c : name)
    if (c == '.') c = '_';
  return name;
});

// What else is asked: the sentence that matters. A line may break anywhere in it.
struct Answer {
  std::vector<std::string> args;
  const char* database;
  const char* says;
  int status = 0;
};

const std::vector<Answer>& Answers() {
  static const std::vector<Answer> answers = {
      {{"machine"}, "why.db", "This run did not measure its GPU; record with --profile or --machine."},
      {{"list", "--arch", "sm_90", "--run", "static", "--format", "csv"}, "m.db", "v1_7,sm_90,122,0,0,0,8192,10368,"},
      {{"list", "--run", "before"}, "shipped.db", "vectorized_elementwise_kernel~e58bc9"},
      {{"show", "v1_7"}, "m.db", "48.5 % of the shared wavefronts are conflicts"},
      {{"show", "v1_7", "--shape", "1024"}, "m.db", "! counters_denied: The driver refused the counters"},
      {{"show", "broken"}, "m.db", "Result failed: element (3, 5) is 1.5 where the reference has 2.25."},
      {{"show", "Scatter~2f341e", "--run", "full"}, "foreign.db", "87.5 % of the global sectors are excess"},
      {{"show", "wait_for_peer"}, "recorded.db", "no counters: it did not come back within 10 s"},
      {{"show", "reduce_kernel~c3780a", "--shape", "8x128x1x32x4x1"},
       "shipped.db",
       "62.8 % of the time without a warp"},
      {{"show", "hgemm_tma_store", "--run", "h200-hgemm"}, "fp16.db", "waits at barriers or for matrix products"},
      {{"show", "sgemm_stream_k", "--run", "h200-sgemm-4096"}, "fp32.db", "Good the FFMA lanes are busy"},
      {{"why", "v1_7", "v1_6", "--metrics", "-v"}, "m.db", "v1_6 compared with v1_7"},
      {{"why", "transpose_tile@padded", "transpose_tile@unpadded", "--metrics"},
       "shipped.db",
       "short_scoreboard +27.8 us 4.769 us -> 32.61 us"},
      {{"why", "v1_6", "v1_6_4"},
       "why.db",
       "Culprit local_memory_array: Less of an array in local memory: 543.9 us less"},
      {{"why", "v1_6", "v1_6_1"}, "why.db", "v1_6_1 is as fast as v1_6: 1,286.7 us -> 1,287.7 us, +1.000 us (+0.1 %)"},
      {{"why", "v1_6", "v1_6_1", "--all"}, "why.db", "latency_per_instruction +0.00 us -14.8 us .. +13.1 us"},
      {{"why", "v1_7", "v1_6"}, "m.db", "too few for a 99 % interval; record at least 5 of each: --samples 16."},
      {{"why", "--base", "after", "--cand", "before"}, "program.db", "1 kernel is new (+1,999.9 us) and 1 is gone"},
      {{"why", "softmax_kernel", "--base", "before", "--cand", "after"},
       "program.db",
       "Culprit local_memory_array: An array in local memory: 410.0 us more, 70.4 % of the change."},
      {{"why", "gather_rows@before", "gather_rows@after"},
       "recorded.db",
       "judged by time alone because the clock of its timed launches was not measured"},
      {{"why", "Scatter~61bd75", "Scatter~2f341e", "--run", "default"},
       "foreign.db",
       "Culprit not known: Scatter~61bd75 has no inst_issued"},
      {{"why", "hgemm_mma_swizzle", "hgemm_wgmma", "--run", "h200-hgemm"},
       "fp16.db",
       "Culprit none alone, because large parts cancel: shared_traffic"},
      {{"why", "hgemm_wgmma", "hgemm_tma_ring", "--run", "h200-hgemm"},
       "fp16.db",
       "Culprit exposed_latency: Waiting less long"},
      {{"why", "hgemm_tma_ring", "hgemm_specialised", "--run", "h200-hgemm"},
       "fp16.db",
       "Culprit barrier: Fewer barriers"},
      {{"why", "hgemm_tma_store", "hgemm_drained", "--run", "h200-hgemm"}, "fp16.db", "by the cycles alone"},
      {{"why", "sgemm_pingpong", "sgemm_async", "--run", "h200-sgemm"}, "fp32.db", "Culprit occupancy_registers"},
      {{"study", "--family", "ladder", "--run", "h200-sgemm"}, "fp32.db", "Largest step sgemm_zorder -> sgemm_async"},
      {{"runs"}, "foreign.db", "complete google_benchmark sort_bench"},
      {{"runs"}, "recorded.db", "after complete train --steps 20"},
      {{"report"}, "static.db", "Static attributes, for each architecture built"},
      {{"report", "-v"}, "m.db", "Shape 1024x1024x1024"},
      {{"show", "transpose_unpadded", "--lines", "-v", "--source", CULPRIT_SOURCE_DIR},
       "sampled.db",
       "32 wavefronts where 1 would do; leave 4 bytes (1 word) free behind every 128 of the array"},
      {{"annotate", "transpose_padded", "--source", CULPRIT_SOURCE_DIR},
       "sampled.db",
       "transpose_padded at 2048x2048x2048: line by line"},
      {{"why", "transpose_padded", "transpose_unpadded", "--lines", "--source", CULPRIT_SOURCE_DIR},
       "sampled.db",
       "tests/support/sampled.cu:15 +103.24 us 75.4 % shared load short_scoreboard, mio_throttle"},
      {{"check", "--base", "newest", "--cand", "after", "--format", "github"},
       "program.db",
       "::warning title=train.py may be slower::",
       3},
      {{"check", "--base", "main", "--cand", "change", "--kernels", "v1_6,creeping", "--format", "md"},
       "gate.db",
       "# Fine: 2 launches compared, 0 slower by more than 2 %, 1 of them could be slower by up to 3.1 %"},
      {{"check", "--base", "main", "--cand", "change", "--stages", "gone"},
       "gate.db",
       "The candidate run did not launch it.",
       2},
      {{"history", "v1_7", "--format", "csv"}, "gate.db", "# history key,value stage,v1_7"},
      {{"claims", "v1_6"}, "m.db", "v1_6: holds"},
      {{"reproduce", "v-study", "--format", "csv"}, "world.db", "# v_study key,value shape,4096x4096x4096"},
  };
  return answers;
}

TEST(Answers, SayWhatMatters) {
  for (const Answer& answer : Answers()) {
    std::string written = Written(answer.args, answer.database, answer.status), told;
    std::istringstream words(written);
    for (std::string word; words >> word;) told += (told.empty() ? "" : " ") + word;
    EXPECT_NE(told.find(answer.says), told.npos) << answer.says << "\n" << written;
  }
}

}  // namespace
}  // namespace culprit
