// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <utility>

#include "analysis/cli/command.h"
#include "analysis/cli/culprit.h"
#include "analysis/cli/parse.h"
#include "tests/support/invented_database.h"
#include "tests/support/shell_word.h"

namespace culprit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

struct Speed {
  int status = 0;
  std::string out, err;
};

Speed Culprit(std::vector<std::string> args, bool terminal = false) {
  std::ostringstream out, err;
  const int status = Main(args, out, err, terminal);
  return {status, out.str(), err.str()};
}

bool HasDoctor() {
  return std::filesystem::exists(std::filesystem::path(CULPRIT_PROGRAM).parent_path() /
                                 "../libexec/culprit/culprit_doctor");
}

class Cli : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new testing::TemporaryFolder;
    testing::WriteInventedDatabase(*folder_ / "m.db");
    testing::WriteStaticDatabase(*folder_ / "static.db");
  }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }
  static std::string Db(const char* name = "m.db") { return (*folder_ / name).string(); }
  static inline testing::TemporaryFolder* folder_ = nullptr;
};

TEST_F(Cli, HelpNamesEveryCommandAndTheExitStatus) {
  const Speed help = Culprit({"--help"});
  EXPECT_EQ(help.status, 0);
  for (const Command& command : Commands())
    EXPECT_THAT(help.out, HasSubstr(std::string(command.summary.substr(0, 30))));
  EXPECT_THAT(help.out, HasSubstr("could not be carried out"));
  EXPECT_THAT(help.err, IsEmpty());
}

TEST_F(Cli, EveryCommandShowsItsExampleInItsHelp) {
  for (const Command& command : Commands()) {
    const Speed help = Culprit({std::string(command.name), "--help"});
    EXPECT_EQ(help.status, 0) << command.name;
    EXPECT_THAT(help.out, HasSubstr(std::string(command.example)));
  }
}

TEST_F(Cli, NoHelpIsWiderThanAUsualTerminal) {
  std::vector<std::vector<std::string>> calls{{"--help"}};
  for (const Command& command : Commands()) calls.push_back({std::string(command.name), "--help"});
  for (const auto& call : calls) {
    std::istringstream lines(Culprit(call).out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << call.front() << ": " << line;
  }
}

TEST_F(Cli, TheExampleOfQueryNamesAQueryThatExists) {
  for (const Command& command : Commands()) {
    const auto at = command.example.find(" @");  // not KERNEL@RUN or user@host
    if (at == command.example.npos) continue;
    const std::string_view name = command.example.substr(at + 2);
    EXPECT_NE(FindNamedQuery(name.substr(0, name.find(' '))), nullptr) << command.example;
  }
}

// docs/json.md names these.
TEST_F(Cli, EveryCommandTakesADatabaseJsonAndTopExceptThoseThatWriteNoReport) {
  const std::set<std::string_view> no_report{"record", "help", "completion", "manual"};
  std::set<std::string_view> lacks_top;
  for (const Command& command : Commands()) {
    std::set<std::string> names;
    for (const Option& option : SyntaxOf(command).options)
      for (std::string& name : NamesOf(option)) names.insert(std::move(name));
    EXPECT_TRUE(names.contains("--db") || names.contains("SERVER") || command.group == kAbout) << command.name;
    EXPECT_NE(names.contains("--json"), no_report.contains(command.name)) << command.name;
    if (names.contains("--json") && !names.contains("--top")) lacks_top.insert(command.name);
    EXPECT_EQ(names.contains("--top"), names.contains("-v")) << command.name;
  }
  EXPECT_THAT(lacks_top, ElementsAre("export")) << "what it says of a file has no lists";
}

TEST_F(Cli, TheDoctorBoundsItsJson) {
  if (!HasDoctor()) GTEST_SKIP() << "only a build with CUDA has the program that asks CUDA";
  const Speed o = Culprit({"doctor", "--json", "--top", "2"});
  const auto json = nlohmann::json::parse(o.out);
  EXPECT_EQ(json["doctor"]["checks"].size(), 2u);
  EXPECT_GT(json["left_out"]["doctor.checks"], 1);
  EXPECT_THAT(o.err, IsEmpty());
  EXPECT_THAT(Culprit({"doctor", "--top", "2"}).err, HasSubstr("add --json"));
}

TEST_F(Cli, AnOldNameOfACommandNamesTheNewOne) {
  for (const auto& [old, now] : {std::pair("compare", "'culprit why BASE CANDIDATE --metrics'"),
                                 {"stages", "'culprit list'"},
                                 {"ab", "'culprit versus -- OLD -- NEW'"},
                                 {"claims", "'culprit_evidence claims'"},
                                 {"reproduce", "'culprit_evidence reproduce'"},
                                 {"calibrate", "'culprit_evidence calibrate'"}}) {
    const Speed o = Culprit({old, "--json"});
    EXPECT_EQ(o.status, 2);
    EXPECT_THAT(o.err, StartsWith(std::string("culprit: culprit ") + old + " is now " + now));
    EXPECT_EQ(std::ranges::count(o.err, '\n'), 1) << o.err;
  }
}

TEST_F(Cli, DoctorSaysInOneSentenceThatItNeedsABuildWithCuda) {
  if (HasDoctor()) GTEST_SKIP() << "this build has it";
  const Speed o = Culprit({"doctor"});
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.err, HasSubstr("libexec/culprit/culprit_doctor, which only a build with CUDA has"));
  EXPECT_EQ(std::ranges::count(o.err, '\n'), 1) << o.err;
}

