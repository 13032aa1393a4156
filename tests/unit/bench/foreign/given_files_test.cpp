// SPDX-License-Identifier: Apache-2.0
// Files in place of runs: culprit why and check with traces of other tools.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <sstream>

#include "analysis/cli/culprit.h"
#include "db/compressed.h"
#include "db/database.h"
#include "tests/support/raw_sqlite.h"
#include "tests/support/scratch.h"
#include "tests/unit/bench/foreign/invented_trace.h"

namespace culprit {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class GivenFiles : public testing::Test {
 protected:
  GivenFiles() {
    Write(scratch / "before.json", PytorchTrace(StepsOf(40, 30)));
    Write(scratch / "after.json", PytorchTrace(StepsOf(40, 60)));
  }
  int Run(std::vector<std::string> args) {
    out.str("");
    err.str("");
    args.insert(args.end(), {"--db", file.string()});
    return Main(args, out, err, false);
  }
  std::string At(const char* name) const { return (scratch / name).string(); }

  Scratch scratch;
  std::filesystem::path file = scratch / "m.db";
  std::ostringstream out, err;
};

TEST_F(GivenFiles, AreExplainedWithoutADatabase) {
  ASSERT_EQ(Run({"why", "--base", At("before.json"), "--cand", At("after.json"), "--json"}), 0) << err.str();
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_THAT(out.str(), AllOf(HasSubstr("softmax_warp_forward"), HasSubstr("after.json")));
  ASSERT_EQ(Run({"why", "--base", At("before.json"), "--cand", At("after.json")}), 0) << err.str();
  EXPECT_THAT(out.str(), HasSubstr("softmax_warp_forward"));
  EXPECT_THAT(out.str(), HasSubstr("1,200.0 us")) << "forty times 30 us";
  // The runs are in no database, so the command names the files.
  std::string hint = out.str().substr(out.str().find("The whole of this or another kernel: culprit why "));
  for (std::size_t end; (end = hint.find("\n  ")) != std::string::npos;) hint.replace(end, 3, " ");
  EXPECT_THAT(hint, HasSubstr(fmt::format(" --base {} --cand {}", At("before.json"), At("after.json"))));
}

TEST_F(GivenFiles, AreNamedByCommandsThatSayMoreOfAKernel) {
  InventedTrace more = StepsOf(40, 60);
  more.kernels.push_back({"accumulate", 8, 128, 8100, 5, ""});
  Write(scratch / "more.json", PytorchTrace(more));
  ASSERT_EQ(Run({"why", "--base", At("before.json"), "--cand", At("more.json"), "--json"}), 0) << err.str();
  const std::string command = fmt::format("culprit show accumulate --run {}", At("more.json"));
  EXPECT_THAT(out.str(), HasSubstr("'" + command + "' says what limits it."));
  ASSERT_EQ(Run({"show", "accumulate", "--run", At("more.json")}), 0) << err.str();
  EXPECT_THAT(out.str(), HasSubstr("accumulate"));
}

TEST_F(GivenFiles, MayComeFromDifferentTools) {
  WriteNsysExport(StepsOf(40, 30), scratch / "before.sqlite");
  Write(scratch / "after.json.gz", Gzipped(PytorchTrace(StepsOf(40, 60))));
  ASSERT_EQ(Run({"why", "--base", At("before.sqlite"), "--cand", At("after.json.gz")}), 0) << err.str();
  EXPECT_THAT(out.str(), AllOf(HasSubstr("softmax_warp_forward"), HasSubstr("1,200.0 us")));
}

// Containers hide the GPU from nsys.
TEST_F(GivenFiles, AreCheckedWhereNeitherNamesItsGpu) {
  for (const auto& [name, us] : {std::pair("was.sqlite", 30.), {"is.sqlite", 60.}}) {
    WriteNsysExport(StepsOf(40, us), scratch / name);
    RawSqlite(scratch / name).Execute("DELETE FROM TARGET_INFO_GPU");
  }
  EXPECT_EQ(Run({"check", "--base", At("was.sqlite"), "--cand", At("was.sqlite")}), 2) << "one file";
  EXPECT_EQ(Run({"check", "--base", At("was.sqlite"), "--cand", At("is.sqlite")}), 3) << err.str();
  EXPECT_THAT(out.str(), AllOf(HasSubstr("1 suspected to be slower"), HasSubstr("softmax"),
                               HasSubstr("It is not known whether both runs are of one GPU")));
  EXPECT_EQ(Run({"check", "--base", At("was.sqlite"), "--cand", At("after.json")}), 2);
  EXPECT_THAT(out.str(), HasSubstr("The file of the base run does not name its GPU"));
  EXPECT_EQ(Run({"check", "--base", At("before.json"), "--cand", At("is.sqlite"), "--other-gpu"}), 3) << err.str();
}

TEST_F(GivenFiles, SayWhichLibraryChanged) {
  for (const char* version : {"2.10.0", "2.11.0"}) {
    std::string text = PytorchTrace(StepsOf(40, 30));
    text.insert(text.find("\"cupti_version\""), fmt::format("\"pytorch_version\": \"{}\", ", version));
    Write(scratch / version, text);
  }
  ASSERT_EQ(Run({"why", "--base", At("2.10.0"), "--cand", At("2.11.0")}), 0) << err.str();
  EXPECT_THAT(out.str(), HasSubstr("The two runs had other versions of libraries: torch 2.10.0 -> 2.11.0."));
}

TEST_F(GivenFiles, AreWrittenInOtherFormats) {
  ASSERT_EQ(Run({"export", "--format", "folded", At("before.json")}), 0) << err.str();
  EXPECT_EQ(out.str(),
            "step #;aten::mm;ampere_sgemm_128x64_tn 2000000\n"
            "step #;aten::softmax;void softmax_warp_forward<float, 4>(float*, float const*, int) 1200000\n");
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_EQ(Run({"export", "--format", "folded", At("before.json"), "-o", At("./before.json")}), 2);
  EXPECT_THAT(err.str(), HasSubstr("choose another file with -o"));
}

TEST_F(GivenFiles, AreAskedForOneKernel) {
  ASSERT_EQ(Run({"why", "softmax", "--base", At("before.json"), "--cand", At("after.json")}), 0) << err.str();
  EXPECT_THAT(out.str(), HasSubstr("softmax_warp_forward"));
}

TEST_F(GivenFiles, AreChecked) {
  EXPECT_NE(Run({"check", "--base", At("before.json"), "--cand", At("after.json")}), 0);
  EXPECT_EQ(err.str(), "");
  EXPECT_THAT(out.str(), HasSubstr("softmax_warp_forward"));
  WriteNsysExport(StepsOf(40, 30), scratch / "same.sqlite");
  EXPECT_EQ(Run({"check", "--base", At("before.json"), "--cand", At("same.sqlite"), "--other-gpu"}), 0) << out.str();
}

TEST_F(GivenFiles, AreComparedWithRuns) {
  ASSERT_EQ(Run({"import", At("before.json"), "--label", "before"}), 0) << err.str();
  ASSERT_EQ(Run({"why", "--base", "before", "--cand", At("after.json")}), 0) << err.str();
  EXPECT_THAT(out.str(), HasSubstr("softmax_warp_forward"));
  EXPECT_EQ(Database::OpenForReading(file).Runs().size(), 1u) << "nothing is stored";
}

TEST_F(GivenFiles, GiveWayToRunsOfTheirName) {
  ASSERT_EQ(Run({"import", At("before.json"), "--label", At("after.json")}), 0) << err.str();
  ASSERT_EQ(Run({"import", At("after.json"), "--label", "after"}), 0) << err.str();
  ASSERT_EQ(Run({"why", "--base", At("after.json"), "--cand", "after"}), 0) << err.str();
  EXPECT_THAT(err.str(), HasSubstr("is a run of " + file.string() + " and a file. The run is used"));
  EXPECT_THAT(out.str(), HasSubstr("1,200.0 us"));
}

TEST_F(GivenFiles, SayWhatIsWrongInOneSentence) {
  Write(scratch / "bad.json", "{\"traceEvents\": [");
  EXPECT_EQ(Run({"why", "--base", At("bad.json"), "--cand", At("after.json")}), 2);
  EXPECT_THAT(err.str(), HasSubstr("bad.json line 1: it is no JSON"));
  EXPECT_EQ(Run({"why", "--base", At("after.json")}), 2);
  EXPECT_THAT(err.str(), HasSubstr("--cand is missing"));
  EXPECT_EQ(Run({"why", "--base", At("after.json"), "--cand", At("after.json")}), 2);
  EXPECT_THAT(err.str(), HasSubstr("both name run"));
  EXPECT_EQ(Run({"why", "--base", At("after.json"), "--cand", "nothing"}), 2);
  EXPECT_THAT(err.str(), HasSubstr("m.db"));
  Write(scratch / "cut.json.gz", Gzipped(PytorchTrace(StepsOf(3, 30))).substr(0, 300));
  EXPECT_EQ(Run({"why", "--base", At("cut.json.gz"), "--cand", At("after.json")}), 2);
  EXPECT_THAT(err.str(), HasSubstr("its end is missing"));
}

TEST_F(GivenFiles, WithSeveralRunsAreRefused) {
  ASSERT_EQ(Run({"import", At("before.json"), At("after.json")}), 0) << err.str();
  ASSERT_EQ(Run({"export", "-o", At("both.sql")}), 0) << err.str();
  EXPECT_EQ(Run({"why", "--base", At("both.sql"), "--cand", At("after.json")}), 2);
  EXPECT_THAT(err.str(), HasSubstr("has 2 runs, so it does not say which one is meant"));
}

// An ncu of the test's own: it gets the words that are documented, and never a shell.
TEST_F(GivenFiles, OfNcuAreReadByNcu) {
  std::filesystem::create_directory(scratch / "bin");
  Write(scratch / "bin/ncu", "#!/bin/sh\nprintf '%s\\n' \"$@\" > \"" + At("words") + "\"\ncat \"" +
                                 std::string(CULPRIT_SOURCE_DIR) + "/tests/unit/bench/foreign/ncu_full.csv\"\n");
  std::filesystem::permissions(scratch / "bin/ncu", std::filesystem::perms::owner_all);
  const std::string path = ::getenv("PATH");
  // A compressed report is known by its name: what it holds is ncu's own.
  for (const auto& [name, content] : {std::pair("a b;$(touch x).ncu-rep", std::string_view("NVR\0\1\2", 6)),
                                      {"new.ncu-repz", "\x28\xb5\x2f\xfd of another kind"}}) {
    const std::string report = At(name);
    Write(report, content);
    ::setenv("PATH", (At("bin") + ":" + path).c_str(), 1);
    const int status = Run({"import", report});
    ::setenv("PATH", path.c_str(), 1);
    EXPECT_EQ(status, 0) << err.str();
    EXPECT_EQ(Bytes(scratch / "words"), "--import\n" + report + "\n--csv\n--page\nraw\n--print-units\nbase\n" +
                                            "--print-metric-instances\ndetails\n");
    EXPECT_EQ(Database::OpenForReading(file).Runs().at(0).run.program->source, ProgramSource::kNcu);
  }
}

// An ncu that does not know the option says so and fails, and one could say so without failing.
TEST_F(GivenFiles, OfNcuAreReadByAnOlderNcu) {
  std::filesystem::create_directory(scratch / "bin");
  const std::string report = At("r.ncu-rep"), path = ::getenv("PATH");
  Write(report, std::string_view("NVR\0\1\2", 6));
  for (const char* status : {"1", "0"}) {
    Write(scratch / "bin/ncu",
          fmt::format(
              "#!/bin/sh\ncase \"$*\" in *instances*)\n  echo \"==ERROR== unrecognised option\"\n  exit {}\nesac\n"
              "cat '{}/tests/unit/bench/foreign/ncu_full.csv'\n",
              status, CULPRIT_SOURCE_DIR));
    std::filesystem::permissions(scratch / "bin/ncu", std::filesystem::perms::owner_all);
    ::setenv("PATH", (At("bin") + ":" + path).c_str(), 1);
    const int imported = Run({"import", report});
    ::setenv("PATH", path.c_str(), 1);
    EXPECT_EQ(imported, 0) << err.str();
    EXPECT_EQ(Database::OpenForReading(file).Runs().at(0).run.program->source, ProgramSource::kNcu);
    std::filesystem::remove(file);
  }
}

TEST_F(GivenFiles, OfNcuSayWhatReadsThem) {
  const std::string report = At("new.ncu-repz"), path = ::getenv("PATH");
  Write(report, "\x28\xb5\x2f\xfd");
  ::setenv("PATH", At("bin").c_str(), 1);
  EXPECT_EQ(Run({"import", report}), 2);
  EXPECT_THAT(err.str(), HasSubstr(fmt::format("run 'ncu --import {} --csv", report)));
  std::filesystem::create_directory(scratch / "bin");
  Write(scratch / "bin/ncu", "#!/bin/sh\necho unknown file >&2\nexit 1\n");
  std::filesystem::permissions(scratch / "bin/ncu", std::filesystem::perms::owner_all);
  EXPECT_EQ(Run({"import", report}), 2);
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_THAT(err.str(), HasSubstr("version 2025.4 and newer reads it"));
  EXPECT_EQ(Run({"import", At("none.ncu-repz")}), 2);
  EXPECT_THAT(err.str(), testing::Not(HasSubstr("2025.4")));
}

}  // namespace
}  // namespace culprit
