// SPDX-License-Identifier: Apache-2.0
// Names in a database may be anybody's. Whatever they hold, no terminal, page or error message gets to obey it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "analysis/cli/culprit.h"
#include "analysis/number/printable.h"
#include "analysis/show/render/report.h"
#include "db/database.h"
#include "tests/support/invented_database.h"
#include "tests/support/invented_study.h"
#include "tests/support/run_command.h"
#include "tests/support/shell_word.h"

namespace culprit {
namespace {

using namespace std::string_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Json = nlohmann::json;
using testing::Result;
using testing::RunCommand;

// A colour in 7 bits and in 8, a bell, DEL, a change of direction, a byte that is not UTF-8, a line break, HTML, a
// link.
const std::string kHostile = "\x1b[31m\u009b1m\x07\x7f\u202e\u200b\xff\n<img src=x>[a](b)`|";

// Our own line breaks are the only control characters.
void ExpectHarmless(const std::string& text, const std::string& where) {
  for (const unsigned char c : text)
    if (c != '\n' && (c < 0x20 || c == 0x7f)) ADD_FAILURE() << where << ": byte " << int{c} << "\n" << text;
  for (const char* forbidden : {"\u009b", "\u202e", "\u200b"})
    EXPECT_EQ(text.find(forbidden), text.npos) << where << "\n" << text;
  Json(text).dump();  // throws for what is not UTF-8
}

Report HostileReport() {
  const std::string h = kHostile;
  Item item{h, {1, Unit::kTimeUs}, h, {{h, h, h}}, h, {h}, {{h, h, h}}};
  ReportTable table{h, h, {{h, h}, {h + "2", h}}, {{h, Pairs{{h, h}}}, {Stored{h}, Number{}}}, {h}};
  Section section{"part", h, {{h, h, h}}, {table}, {item}, {h}};
  section.drawings = {{{{{h, 1}}}}};
  Section lines = section, folded = section;
  lines.one_line = true;
  lines.item_titles = {h, h, h};
  folded.folded = true;
  return {"sample", h, {{h, h, h}}, {{h, h, h}}, {h}, {section, lines, folded}, {h}, section};
}

std::string Text(const Report& report, const TextStyle& style = {}) {
  std::ostringstream out;
  RenderText(report, out, style);
  return out.str();
}
std::string Csv(const Report& report) {
  std::ostringstream out;
  RenderCsv(report, out);
  return out.str();
}
std::string Markdown(const Report& report) {
  std::ostringstream out;
  RenderMarkdown(report, out);
  return out.str();
}
std::string AsJson(const Report& report) {
  std::ostringstream out;
  RenderJson(report, out);
  return out.str();
}

Report Bare(const ReportTable& table) {
  Report report;
  report.bare = true;
  report.sections.push_back({"part", "", {}, {table}});
  return report;
}

TEST(HostileText, IsHarmlessInEveryFieldOfAReport) {
  const Report report = HostileReport();
  ExpectHarmless(Text(report), "text");
  ExpectHarmless(Text(report, {.width = 40}), "text in a narrow terminal");
  ExpectHarmless(Markdown(report), "Markdown");
  ExpectHarmless(AsJson(report), "JSON");
  ExpectHarmless(Csv(Printable(report)), "CSV on a terminal");
}

TEST(HostileText, ComesBackWholeFromJsonAndCsv) {
  const std::string valid = "\x1b[31m\u009b1m\x07\x7f\u202e\u200b";
  const ReportTable table{"rows", "", {{"a", ""}, {"b", ""}}, {{Stored{valid}, Stored{"x"s}}}, {}};
  EXPECT_EQ(Json::parse(AsJson(Bare(table)))[0]["a"], valid);
  EXPECT_EQ(Csv(Bare(table)), "a,b\n" + valid + ",x\n");
}

TEST(HostileText, IsNeitherHtmlNorALinkNorTheEndOfCodeInMarkdown) {
  const std::string page = Markdown(HostileReport());
  EXPECT_THAT(page, HasSubstr("\\<img src=x>\\[a\\](b)"));
  EXPECT_THAT(page, HasSubstr("&#60;img src=x&#62;&#91;a&#93;(b)"));  // within <summary>
  EXPECT_THAT(page, HasSubstr("<img src=x>[a](b)'|` = "));            // within code, which knows no escapes
  const ReportTable links{"rows", "", {{"a", "a"}}, {{Stored{"see https://x.y or www.x.y"s}}}, {}};
  EXPECT_THAT(Markdown(Bare(links)), HasSubstr("| see https&#58;//x.y or www&#46;x.y |"));
}

TEST(Tables, AlignByWidthOnTheScreen) {
  const ReportTable table{
      "rows", "", {{"n", "Größe"}, {"x", "x"}}, {{"e\u0301\u0301", "1"}, {"行列", "2"}, {"\U0001f680", "3"}}, {}};
  EXPECT_EQ(Text(Bare(table)), "  Größe  x\n  e\u0301\u0301      1\n  行列   2\n  \U0001f680     3\n");
}

TEST(Tables, WrapByWidthOnTheScreen) {
  Report report;
  std::string words;
  for (int i = 0; i < 40; ++i) words += (i ? " " : "") + "größe"s;
  report.notes = {words};
  std::istringstream lines(Text(report));
  std::string line;
  for (int i = 0; i < 3; ++i) std::getline(lines, line);
  EXPECT_EQ(Width(line), 18u * 6 - 1) << line;  // as many words of 5 columns as 110 hold
}

TEST(Tables, CutAHugeNameOnTheScreenAlone) {
  const std::string huge(2'000'000, 'x');
  const ReportTable table{"rows", "", {{"a", "a"}, {"b", "b"}}, {{Stored{huge}, Stored{std::int64_t{7}}}}, {}};
  EXPECT_EQ(Text(Bare(table)),
            "  a" + std::string(kWidestCell - 1, ' ') + "  b\n  " + std::string(kWidestCell - 3, 'x') + "...  7\n");
  EXPECT_EQ(Csv(Bare(table)), "a,b\n" + huge + ",7\n");
  EXPECT_EQ(Json::parse(AsJson(Bare(table)))[0]["a"], huge);
}

TEST(Json, NamesANumberThatIsNotFinite) {
  const double inf = std::numeric_limits<double>::infinity();
  const ReportTable table{"rows", "", {{"a", ""}, {"b", ""}, {"c", ""}}, {{Stored{inf}, Stored{-inf}, Stored{}}}, {}};
  EXPECT_EQ(Json::parse(AsJson(Bare(table))),
            Json::parse(R"([{"a": null, "a_status": "inf", "b": null, "b_status": "-inf", "c": null}])"));
}

class HostileDatabase : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new testing::TemporaryFolder;
    Database database = Database::OpenForRecording(Db());
    testing::KernelBuilder k = testing::InventedV16();
    RunRecord& run = k.record.run.run;
    const std::string h = kHostile;
    run.label = run.git_sha = run.command_line = h;
    run.toolchain.driver = run.toolchain.nvcc = run.toolchain.cupti = run.toolchain.cuda_runtime = h;
    if (run.device) run.device->name = run.device->chip = h;
    const RunId id = database.BeginRun(run);
    for (const std::string& stage : {h + "1", h + "2"}) {
      k.record.stage.id = k.record.launch.stage = stage;
      k.record.stage.idea = k.record.stage.family = h;
      k.record.stage.factors = {{h, stage}};
      k.record.launch.message = k.record.launch.kernel = h;
      database.StoreStage(id, k.record.stage, {});
      const LaunchId launch = database.StoreLaunch(id, k.record.launch, k.record.samples);
      for (Reading& reading : k.record.readings) reading.metric.unit = reading.metric.meaning = h;
      k.record.readings.push_back({{h, "range", h, h, h}, 1.0, ReadingStatus::kOk});
      database.StoreReadings(launch, k.record.readings);
      k.record.readings.pop_back();
      database.StoreWarning(id, launch, {h, h, {}});
    }
    database.StoreWarning(id, std::nullopt, {h, h, {}});
    database.FinishRun(id);
  }
  static void TearDownTestSuite() {
    delete folder_;
    folder_ = nullptr;
  }
  static std::string Db() { return (*folder_ / "hostile\x1b[31m.db").string(); }
  static Result Run(std::vector<std::string> args) {
    args.insert(args.end(), {"--db", Db()});
    return RunCommand(args);
  }
  static inline testing::TemporaryFolder* folder_ = nullptr;
};