TEST_F(Cli, AnnotateShowsTheLines) {
  EXPECT_EQ(Culprit({"annotate", "v1_7", "--db", Db()}).err, Culprit({"show", "v1_7", "--lines", "--db", Db()}).err);
}

TEST_F(Cli, AnUnknownCommandSuggestsTheClosestOne) {
  const Speed o = Culprit({"shwo"});
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.err, StartsWith("culprit: unknown command 'shwo'; did you mean 'show'?"));
  EXPECT_THAT(o.out, IsEmpty());
}

TEST_F(Cli, AnUnknownOptionSuggestsTheClosestOneOfItsCommand) {
  const Speed o = Culprit({"why", "v1_7", "v1_6", "--shap=4096"});
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.err, StartsWith("culprit: unknown option '--shap'; did you mean '--shape'?"));
  EXPECT_THAT(o.err, HasSubstr("--cand-run"));
  EXPECT_THAT(o.err, Not(HasSubstr("--family")));
  // Not what the parser stumbles over next: that BASE is missing.
  EXPECT_THAT(Culprit({"check", "--bsae", "main"}).err,
              StartsWith("culprit: unknown option '--bsae'; did you mean '--base'?"));
  EXPECT_THAT(Culprit({"--vers"}).err, StartsWith("culprit: unknown option '--vers'; did you mean '--version'?"));
}

TEST_F(Cli, AnUnknownWordAmongFewSuggestsTheClosestOne) {
  EXPECT_THAT(Culprit({"runs", "--format", "jsno"}).err,
              StartsWith("culprit: --format: unknown value 'jsno'; did you mean 'json'?"));
  EXPECT_THAT(Culprit({"help", "whi"}).err, HasSubstr("did you mean 'why'?"));
  EXPECT_EQ(Culprit({"help", "whi"}).status, 2);
}

TEST_F(Cli, HelpIsWhatTheOptionHelpPrints) {
  EXPECT_EQ(Culprit({"help"}).out, Culprit({"--help"}).out);
  for (const Command& command : Commands()) {
    const std::string name(command.name);
    EXPECT_EQ(Culprit({"help", name}).out, Culprit({name, "--help"}).out) << name;
  }
}

TEST_F(Cli, TheHelpGoesFromTheEverydayToTheCommandItself) {
  const std::string help = Culprit({"help"}).out;
  std::size_t last = 0;
  for (const std::string_view group : {kEveryday, kFurther, kStorage, kAbout}) {
    const std::size_t at = help.find("\n" + std::string(group) + ":\n");
    ASSERT_NE(at, help.npos) << group;
    EXPECT_GT(at, last) << group;
    last = at;
  }
  EXPECT_GT(help.find("  doctor  "), last);
  EXPECT_EQ(help.find("  claims  "), help.npos) << "culprit_evidence has it";
}

TEST_F(Cli, NoCommandAtAllIsAnErrorThatPointsToTheHelp) {
  const Speed o = Culprit({});
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.err, HasSubstr("culprit --help"));
}

