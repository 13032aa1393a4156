// SPDX-License-Identifier: Apache-2.0
#include "analysis/show/html/page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "analysis/show/html/html_text.h"

namespace culprit {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using enum Unit;

std::string Page(const Report& report, const PageParts& parts = {}) {
  std::ostringstream out;
  RenderPage(report, out, parts);
  return out.str();
}

// Of the first chart.
nlohmann::json MarksOf(const std::string& page) {
  const std::string_view begin = "<script type=\"application/json\">";
  const std::size_t at = page.find(begin) + begin.size();
  return nlohmann::json::parse(page.substr(at, page.find("</script>", at) - at));
}

Chart Bars(const std::string& name) {
  return {.kind = ChartKind::kBars,
          .title = "Bars",
          .text = "How long they are.",
          .data = {.columns = {{"name", "Name"}, {"value", "Time"}, {"evidence", "Rests on", true}},
                   .rows = {{name, {12.5, kTimeUs}, "a = 1; b = 2"}}}};
}

TEST(HtmlText, EscapesWhatMeansSomethingToABrowser) {
  EXPECT_EQ(EscapeMarkup("a<b> & \"c\" 'd'"), "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
}

TEST(HtmlText, CutsAWordThatIsTooLongAndKeepsTheWholeInItsTitle) {
  const std::string word(100, 'x');
  const std::string text = Shortened("see " + word + " there");
  EXPECT_THAT(text,
              StartsWith("see <span class=\"cut\" title=\"" + word + "\">" + word.substr(0, kWidestWord) + "..."));
  EXPECT_THAT(text, EndsWith("</span> there"));
}

TEST(HtmlText, CutsInsideEscapesOnlyWhatItShows) {
  // Cutting what is escaped already could leave half an entity.
  const std::string text = Shortened(std::string(kWidestWord + 10, '<'));
  EXPECT_THAT(text, HasSubstr("&lt;..."));
  EXPECT_THAT(text, Not(HasSubstr("&lt..")));
}

TEST(HtmlText, LeavesNothingInAScriptThatCouldEndIt) {
  EXPECT_EQ(EscapeScript(R"(["</script><!--&"])"), R"(["\u003c/script\u003e\u003c!--\u0026"])");
}

TEST(Page, AllowsItsOwnScriptsAndNoNetwork) {
  // Of "" and "abc", an example of FIPS 180-4.
  const std::string page =
      Page({.title = "t", .charts = {Bars("a")}},
           {.script = {"page", "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
            .charts = {"charts", "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}});
  EXPECT_THAT(page, HasSubstr("default-src 'none';"));
  EXPECT_THAT(page, HasSubstr("script-src 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=' "
                              "'sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=';"));
  EXPECT_THAT(page, HasSubstr("<script>abc</script>"));
}

TEST(Page, KeepsHostileTextText) {
  const std::string evil = "<script>alert(1)</script><!--\x01\x1b\xe2\x80\xa8\xe2\x80\xae\xff";
  Report report{.kind = evil, .title = evil, .context = {{"k", evil, evil}}, .warnings = {evil}, .notes = {evil}};
  Section section{"s", evil, {{"k", evil, evil}}};
  section.tables = {
      {.title = evil, .columns = {{"c", evil}, {"d", evil}}, .rows = {{evil, Pairs{{evil, evil}}}}, .notes = {evil}}};
  section.items = {{.key = evil, .text = evil, .evidence = {{evil, evil, evil}}, .details = {evil}}};
  section.notes = {evil};
  section.drawings = {{.lines = {{{evil, 0}}}}};
  report.sections = {section};
  report.charts = {Bars(evil)};
  report.charts[0].title = report.charts[0].text = evil;
  const std::string page = Page(report, {.script = {"page", "own();", ""}});
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;"));
  EXPECT_THAT(page, HasSubstr("\\u003cscript\\u003ealert"));
  for (const char* raw : {"\x01", "\x1b", "\xe2\x80\xa8", "\xe2\x80\xae", "\xff"})
    EXPECT_THAT(page, Not(HasSubstr(raw)));
  EXPECT_THAT(MarksOf(page)[0]["name"].get<std::string>(), StartsWith("<script>alert(1)</script>"));
}

TEST(Page, BoundsNamesOfAnyLength) {
  const std::string name(2'000'000, 'n');
  Report report{.title = name, .charts = {Bars(name)}};
  report.sections = {{.key = "s", .title = name, .tables = {{.columns = {{"c", "Name"}}, .rows = {{name}}}}}};
  EXPECT_LT(Page(report).size(), 40'000u);
}

TEST(Page, SaysOfANumberAllItsDigitsAndWhatItRestsOn) {
  Report report{.title = "t", .charts = {Bars("slow")}};
  report.charts[0].section = "Causes";
  report.sections = {
      {.key = "c",
       .title = "Causes",
       .tables = {{.columns = {{"cause", "Cause"}, {"us", "Time"}},
                   .rows = {{"slow", {4496.771630604308, kTimeDeltaUs}}, {"other", {1.0, kTimeDeltaUs}}}}}}};
  const std::string page = Page(report);
  EXPECT_THAT(page, HasSubstr("title=\"4496.771630604308 us\nRests on: a = 1; b = 2\">+4,496.8 us</td>"));
  EXPECT_THAT(page, HasSubstr("title=\"1 us\">+1.0 us</td>"));
}

TEST(Page, PutsAChartIntoItsSectionElseAboveThem) {
  Chart of_section = Bars("a"), alone = Bars("b");
  of_section.section = "Second", alone.section = "no section of this title";
  of_section.title = "first chart", alone.title = "second chart";
  Report report{.title = "t", .charts = {of_section, alone}};
  report.sections = {{.key = "a", .title = "First", .notes = {"one"}},
                     {.key = "b", .title = "Second", .notes = {"two"}}};
  const std::string page = Page(report);
  EXPECT_LT(page.find("second chart"), page.find("<h2>First"));
  EXPECT_GT(page.find("first chart"), page.find("<h2>Second"));
}

TEST(Page, GivesAScriptWhatAChartIsDrawnFrom) {
  const nlohmann::json marks = MarksOf(Page({.title = "t", .charts = {Bars("a")}}));
  EXPECT_EQ(marks[0]["value"], 12.5);
  EXPECT_EQ(marks[0]["shown"]["value"], "12.50 us");
  EXPECT_EQ(marks[0]["says"], (nlohmann::json{"a", "Time: 12.50 us", "Rests on: a = 1; b = 2"}));
  EXPECT_FALSE(marks[0].contains("evidence"));
}

TEST(Page, TakesWhatIsMissingOrNoFiniteNumberForNoNumber) {
  Chart chart = Bars("a");
  chart.data.rows = {{"a", {Measured::Missing(Absence::kDenied), kTimeUs}, ""},
                     {"b", {std::numeric_limits<double>::infinity(), kTimeUs}, ""}};
  const nlohmann::json marks = MarksOf(Page({.title = "t", .charts = {chart}}));
  EXPECT_TRUE(marks[0]["value"].is_null());
  EXPECT_TRUE(marks[1]["value"].is_null());
  EXPECT_EQ(marks[0]["says"][1], "Time: not measured (denied)");
}

TEST(Page, SaysThatChartsAreLeftOutWhereTheProgramHasNone) {
  EXPECT_THAT(Page({.title = "t", .charts = {Bars("a")}}), HasSubstr("Charts are left out"));
  EXPECT_THAT(Page({.title = "t", .charts = {Bars("a")}}, {.charts = {"charts", "draw();", ""}}),
              Not(HasSubstr("Charts are left out")));
  EXPECT_THAT(Page({.title = "t"}), Not(HasSubstr("Charts are left out")));
}

TEST(Page, FoldsWhatTextLeavesOutOfManyOfAKind) {
  Report report{.title = "t"};
  report.sections = {{.key = "s", .title = "Folded", .notes = {"n"}, .repeated = true, .detail = true},
                     {.key = "d", .title = "Detail", .notes = {"n"}, .detail = true}};
  const std::string page = Page(report);
  EXPECT_THAT(page, HasSubstr("<summary><h2>Folded</h2></summary>"));
  EXPECT_THAT(page, Not(HasSubstr("<summary><h2>Detail</h2></summary>")));
}

TEST(Page, LeavesOutWhatIsForProgramsAlone) {
  Report report{.title = "t"};
  report.sections = {{.key = "s",
                      .facts = {{"secret_key", "", "secret_value"}},
                      .tables = {{.key = "k", .columns = {{"c", "", true}}, .rows = {{"secret_cell"}}}}}};
  EXPECT_THAT(Page(report), Not(HasSubstr("secret")));
}

}  // namespace
}  // namespace culprit
