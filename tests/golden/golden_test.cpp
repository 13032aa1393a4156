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
#include "analysis/foreign/report.h"
#include "tests/support/claim_world.h"
#include "tests/support/invented_database.h"
#include "tests/support/invented_gate.h"
#include "tests/support/invented_program.h"
#include "tests/support/invented_recording.h"
#include "tests/support/invented_samples.h"
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
      {"machine_not_measured.txt", {"machine"}, "why.db"},
      {"stages.txt", {"stages"}},
      {"stages.json", {"stages", "--json"}},
      {"stages_static.json", {"stages", "--static", "--run", "static", "--json"}},
      {"stages_static.txt", {"stages", "--static", "--run", "static"}},
      {"stages_static.csv", {"stages", "--arch", "sm_90", "--run", "static", "--format", "csv"}},
      {"show_v1_6.txt", {"show", "v1_6"}},
      {"show_v1_6.md", {"show", "v1_6", "--format", "md"}},
      {"show_v1_6.json", {"show", "v1_6", "--json"}},
      {"show_v1_7.txt", {"show", "v1_7"}},
      {"show_denied.txt", {"show", "v1_7", "--shape", "1024"}},
      {"show_v1_6_details.txt", {"show", "v1_6", "-v"}},
      {"show_failed.txt", {"show", "broken"}},
      {"show_static.txt", {"show", "v1_6"}, "static.db"},
      {"show_static.json", {"show", "v1_6", "--json"}, "static.db"},
      {"compare.txt", {"compare", "v1_7", "v1_6"}},
      {"compare_details.txt", {"compare", "v1_7", "v1_6", "-v"}},
      {"compare.md", {"compare", "v1_7", "v1_6", "--format", "md"}},
      {"compare.json", {"compare", "v1_7", "v1_6", "--json"}},
      {"why.txt", {"why", "v1_7", "v1_6"}, "why.db"},
      {"why.md", {"why", "v1_7", "v1_6", "--format", "md"}, "why.db"},
      {"why.json", {"why", "v1_7", "v1_6", "--json"}, "why.db"},
      {"why.csv", {"why", "v1_7", "v1_6", "--format", "csv"}, "why.db"},
      {"why.html", {"why", "v1_7", "v1_6", "--format", "html"}, "why.db"},
      {"why_faster.txt", {"why", "v1_6", "v1_6_4"}, "why.db"},
      {"why_same.txt", {"why", "v1_6", "v1_6_1"}, "why.db"},
      {"why_same_all.txt", {"why", "v1_6", "v1_6_1", "--all"}, "why.db"},
      {"why_ambiguous.txt", {"why", "v1_7", "v1_6"}},
      {"why_program.txt", {"why"}, "program.db"},
      {"why_program_details.txt", {"why", "--base", "before", "--cand", "after", "-v"}, "program.db"},
      {"why_program.md", {"why", "--format", "md"}, "program.db"},
      {"why_program.json", {"why", "--json"}, "program.db"},
      {"why_program.csv", {"why", "--format", "csv"}, "program.db"},
      {"why_program_back.txt", {"why", "--base", "after", "--cand", "before"}, "program.db"},
      {"why_program_kernel.txt", {"why", "softmax_kernel", "--base", "before", "--cand", "after"}, "program.db"},
      {"check_program.txt", {"check", "--base", "before", "--cand", "after"}, "program.db", 1},
      {"why_ncu.txt", {"why", "Scatter~61bd75", "Scatter~2f341e", "--run", "full"}, "foreign.db"},
      {"why_ncu.json", {"why", "Scatter~61bd75", "Scatter~2f341e", "--run", "full", "--json"}, "foreign.db"},
      {"why_ncu_default.txt", {"why", "Scatter~61bd75", "Scatter~2f341e", "--run", "default"}, "foreign.db"},
      {"show_ncu.txt", {"show", "Scatter~2f341e", "--run", "full"}, "foreign.db"},
      {"runs_foreign.txt", {"runs"}, "foreign.db"},
      {"help_import.txt", {"import", "--help"}},
      {"report.txt", {"report"}},
      {"report.md", {"report", "--format", "md"}},
      {"report.json", {"report", "--json"}},
      {"report_static.txt", {"report"}, "static.db"},
      {"report_static.json", {"report", "--json"}, "static.db"},
      {"report_details.txt", {"report", "-v"}},
      {"report_ladder.csv", {"report", "--format", "csv", "--table", "shapes.ladder"}},
      {"causes.json", {"causes", "--json"}},
      {"query.json", {"query", "SELECT key, count(*) AS n FROM metric GROUP BY key ORDER BY key LIMIT 2", "--json"}},
      {"query.txt",
       {"query",
        "SELECT key, count(*) AS n, max(value) AS most FROM metric_value JOIN metric ON metric.id = metric_id GROUP BY "
        "key ORDER BY key LIMIT 5"}},
      {"banks_stage.txt", {"banks", "half_tile"}, "banks.db"},
      {"banks_stage.md", {"banks", "half_tile", "load A", "--format", "md"}, "banks.db"},
      {"banks_stage.json", {"banks", "half_tile", "store A", "--json"}, "banks.db"},
      {"banks_counted.txt", {"banks", "counted_alone"}, "banks.db"},
      {"banks_counted.json", {"banks", "counted_alone", "--json"}, "banks.db"},
      {"banks_pattern.txt",
       {"banks", "--pattern", "lane * 4 % 8 * 512 + lane / 2 * 4", "--op", "st", "--bytes", "4", "--pattern",
        "lane / 16 * 32", "--op", "ld", "--bytes", "16", "--row-bytes", "512"}},
      {"banks_pattern.csv", {"banks", "--pattern", "lane * 8", "--format", "csv"}},
      {"banks_column.json", {"banks", "--pattern", "lane < 2 ? lane * 128 : -1", "--row-bytes", "128", "--json"}},
      {"calibrate.txt", {"calibrate"}},
      {"calibrate.md", {"calibrate", "--format", "md"}},
      {"calibrate.json", {"calibrate", "--json"}},
      {"claims.txt", {"claims"}, "world.db"},
      {"claims.md", {"claims", "--format", "md"}, "world.db"},
      {"claims.json", {"claims", "--json"}, "world.db"},
      {"claims_one.txt", {"claims", "v1_6", "padding_wins"}, "world.db"},
      {"claims_one.json", {"claims", "v1_6", "padding_wins", "--json"}, "world.db"},
      {"claims_missing.txt", {"claims", "v1_6"}},
      {"reproduce.txt", {"reproduce"}, "world.db"},
      {"reproduce.md", {"reproduce", "--format", "md"}, "world.db"},
      {"reproduce.json", {"reproduce", "--json"}, "world.db"},
      {"reproduce_v_study.csv", {"reproduce", "v-study", "--format", "csv"}, "world.db"},
      {"study.txt", {"study", "v1_8", "v1_6_1"}, "study.db"},
      {"study.md", {"study", "v1_8", "v1_6_1", "--format", "md"}, "study.db"},
      {"study.json", {"study", "v1_8", "v1_6_1", "--json"}, "study.db"},
      {"study_tree.txt", {"study", "--family", "v_study"}, "study.db"},
      {"study_tree.md", {"study", "--family", "v_study", "--format", "md"}, "study.db"},
      {"study_tree.json", {"study", "--family", "v_study", "--json"}, "study.db"},
      {"ladder_fp16_study.txt",
       {"study", "hgemm_mma_swizzle", "hgemm_pingpong_boxes", "--run", "h200-hgemm"},
       "fp16.db"},
      {"ladder_fp16_study.json", {"study", "--family", "hgemm", "--json", "--run", "h200-hgemm"}, "fp16.db"},
      {"ladder_fp16_why_wgmma.txt", {"why", "hgemm_mma_swizzle", "hgemm_wgmma", "--run", "h200-hgemm"}, "fp16.db"},
      {"ladder_fp16_why_ring.txt", {"why", "hgemm_wgmma", "hgemm_tma_ring", "--run", "h200-hgemm"}, "fp16.db"},
      {"ladder_fp16_why_specialised.txt",
       {"why", "hgemm_tma_ring", "hgemm_specialised", "--run", "h200-hgemm"},
       "fp16.db"},
      {"ladder_fp16_why_pingpong_128.txt",
       {"why", "hgemm_pingpong", "hgemm_pingpong_128", "--run", "h200-hgemm"},
       "fp16.db"},
      {"ladder_fp16_why_drained.txt", {"why", "hgemm_tma_store", "hgemm_drained", "--run", "h200-hgemm"}, "fp16.db"},
      {"ladder_fp16_why_drained_lines.txt",
       {"why", "hgemm_tma_store", "hgemm_drained", "--lines", "--run", "h200-hgemm"},
       "fp16.db"},
      {"ladder_fp16_show.txt", {"show", "hgemm_tma_store", "--run", "h200-hgemm"}, "fp16.db"},
      {"ladder_fp32_study.txt", {"study", "--family", "ladder", "--run", "h200-sgemm"}, "fp32.db"},
      {"ladder_fp32_why_async.txt", {"why", "sgemm_pingpong", "sgemm_async", "--run", "h200-sgemm"}, "fp32.db"},
      {"ladder_fp32_why_stream_k.txt", {"why", "sgemm_tma", "sgemm_stream_k", "--run", "h200-sgemm-4096"}, "fp32.db"},
      {"ladder_fp32_show_stream_k.txt", {"show", "sgemm_stream_k", "--run", "h200-sgemm-4096"}, "fp32.db"},
      {"ladder_fp32_against.txt",
       {"query", "@against_reference", "--param", "run=h200-sgemm-shapes", "--param", "stage=sgemm_best"},
       "fp32.db"},
      {"check.txt", {"check", "--base", "main", "--cand", "change"}, "gate.db", 1},
      {"check_details.txt", {"check", "--base", "main", "--cand", "change", "-v"}, "gate.db", 1},
      {"check.md", {"check", "--base", "main", "--cand", "change", "--format", "md"}, "gate.db", 1},
      {"check.json", {"check", "--base", "main", "--cand", "change", "--json"}, "gate.db", 1},
      {"check.sarif", {"check", "--base", "main", "--cand", "change", "--format", "sarif"}, "gate.db", 1},
      {"check.junit.xml", {"check", "--base", "main", "--cand", "change", "--format", "junit"}, "gate.db", 1},
      {"check.github", {"check", "--base", "main", "--cand", "newest", "--format", "github"}, "gate.db", 1},
      {"check_program.github", {"check", "--base", "newest", "--cand", "after", "--format", "github"}, "program.db", 1},
      {"history.txt", {"history", "v1_7"}, "gate.db"},
      {"history.md", {"history", "v1_7", "--format", "md"}, "gate.db"},
      {"history.csv", {"history", "v1_7", "--format", "csv"}, "gate.db"},
      {"history.json", {"history", "v1_7", "--json"}, "gate.db"},
      {"help_ab.txt", {"ab", "--help"}},
      {"check.html", {"check", "--base", "main", "--cand", "change", "--format", "html"}, "gate.db", 1},
      {"check_fine.md",
       {"check", "--base", "main", "--cand", "change", "--stages", "v1_6,creeping", "--format", "md"},
       "gate.db"},
      {"check_not_judged.txt", {"check", "--base", "main", "--cand", "change", "--stages", "gone"}, "gate.db", 2},
      {"program_runs.txt", {"runs"}, "recorded.db"},
      {"program_runs.json", {"runs", "--json"}, "recorded.db"},
      {"program_report.txt", {"report"}, "recorded.db"},
      {"program_report.md", {"report", "--format", "md"}, "recorded.db"},
      {"program_report.json", {"report", "--json"}, "recorded.db"},
      {"program_show.txt", {"show", "gather_rows"}, "recorded.db"},
      {"program_show.json", {"show", "gather_rows", "--json"}, "recorded.db"},
      {"program_show_waiting.txt", {"show", "wait_for_peer"}, "recorded.db"},
      {"program_why.txt", {"why", "gather_rows@before", "gather_rows@after"}, "recorded.db"},
      {"compare_program.txt", {"compare", "transpose_tile@padded", "transpose_tile@unpadded"}, "shipped.db"},
      {"compare_program_details.txt",
       {"compare", "transpose_tile@padded", "transpose_tile@unpadded", "-v"},
       "shipped.db"},
      {"program_stages.txt", {"stages", "--run", "before"}, "shipped.db"},
      {"program_show_launches.txt", {"show", "reduce_kernel~c3780a", "--shape", "8x128x1x32x4x1"}, "shipped.db"},
      {"program_show_launches.json", {"show", "reduce_kernel~c3780a", "--json"}, "shipped.db"},
      {"lines.txt", {"show", "local_sums", "--lines", "--source", CULPRIT_SOURCE_DIR}, "sampled.db"},
      {"lines_details.txt", {"show", "local_sums", "--lines", "-v", "--source", CULPRIT_SOURCE_DIR}, "sampled.db"},
      {"lines.md", {"show", "local_sums", "--lines", "--format", "md", "--source", CULPRIT_SOURCE_DIR}, "sampled.db"},
      {"lines.json", {"show", "local_sums", "--lines", "--json", "--source", CULPRIT_SOURCE_DIR}, "sampled.db"},
      {"lines.csv",
       {"show", "local_sums", "--lines", "--table", "lines.lines", "--source", CULPRIT_SOURCE_DIR},
       "sampled.db"},
      {"lines_unpadded.txt",
       {"show", "transpose_unpadded", "--lines", "-v", "--source", CULPRIT_SOURCE_DIR},
       "sampled.db"},
      {"lines_padded.txt", {"show", "transpose_padded", "--lines", "--source", CULPRIT_SOURCE_DIR}, "sampled.db"},
      {"why_lines.txt", {"why", "v1_7", "v1_6", "--lines", "--source", CULPRIT_SOURCE_DIR}, "why_sampled.db"},
      {"why_lines.md",
       {"why", "v1_7", "v1_6", "--lines", "--format", "md", "--source", CULPRIT_SOURCE_DIR},
       "why_sampled.db"},
      {"why_lines.json",
       {"why", "v1_7", "v1_6", "--lines", "--json", "--source", CULPRIT_SOURCE_DIR},
       "why_sampled.db"},
      {"why_lines.csv",
       {"why", "v1_7", "v1_6", "--lines", "--format", "csv", "--source", CULPRIT_SOURCE_DIR},
       "why_sampled.db"},
      {"why_lines_conflicts.txt",
       {"why", "transpose_padded", "transpose_unpadded", "--lines", "--source", CULPRIT_SOURCE_DIR},
       "sampled.db"},
      {"why_sampled.txt", {"why", "v1_7", "v1_6"}, "why_sampled.db"},
      {"why_sampled.json", {"why", "v1_7", "v1_6", "--json"}, "why_sampled.db"},
      {"help.txt", {"--help"}},
      {"help_record.txt", {"record", "--help"}},
      {"help_check.txt", {"check", "--help"}},
      {"help_banks.txt", {"banks", "--help"}},
      {"help_show.txt", {"show", "--help"}},
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
       std::filesystem::directory_iterator(std::filesystem::path(CULPRIT_SOURCE_DIR) / "db/recorded" / folder))
    if (entry.path().string().ends_with(end)) words.push_back(entry.path().string());
  std::ranges::sort(words.begin() + 3, words.end());
  std::ostringstream out, err;
  ASSERT_EQ(Main(words, out, err, false), 0) << err.str();
}