TEST_F(Cli, AnUnknownStageSuggestsTheClosestOne) {
  const Speed o = Culprit({"show", "v16", "--db", Db()});
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.err, StartsWith("culprit: unknown kernel 'v16'; did you mean 'v1_6'?"));
}

TEST_F(Cli, AMissingDatabaseIsASentenceAndIsNotCreated) {
  const Speed o = Culprit({"runs", "--db", Db("missing.db")});
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.err, StartsWith("culprit: "));
  EXPECT_FALSE(std::filesystem::exists(Db("missing.db")));
}

TEST_F(Cli, TakesTheDatabaseFromTheEnvironment) {
  ::setenv("CULPRIT_DB", Db().c_str(), 1);
  const Speed from_environment = Culprit({"runs"});
  ::unsetenv("CULPRIT_DB");
  EXPECT_EQ(from_environment.status, 0);
  EXPECT_THAT(from_environment.out, HasSubstr("invented"));
}

TEST_F(Cli, TheDatabaseMayStandBeforeTheCommand) {
  const std::string after = Culprit({"show", "v1_6", "--db", Db()}).out;
  EXPECT_THAT(after, Not(IsEmpty()));
  EXPECT_EQ(Culprit({"--db", Db(), "show", "v1_6"}).out, after);
  EXPECT_EQ(Culprit({"--db=" + Db(), "show", "v1_6"}).out, after);
  ::setenv("CULPRIT_DB", Db("missing.db").c_str(), 1);
  EXPECT_EQ(Culprit({"--db", Db(), "show", "v1_6"}).out, after);
  EXPECT_EQ(Culprit({"show", "v1_6", "--db", Db()}).out, after);
  ::unsetenv("CULPRIT_DB");
  EXPECT_EQ(Culprit({"--db", Db("missing.db"), "show", "v1_6", "--db", Db()}).out, after);
  EXPECT_THAT(Culprit({"--db", Db(), "shwo"}).err, HasSubstr("did you mean 'show'?"));
  EXPECT_EQ(Culprit({"--db"}).status, 2);
}

TEST_F(Cli, StagesGivesFactorsAsAnObject) {
  const auto json = nlohmann::json::parse(Culprit({"list", "--db", Db(), "--json"}).out);
  EXPECT_EQ(json["list"]["stages"][1]["factors"]["loop nest"], "k->m->n");
}

TEST_F(Cli, ColoursOnATerminalUnlessNoColorIsSet) {
  ::unsetenv("NO_COLOR");
  ::setenv("TERM", "xterm", 1);
  EXPECT_THAT(Culprit({"runs", "--db", Db()}, true).out, HasSubstr("\x1b["));
  EXPECT_THAT(Culprit({"runs", "--db", Db()}, false).out, Not(HasSubstr("\x1b[")));
  ::setenv("NO_COLOR", "1", 1);
  EXPECT_THAT(Culprit({"runs", "--db", Db()}, true).out, Not(HasSubstr("\x1b[")));
  ::unsetenv("NO_COLOR");
  for (const char* terminal : {"dumb", ""}) {
    ::setenv("TERM", terminal, 1);
    EXPECT_THAT(Culprit({"runs", "--db", Db()}, true).out, Not(HasSubstr("\x1b["))) << terminal;
  }
}

TEST_F(Cli, ShowSpeaksAboutLocalMemoryFirstForTheSlowLoopNestOnly) {
  const auto slow = nlohmann::json::parse(Culprit({"show", "v1_6", "--db", Db(), "--json"}).out);
  EXPECT_EQ(slow["findings"]["items"][0]["id"], "local_memory_array");
  const Speed fast = Culprit({"show", "v1_7", "--db", Db()});
  EXPECT_EQ(fast.status, 0);
  EXPECT_THAT(fast.out, Not(HasSubstr("local_memory_array")));
}

TEST_F(Cli, ShowTakesTheLargestSquareUnlessTold) {
  const auto large = nlohmann::json::parse(Culprit({"show", "v1_7", "--db", Db(), "--json"}).out);
  EXPECT_EQ(large["context"]["shape"], "2048x2048x2048");
  const auto small = nlohmann::json::parse(Culprit({"show", "v1_7", "--shape", "1024", "--db", Db(), "--json"}).out);
  EXPECT_EQ(small["context"]["shape"], "1024x1024x1024");
  EXPECT_TRUE(small["roofline"]["intensity_flop_per_byte"].is_null());
  EXPECT_EQ(small["roofline"]["intensity_flop_per_byte_status"], "denied");
}