TEST_F(HostileDatabase, CanBeReadByEveryCommandInEveryFormat) {
  const std::string a = kHostile + "1", b = kHostile + "2";
  const std::vector<std::vector<std::string>> commands = {{"runs"},
                                                          {"list"},
                                                          {"show", a},
                                                          {"why", a, b, "--metrics"},
                                                          {"why", a, b, "--all"},
                                                          {"study", a, b},
                                                          {"report"},
                                                          {"query", "@runs"},
                                                          {"query", "@ladder"},
                                                          {"query", "@readings"},
                                                          {"query", "@warnings"},
                                                          {"query", "@edges"},
                                                          {"check", "--base", kHostile, "--cand", kHostile}};
  for (const auto& command : commands)
    for (const char* format : {"text", "md", "json"}) {
      std::vector<std::string> args = command;
      args.insert(args.end(), {"--format", format});
      const Result result = Run(args);
      const std::string where = command[0] + " as " + format;
      EXPECT_NE(result.out + result.err, "") << where;
      ExpectHarmless(result.out, where);
      ExpectHarmless(result.err, where + ", error");
    }
}

TEST_F(HostileDatabase, IsHarmlessInErrors) {
  for (const std::vector<std::string>& args :
       std::vector<std::vector<std::string>>{{"show", kHostile},
                                             {kHostile},
                                             {"show", "--" + kHostile},
                                             {"show", kHostile + "1", "--run", kHostile + "x"},
                                             {"show", kHostile + "1", "--shape", kHostile},
                                             {"query", "SELECT '" + kHostile},
                                             {"query", kHostile},
                                             {"query", "@" + kHostile},
                                             {"query", "SELECT 1", "--param", kHostile},
                                             {"query", "SELECT :a", "--param", kHostile + "=1"},
                                             {"import", (*folder_ / kHostile.c_str()).string()},
                                             {"import", Db()},
                                             {"runs", "--db", (*folder_ / "none\x1b[31m.db").string()}}) {
    const Result result = Run(args);
    EXPECT_EQ(result.status, 2) << args[0] << "\n" << result.out;
    EXPECT_THAT(result.err, StartsWith("culprit: ")) << args[0];
    ExpectHarmless(result.err, args[0]);
  }
}

