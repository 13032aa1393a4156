// SPDX-License-Identifier: Apache-2.0
// `culprit import` on reports of other tools.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "analysis/cli/culprit.h"
#include "db/database.h"
#include "tests/support/scratch.h"

namespace culprit {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class ImportCommand : public testing::Test {
 protected:
  int Run(std::vector<std::string> args) {
    out.str("");
    err.str("");
    args.insert(args.begin(), "import");
    args.insert(args.end(), {"--db", file.string()});
    return Main(args, out, err, false);
  }
  static std::string Report(const std::string& name) {
    return std::string(CULPRIT_SOURCE_DIR) + "/tests/unit/bench/foreign/" + name;
  }
  std::vector<RunSummary> Runs() const { return Database::OpenForReading(file).Runs(); }

  Scratch scratch;
  std::filesystem::path file = scratch / "m.db";
  std::ostringstream out, err;
};

TEST_F(ImportCommand, LabelsARunByItsFileUnlessTold) {
  ASSERT_EQ(Run({Report("ncu_default.csv")}), 0) << err.str();
  ASSERT_EQ(Run({Report("nvbench.json"), "--label", "mine"}), 0) << err.str();
  std::set<std::string> labels;
  for (const RunSummary& run : Runs()) labels.insert(run.run.label);
  EXPECT_EQ(labels, (std::set<std::string>{"mine", "ncu_default.csv"}));
}

// Under another name and at another time it is the same report.
TEST_F(ImportCommand, AddsNothingTwice) {
  ASSERT_EQ(Run({Report("ncu_default.csv")}), 0);
  Write(scratch / "copy.csv", Bytes(Report("ncu_default.csv")));
  ASSERT_EQ(Run({(scratch / "copy.csv").string()}), 0);
  EXPECT_THAT(err.str(), HasSubstr("is already in"));
  EXPECT_EQ(Runs().size(), 1u);
}

TEST_F(ImportCommand, TakesAllFilesOrNone) {
  Write(scratch / "bad.json", "{\"context\": {}, \"benchmarks\": [{\"name\": \"b\", \"real_time\": -1}]}");
  EXPECT_EQ(Run({Report("ncu_default.csv"), (scratch / "bad.json").string()}), 2);
  EXPECT_THAT(err.str(), AllOf(HasSubstr("bad.json: benchmarks[0].real_time is no time"), HasSubstr("nothing was")));
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(ImportCommand, SaysHowToReadWhatOnlyNcuReads) {
  Write(scratch / "r.ncu-rep", std::string_view("NVR\0\1\2", 6));
  EXPECT_EQ(Run({(scratch / "r.ncu-rep").string()}), 2);
  EXPECT_THAT(err.str(), HasSubstr("r.ncu-rep --csv --page raw --print-units base "
                                   "--print-metric-instances details > "));
}

TEST_F(ImportCommand, SaysWhatToDoWithADatabase) {
  ASSERT_EQ(Run({Report("ncu_full.csv")}), 0);
  const std::string ours = (scratch / "mine").string();  // by its content, not by its name
  std::filesystem::copy_file(file, ours);
  file = scratch / "other.db";
  EXPECT_EQ(Run({ours}), 2);
  EXPECT_THAT(err.str(), HasSubstr(ours + " is a database, not an export: read it where it is, with --db " + ours +
                                   ", or run 'culprit export --db " + ours + " -o " + ours + ".sql' and import " +
                                   ours + ".sql; nothing was imported"));
  std::string foreign = Bytes(ours);
  foreign.replace(68, 4, 4, '\0');
  Write(scratch / "other.sqlite", foreign);
  EXPECT_EQ(Run({(scratch / "other.sqlite").string()}), 2);
  EXPECT_THAT(err.str(), HasSubstr("other.sqlite is an SQLite database of another program"));
  Write(scratch / "short.sqlite", std::string_view("SQLite format 3\0", 16));
  EXPECT_EQ(Run({(scratch / "short.sqlite").string()}), 2);
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(ImportCommand, SaysWhatToDoWithAReportOfNsightSystems) {
  Write(scratch / "r.nsys-rep", std::string_view("\1\0\0\0binary\0", 11));
  EXPECT_EQ(Run({(scratch / "r.nsys-rep").string()}), 2);
  EXPECT_THAT(err.str(), HasSubstr("r.nsys-rep is neither text nor a file that culprit knows."));
  EXPECT_THAT(err.str(), HasSubstr("run 'nsys export --type sqlite REPORT' and give the .sqlite file"));
}

TEST_F(ImportCommand, SaysAllThatItTakes) {
  for (const char* text : {"", "# A readme\n", "name,time\nx,1\n"}) {
    Write(scratch / "file", text);
    EXPECT_EQ(Run({(scratch / "file").string()}), 2);
    for (const char* taken :
         {"culprit export", "Nsight Compute", "Google Benchmark", "NVBench", "PyTorch", "JAX", "Nsight Systems"})
      EXPECT_THAT(err.str(), HasSubstr(taken)) << text;
  }
  Write(scratch / "r.nsys-rep", "");
  EXPECT_EQ(Run({(scratch / "r.nsys-rep").string()}), 2);
  EXPECT_THAT(err.str(), HasSubstr("run 'nsys export --type sqlite REPORT' and give the .sqlite file"));
  EXPECT_FALSE(std::filesystem::exists(file));
}

// The report of ncu_full.csv as ncu prints it with counts by opcode.
std::string WithOpcodes(const std::string& text, const std::string& executed, const std::string& threads) {
  std::string more;
  for (std::size_t at = 0, end = 0; at < text.size(); at = end + 1) {
    end = text.find('\n', at);
    std::string line = text.substr(at, end - at);
    if (line.starts_with("\"ID\""))
      line +=
          ",\"sass__inst_executed_per_opcode_with_modifier_all\","
          "\"sass__thread_inst_executed_true_per_opcode_with_modifier_all\"";
    else if (line.starts_with("\"\""))
      line += ",\"\",\"\"";
    else if (line.starts_with('"'))
      line += ",\"" + executed + "\",\"" + threads + "\"";
    more += line + "\n";
  }
  return more;
}

TEST_F(ImportCommand, LetsCountsByOpcodeJudgeCauses) {
  const std::string text = Bytes(Report("ncu_full.csv"));
  Write(scratch / "opcodes.csv",
        WithOpcodes(text, "1,966,080 (IMAD.WIDE: 1,700,000; LDG.E: 131,072; STG.E: 131,072; BAR.SYNC: 3,936)",
                    "62,914,560 (IMAD.WIDE: 54,400,000; LDG.E: 4,194,304; STG.E: 4,194,304; BAR.SYNC: 125,952)"));
  ASSERT_EQ(Run({Report("ncu_full.csv"), (scratch / "opcodes.csv").string()}), 0) << err.str();
  const auto why = [&](const char* run) {
    std::ostringstream text_out;
    EXPECT_EQ(
        Main({"why", "Scatter~61bd75", "Scatter~2f341e", "--run", run, "--db", file.string()}, text_out, err, false), 0)
        << err.str();
    const std::string all = text_out.str();
    return all.substr(all.find("Not judged"));
  };
  const std::string without = why("ncu_full.csv"), with = why("opcodes.csv");
  for (const char* cause :
       {"  barrier  ", "  shared_access_width  ", "  global_access_width  ", "  sfu_pipe  ", "  fma_pipe  ",
        "  fp16_pipe  ", "  fp64_pipe  ", "  tensor_pipe  ", "conversion_thread_inst"}) {
    EXPECT_THAT(without, HasSubstr(cause));
    EXPECT_THAT(with, testing::Not(HasSubstr(cause)));
  }
  EXPECT_THAT(with, HasSubstr("instruction_cache")) << "no opcode tells of misses";
}

TEST_F(ImportCommand, TravelsOnAsOurRunsDo) {
  ASSERT_EQ(Run({Report("ncu_full.csv")}), 0);
  Write(scratch / "export.sql", Database::OpenForReading(file).Export());
  file = scratch / "other.db";
  ASSERT_EQ(Run({(scratch / "export.sql").string()}), 0) << err.str();
  ASSERT_EQ(Run({Report("ncu_full.csv"), "--label", "again"}), 0);
  EXPECT_EQ(Runs().size(), 1u);
  EXPECT_EQ(Runs()[0].run.program->source, ProgramSource::kNcu);
}

}  // namespace
}  // namespace culprit