// Reports of other tools, as runs.
void WriteForeignDatabase(const std::filesystem::path& file) {
  const std::filesystem::path reports = std::filesystem::path(CULPRIT_SOURCE_DIR) / "tests/unit/analysis/foreign";
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

class Golden : public ::testing::TestWithParam<Case> {};

TEST_P(Golden, IsWhatTheCommandWrites) {
  const testing::TemporaryFolder folder;
  // Sources go on after they were recorded: who asks for no folder of them gets none.
  std::filesystem::current_path(folder / "");
  const std::filesystem::path database = folder / GetParam().database;
  if (std::string(GetParam().database) == "static.db")
    testing::WriteStaticDatabase(database);
  else if (std::string(GetParam().database) == "banks.db")
    testing::WriteBanksDatabase(database);
  else if (std::string(GetParam().database) == "world.db")
    testing::ClaimWorld().Write(database);
  else if (std::string(GetParam().database) == "study.db")
    testing::WriteStudyDatabase(database);
  else if (std::string(GetParam().database) == "gate.db")
    testing::WriteGateDatabase(database);
  else if (std::string(GetParam().database) == "program.db")
    testing::WriteProgramDatabase(database);
  else if (std::string(GetParam().database) == "recorded.db")
    testing::WriteRecordedDatabase(database);
  else if (std::string(GetParam().database) == "sampled.db")
    testing::WriteSampledDatabase(database);
  else if (std::string(GetParam().database) == "why_sampled.db")
    testing::WriteSampledWhyDatabase(database);
  else if (std::string(GetParam().database) == "shipped.db")
    ImportRecorded("programs", ".sql", database);
  else if (std::string(GetParam().database) == "fp16.db")
    ImportRecorded("ladder", "_fp16.sql", database);
  else if (std::string(GetParam().database) == "fp32.db")
    ImportRecorded("ladder", "_fp32.sql", database);
  else if (std::string(GetParam().database) == "foreign.db")
    WriteForeignDatabase(database);
  else if (std::string(GetParam().database) == "why.db")
    testing::WriteWhyDatabase(database);
  else
    testing::WriteInventedDatabase(database);
  ::setenv("CULPRIT_DB", database.c_str(), 1);
  std::ostringstream out, err;
  const int status = Main(GetParam().args, out, err, false);
  ::unsetenv("CULPRIT_DB");
  ASSERT_EQ(status, GetParam().status) << err.str();
  EXPECT_EQ(err.str(), "");

  // The help names the environment's value as the default; the folder is another one each time.
  std::string written = out.str();
  for (std::size_t at; (at = written.find(database.string())) != written.npos;)
    written.replace(at, database.string().size(), "FILE");

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

}  // namespace
}  // namespace culprit