TEST_F(HostileDatabase, CannotForgeALineOfItsOwn) {
  EXPECT_THAT(Run({"show", "x\nculprit: all is well"}).err, Not(HasSubstr("\nculprit")));
}

TEST_F(HostileDatabase, IsHarmlessOnATerminalAsCsvAndSql) {
  ::setenv("TERM", "dumb", 1);
  for (const std::vector<std::string>& args : std::vector<std::vector<std::string>>{
           {"runs", "--format", "csv"}, {"query", "@runs", "--format", "csv"}, {"export"}, {"runs", "--help"}}) {
    std::ostringstream out, err;
    std::vector<std::string> all = args;
    all.insert(all.end(), {"--db", Db()});
    EXPECT_EQ(Main(all, out, err, true), 0) << err.str();
    ExpectHarmless(out.str(), args[0]);
  }
}

class QueryText : public HostileDatabase {};

TEST_F(QueryText, GoesThroughTheRenderersOfReports) {
  const Result page = Run({"query", "SELECT '<b>' AS h, '[x](y)' AS l, '@me' AS m, 1.5 AS n", "--format", "md"});
  EXPECT_EQ(page.out, "\n| h | l | m | n |\n|---|---|---|---:|\n| \\<b> | \\[x\\](y) | &#64;me | 1.5 |\n");
}

TEST_F(QueryText, NeedsAValueForEveryParameter) {
  const Result unbound = Run({"query", "SELECT count(*) FROM run WHERE id = :x"});
  EXPECT_EQ(unbound.status, 2);
  EXPECT_EQ(unbound.out, "");
  EXPECT_EQ(unbound.err, "culprit: the query's :x has no value: give it with --param x=VALUE\n");
  EXPECT_EQ(Run({"query", "SELECT count(*) AS n FROM run WHERE id = :x", "--param", "x=1", "--format", "csv"}).out,
            "n\n1\n");
  for (const char* sql : {"SELECT ?", "SELECT $x", "SELECT @x", "SELECT ?3"})
    EXPECT_THAT(Run({"query", sql}).err, HasSubstr("write it as :name")) << sql;
  EXPECT_EQ(Run({"query", "@ladder"}).status, 0) << "a shipped query has defaults";
}