TEST_F(Cli, ShowOfAStageThatWasOnlyBuiltGivesItsStaticAttributesAndSaysHowToMeasure) {
  const Speed o = Culprit({"show", "v1_6", "--db", Db("static.db")});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("sm_80"));
  EXPECT_THAT(o.out, HasSubstr("sm_90"));
  EXPECT_THAT(o.out, HasSubstr("were not measured in this run"));
  EXPECT_EQ(Culprit({"show", "v1_6", "--run", "static", "--db", Db()}).out, o.out);
}

TEST_F(Cli, CompareNeedsTimes) {
  const Speed o = Culprit({"why", "v1_7", "v1_6", "--metrics", "--db", Db("static.db")});
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.err, HasSubstr("never launched"));
}

TEST_F(Cli, CompareStaysAtOneShape) {
  const auto json = nlohmann::json::parse(Culprit({"why", "v1_7", "v1_6", "--metrics", "--db", Db(), "--json"}).out);
  EXPECT_EQ(json["context"]["base_shape"], json["context"]["candidate_shape"]);
  EXPECT_EQ(json["metrics"]["deltas"][0]["metric"], "local_load_sectors");
  EXPECT_EQ(json["metrics"]["deltas"][0]["kind"], "new");
  EXPECT_TRUE(json["metrics"]["deltas"][0]["change_pct"].is_null());
}

TEST_F(Cli, ReportLeavesFailedStagesOutOfTheRanking) {
  const auto json = nlohmann::json::parse(Culprit({"report", "--shape", "2048", "--db", Db(), "--json"}).out);
  const auto& shape = json["shapes"][0];
  EXPECT_EQ(shape["ladder"].size(), 3u);
  EXPECT_EQ(shape["failed"][0]["stage"], "broken");
  EXPECT_EQ(shape["refused"][0]["stage"], "picky");
  EXPECT_EQ(shape["ladder"][0]["cublas_pct"], 100);
}

TEST_F(Cli, ReportOfAnUnknownShapeNamesTheOnesThatExist) {
  const Speed o = Culprit({"report", "--shape", "4096", "--db", Db()});
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.err, HasSubstr("There are: 2048x2048x2048, 1024x1024x1024."));
}

TEST_F(Cli, ReportOfARunWithoutAGpuShowsTheStaticTable) {
  const Speed o = Culprit({"report", "--db", Db("static.db")});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("it launched nothing"));
  EXPECT_THAT(o.out, HasSubstr("Stack frame"));
}

TEST_F(Cli, StagesRefusesAnArchitectureThatWasNotBuilt) {
  const Speed o = Culprit({"list", "--arch", "sm_99", "--run", "static", "--db", Db()});
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.err, HasSubstr("There are: sm_80, sm_90."));
}

TEST_F(Cli, QueryBindsParametersByTheirType) {
  const Speed o = Culprit({"query", "SELECT :a AS a, typeof(:a) AS ta, :b AS b, typeof(:b) AS tb", "--param", "a=3",
                           "--param", "b=3x", "--format", "csv", "--db", Db()});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_EQ(o.out, "a,ta,b,tb\n3,integer,3x,text\n");
}

TEST_F(Cli, QueryWritesNullsForEachFormat) {
  const std::string sql = "SELECT NULL AS n, '' AS e, 'a|b' AS t";
  EXPECT_EQ(Culprit({"query", sql, "--format", "csv", "--db", Db()}).out, "n,e,t\n,\"\",a|b\n");
  EXPECT_EQ(nlohmann::json::parse(Culprit({"query", sql, "--json", "--db", Db()}).out)[0]["n"], nullptr);
  EXPECT_THAT(Culprit({"query", sql, "--format", "md", "--db", Db()}).out, HasSubstr("a\\|b"));
  EXPECT_THAT(Culprit({"query", sql, "--db", Db()}).out, HasSubstr("NULL"));
}

TEST_F(Cli, QueryRefusesToWrite) {
  const Speed o = Culprit({"query", "DELETE FROM run", "--db", Db()});
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(Culprit({"runs", "--db", Db()}).out, HasSubstr("invented"));
}