TEST_F(QueryText, TakesInfAndNanForNames) {
  const auto type = [&](const std::string& value) {
    return Run({"query", "SELECT typeof(:x) AS t", "--param", "x=" + value, "--format", "csv"}).out;
  };
  EXPECT_EQ(type("inf"), "t\ntext\n");
  EXPECT_EQ(type("nan"), "t\ntext\n");
  EXPECT_EQ(type("1.5"), "t\nreal\n");
}

TEST_F(QueryText, RefusesTwoColumnsOfOneNameInJsonAlone) {
  const std::string sql = "SELECT 1 AS id, 2 AS id";
  const Result refused = Run({"query", sql, "--json"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.out, "");
  EXPECT_THAT(refused.err, AllOf(HasSubstr("two columns are named id"), HasSubstr("AS")));
  EXPECT_EQ(Run({"query", sql + " WHERE 0", "--json"}).status, 2) << "rows or not";
  EXPECT_EQ(Run({"query", sql, "--format", "csv"}).out, "id,id\n1,2\n");
}

TEST_F(QueryText, SaysInJsonThatANumberIsInfinite) {
  EXPECT_EQ(Json::parse(Run({"query", "SELECT 9e999 AS x", "--json"}).out),
            Json::parse(R"([{"x": null, "x_status": "inf"}])"));
  EXPECT_EQ(Run({"query", "SELECT -9e999 AS x", "--format", "csv"}).out, "x\n-inf\n");
  for (const char* sql : {"SELECT 9e999 AS x, 1 AS x_status", "SELECT 1 AS x_status, 9e999 AS x"}) {
    const Result taken = Run({"query", sql, "--json"});
    EXPECT_EQ(taken.status, 2);
    EXPECT_THAT(taken.err, HasSubstr("x_status, and that name is taken"));
  }
}

TEST_F(QueryText, KeepsIntegersThatNoDoubleHolds) {
  const std::string sql = "SELECT 9007199254740993 AS n";
  EXPECT_EQ(Run({"query", sql, "--format", "csv"}).out, "n\n9007199254740993\n");
  EXPECT_EQ(Run({"query", sql}).out, "                 n\n  9007199254740993\n");
  EXPECT_EQ(Json::parse(Run({"query", sql, "--json"}).out)[0]["n"], 9007199254740993);
}

class Program : public HostileDatabase {
 protected:
  // Of a shell command; $culprit and $db stand for what they say, and standard error goes to a file.
  static Result Shell(const std::string& command) {
    const std::string script = (*folder_ / "script").string(), err = (*folder_ / "err").string();
    std::ofstream(script) << command;
    ::setenv("culprit", CULPRIT_PROGRAM, 1);
    ::setenv("db", Db().c_str(), 1);
    const int status =
        WEXITSTATUS(std::system(("bash " + testing::ShellWord(script) + " 2>" + testing::ShellWord(err)).c_str()));
    std::ifstream in(err, std::ios::binary);
    return {status, "", {std::istreambuf_iterator<char>(in), {}}};
  }
  static bool IsOneLine(const std::string& text) { return std::count(text.begin(), text.end(), '\n') == 1; }
};

TEST_F(Program, SaysWhenItIsOutOfMemory) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer takes more addresses than the limit of this test leaves";
#endif
  const Result result = Shell(
      "ulimit -v 300000\n"
      "\"$culprit\" query --db \"$db\" 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT "
      "100000000) "
      "SELECT i FROM n' >/dev/null");
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.err, StartsWith("culprit: out of memory: "));
  EXPECT_TRUE(IsOneLine(result.err)) << result.err;
}

TEST_F(Program, SaysOnceWhereAResultCannotGo) {
  for (const char* command : {"\"$culprit\" runs --db \"$db\" >/dev/full", "\"$culprit\" runs --db \"$db\" >&-",
                              "ulimit -f 1; \"$culprit\" --help >\"$db.out\"", "\"$culprit\" --help >/dev/full"}) {
    const Result result = Shell(command);
    EXPECT_EQ(result.status, 2) << command;
    EXPECT_THAT(result.err, StartsWith("culprit: cannot write the result: ")) << command;
    EXPECT_TRUE(IsOneLine(result.err)) << result.err;
  }
}

}  // namespace
}  // namespace culprit