TEST_F(Cli, QueryListsAndSuggestsNamedQueries) {
  EXPECT_THAT(Culprit({"query", "--list"}).out, HasSubstr("@runs"));
  EXPECT_THAT(Culprit({"query", "@rusn", "--db", Db()}).err, HasSubstr("did you mean 'runs'?"));
}

std::string Contents(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST_F(Cli, RunsTravelThroughExportAndImport) {
  const std::string file = Db("travel.sql"), copy = Db("copy.db");
  const Speed written = Culprit({"export", "--run", "invented", "-o", file, "--db", Db()});
  EXPECT_EQ(written.status, 0) << written.err;
  const Speed first = Culprit({"import", file, "--db", copy, "--json"});
  EXPECT_EQ(first.status, 0) << first.err;
  EXPECT_EQ(nlohmann::json::parse(first.out)["imported"]["files"][0]["runs_added"], 1);
  const Speed again = Culprit({"import", file, "--db", copy, "--json"});
  EXPECT_EQ(nlohmann::json::parse(again.out)["imported"]["files"][0]["runs_already_there"], 1);
  EXPECT_EQ(Culprit({"show", "v1_6", "--db", copy}).out, Culprit({"show", "v1_6", "--db", Db()}).out);
}

TEST_F(Cli, ImportOfAMissingFileStoresNothing) {
  const Speed o = Culprit({"import", Db("nowhere.sql"), "--db", Db("never.db")});
  EXPECT_EQ(o.status, 2);
  EXPECT_THAT(o.err, HasSubstr("cannot read"));
  EXPECT_FALSE(std::filesystem::exists(Db("never.db")));
}

TEST_F(Cli, AnImportThatFailsLeavesNoNewDatabaseBehind) {
  const std::string bad = Db("bad.sql"), db = Db("unborn.db");
  std::ofstream(bad) << "this is no export";
  EXPECT_EQ(Culprit({"import", bad, "--db", db}).status, 2);
  for (const char* suffix : {"", "-wal", "-shm"}) EXPECT_FALSE(std::filesystem::exists(db + suffix)) << suffix;

  // All or nothing.
  const std::string good = Db("good.sql");
  ASSERT_EQ(Culprit({"export", "-o", good, "--db", Db()}).status, 0);
  EXPECT_EQ(Culprit({"import", good, bad, "--db", db}).status, 2);
  EXPECT_FALSE(std::filesystem::exists(db));
}

TEST_F(Cli, ImportOfWhatIsNoFileIsASentence) {
  for (const auto& [file, why] : {std::pair{Db("."), "it is a directory"},
                                  {std::string("/dev/zero"), "it is a device"},
                                  {std::string("/dev/full"), "it is a device"}}) {
    const Speed o = Culprit({"import", file, "--db", Db("never.db")});
    EXPECT_EQ(o.status, 2) << file;
    EXPECT_THAT(o.err, HasSubstr(why)) << file;
  }
}

TEST_F(Cli, ImportTellsThatARunIsThereWithOtherContent) {
  const std::string file = Db("changed.sql"), copy = Db("changed.db");
  ASSERT_EQ(Culprit({"export", "--run", "invented", "-o", file, "--db", Db()}).status, 0);
  ASSERT_EQ(Culprit({"import", file, "--db", copy}).status, 0);
  std::string text = Contents(file);
  text.replace(text.find("'invented'"), 10, "'inventor'");
  std::ofstream(file) << text;
  const Speed edited = Culprit({"import", file, "--db", copy});
  EXPECT_EQ(edited.status, 2);
  EXPECT_THAT(edited.err, HasSubstr("its checksum differs"));
  const auto sums = text.find("INSERT INTO run_checksum");
  ASSERT_NE(sums, std::string::npos);
  text.erase(sums, text.find(";\n", sums) + 2 - sums);
  std::ofstream(file) << text;
  const Speed again = Culprit({"import", file, "--db", copy});
  EXPECT_EQ(again.status, 0);
  EXPECT_THAT(again.err, HasSubstr("with other content, which was kept"));
}

TEST_F(Cli, AnEmptyOptionIsASentence) {
  for (const char* option : {"--run", "--db", "--shape"}) {
    const Speed o = Culprit({"report", option, "", "--db", Db()});
    EXPECT_EQ(o.status, 2) << option;
    EXPECT_THAT(o.err, HasSubstr("it is empty; leave the option out, or give it a value")) << option;
  }
}

TEST_F(Cli, ReportNamesAnUnknownShapeAsItWasWritten) {
  EXPECT_THAT(Culprit({"report", "--shape", "abc", "--db", Db()}).err, HasSubstr("unknown shape 'abc'"));
}

using testing::ShellWord;
int Shell(const std::string& command) { return WEXITSTATUS(std::system(("bash -c " + ShellWord(command)).c_str())); }

TEST_F(Cli, AReaderThatLeavesEarlyIsNoError) {
  const std::string err = Db("err.txt");
  EXPECT_EQ(Shell(ShellWord(CULPRIT_PROGRAM) + " export --db " + ShellWord(Db()) + " 2>" + ShellWord(err) +
                  " | head -c 1 >/dev/null; exit ${PIPESTATUS[0]}"),
            0);
  EXPECT_EQ(std::filesystem::file_size(err), 0u);
}

TEST_F(Cli, ExportRefusesToOverwriteTheDatabase) {
  const std::string db = Db("precious.db"), link = Db("link.sql");
  std::filesystem::copy_file(Db(), db);
  std::filesystem::create_hard_link(db, link);
  const std::string before = Contents(db);
  for (const std::string& file : {db, link, db + "-wal", db + "-shm", Db("./precious.db")}) {
    const Speed o = Culprit({"export", "-o", file, "--db", db});
    EXPECT_EQ(o.status, 2) << file;
    EXPECT_THAT(o.err, HasSubstr("belongs to the database")) << file;
  }
  EXPECT_EQ(Contents(db), before);
}

TEST_F(Cli, AnExportThatCannotBeFinishedKeepsTheEarlierOne) {
  const std::string file = Db("kept.sql"), err = Db("kept.txt");
  std::ofstream(file) << "an earlier export";
  // A file size limit of 1 KiB stands in for a full disk.
  EXPECT_EQ(Shell("trap \"\" XFSZ; ulimit -f 1; " + ShellWord(CULPRIT_PROGRAM) + " export --db " + ShellWord(Db()) +
                  " -o " + ShellWord(file) + " 2>" + ShellWord(err)),
            2);
  EXPECT_THAT(Contents(err), HasSubstr("cannot write"));
  EXPECT_EQ(Contents(file), "an earlier export");
  EXPECT_FALSE(std::filesystem::exists(file + ".tmp"));
  EXPECT_EQ(Culprit({"export", "-o", file, "--db", Db()}).status, 0);
  EXPECT_EQ(Contents(file), Culprit({"export", "--db", Db()}).out);
}

TEST_F(Cli, AnExportLeavesWhatIsBesideItAndItsPermissions) {
  const std::string file = Db("private.sql"), beside = file + ".tmp", victim = Db("victim.txt");
  std::ofstream(file) << "an earlier export";
  std::ofstream(victim) << "precious";
  std::filesystem::create_symlink(victim, beside);
  std::filesystem::permissions(file, std::filesystem::perms(0600));
  EXPECT_EQ(Culprit({"export", "-o", file, "--db", Db()}).status, 0);
  EXPECT_EQ(Contents(victim), "precious");
  EXPECT_TRUE(std::filesystem::is_symlink(beside));
  EXPECT_EQ(std::filesystem::status(file).permissions(), std::filesystem::perms(0600));
}

TEST_F(Cli, AFileThatMayNotGrowIsAnError) {
  const std::string file = Db("limited.sql"), err = Db("limited.txt");
  EXPECT_EQ(Shell("ulimit -f 1; " + ShellWord(CULPRIT_PROGRAM) + " export --db " + ShellWord(Db()) + " -o " +
                  ShellWord(file) + " 2>" + ShellWord(err)),
            2);
  EXPECT_THAT(Contents(err), HasSubstr("File too large"));
}

TEST_F(Cli, AFullDiskIsAnError) {
  const std::string err = Db("full.txt");
  EXPECT_EQ(
      Shell(ShellWord(CULPRIT_PROGRAM) + " runs --db " + ShellWord(Db()) + " 2>" + ShellWord(err) + " >/dev/full"), 2);
  std::ifstream text(err);
  EXPECT_THAT(std::string(std::istreambuf_iterator<char>(text), {}), HasSubstr("No space left on device"));
}

}  // namespace
}  // namespace culprit
