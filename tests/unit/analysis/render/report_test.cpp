// SPDX-License-Identifier: Apache-2.0
#include "analysis/render/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

namespace culprit {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Report Sample() {
  Report report;
  report.kind = "sample";
  report.title = "Title";
  Section section{"part", "Part"};
  section.facts.push_back({"denied_us", "denied", Number{Measured::Missing(Absence::kDenied), Unit::kTimeUs}});
  section.tables.push_back(
      {"rows", "", {{"name", "Name"}, {"count", "Count"}}, {{"a|b, \"c\"", Number{12345, Unit::kCount}}}, {}});
  report.sections.push_back(section);
  return report;
}

std::string Rendered(void (*render)(const Report&, std::ostream&), const Report& report) {
  std::ostringstream out;
  render(report, out);
  return out.str();
}

std::string Text(const Report& report, const TextStyle& style = {}) {
  std::ostringstream out;
  RenderText(report, out, style);
  return out.str();
}

std::string Csv(const Report& report, std::string_view table = "") {
  std::ostringstream out;
  RenderCsv(report, out, table);
  return out.str();
}

TEST(Report, JsonHoldsRawNumbersAndNullWithAStatus) {
  const auto json = nlohmann::json::parse(Rendered(RenderJson, Sample()));
  EXPECT_EQ(json["part"]["rows"][0]["count"], 12345);
  EXPECT_TRUE(json["part"]["denied_us"].is_null());
  EXPECT_EQ(json["part"]["denied_us_status"], "denied");
}

TEST(Report, JsonCollectsRepeatedSectionsInAnArray) {
  Report report = Sample();
  report.sections[0].repeated = true;
  report.sections.push_back(report.sections[0]);
  EXPECT_EQ(nlohmann::json::parse(Rendered(RenderJson, report))["part"].size(), 2u);
}

TEST(Report, JsonSurvivesBytesThatAreNotUtf8) {
  Report report = Sample();
  report.title = "\xff";
  EXPECT_NO_THROW(nlohmann::json::parse(Rendered(RenderJson, report)));
}

TEST(Report, TextHasNoEscapesUnlessColourIsAskedFor) {
  EXPECT_THAT(Text(Sample()), Not(HasSubstr("\x1b[")));
  EXPECT_THAT(Text(Sample(), {.colour = true}), HasSubstr("\x1b[1mTitle"));
}

TEST(Report, TextAlignsNumbersToTheRight) {
  EXPECT_THAT(Text(Sample()), HasSubstr("  Name       Count\n  a|b, \"c\"  12,345\n"));
}

TEST(Report, TextWrapsLongSentencesUnderTheirBeginning) {
  Report report;
  report.context.push_back({"x", "key", std::string(60, 'a') + " " + std::string(60, 'b')});
  EXPECT_THAT(Text(report), HasSubstr("  key  " + std::string(60, 'a') + "\n       " + std::string(60, 'b') + "\n"));
}

TEST(Report, MarkdownEscapesWhatWouldEndACell) {
  EXPECT_THAT(Rendered(RenderMarkdown, Sample()), HasSubstr("| a\\|b, \"c\" | 12,345 |"));
}

TEST(Report, MarkdownShowsTextAsItIs) {
  Report report;
  report.title = "main [x](y) ~~z~~ &lt; @me #7 v1@main a & b #pragma";
  EXPECT_EQ(Rendered(RenderMarkdown, report),
            "# main \\[x\\](y) \\~\\~z\\~\\~ \\&lt; &#64;me &#35;7 v1@main a & b #pragma\n");
}

TEST(Report, MarkdownKeepsDetailsInsideTheirItemFromTheTenthOn) {
  Report report;
  Section section{"part", ""};
  for (int i = 1; i <= 10; ++i) section.items.push_back({"item", Number{}, "text", {}, "", {"detail"}});
  report.sections.push_back(section);
  const std::string text = Rendered(RenderMarkdown, report);
  EXPECT_THAT(text, HasSubstr("9. **item**: text\n   - detail\n"));
  EXPECT_THAT(text, HasSubstr("10. **item**: text\n    - detail\n"));
}

TEST(Report, PairsAreAnObjectForProgramsAndAListForPeople) {
  Report report;
  report.sections.push_back(
      {"part", "", {}, {{"rows", "", {{"pairs", "Pairs"}}, {{Pairs{{"a", "1"}, {"b", "2"}}}}, {}}}, {}, {}});
  EXPECT_EQ(nlohmann::json::parse(Rendered(RenderJson, report))["part"]["rows"][0]["pairs"]["b"], "2");
  EXPECT_THAT(Text(report), HasSubstr("a = 1, b = 2"));
  EXPECT_THAT(Rendered(RenderMarkdown, report), HasSubstr("| a = 1, b = 2 |"));
  EXPECT_EQ(Csv(report), "pairs\n\"a = 1, b = 2\"\n");
}

TEST(Report, RowsBeyondThoseShownAndColumnsForProgramsAreInJsonAndCsvOnly) {
  Report report;
  ReportTable table{"rows",   "", {{"a", "A"}, {"b", "B", true}}, {{"first", "hidden"}, {"second", "hidden"}},
                    {"note"}, 1};
  report.sections.push_back({"part", "", {}, {table}, {}, {}});
  for (const std::string& text : {Text(report), Rendered(RenderMarkdown, report)}) {
    EXPECT_THAT(text, HasSubstr("first"));
    EXPECT_THAT(text, HasSubstr("note"));
    EXPECT_THAT(text, Not(HasSubstr("second")));
    EXPECT_THAT(text, Not(HasSubstr("hidden")));
  }
  EXPECT_EQ(nlohmann::json::parse(Rendered(RenderJson, report))["part"]["rows"][1]["b"], "hidden");
  EXPECT_THAT(Csv(report), HasSubstr("second,hidden"));
}

TEST(Report, OneLinePerItemShowsItsBrief) {
  Report report;
  Section section{"part", "", {}, {}, {{"stage", Number{12, Unit::kTimeUs}, "A long sentence.", {}, "short"}}, {}};
  section.one_line = true;
  report.sections.push_back(section);
  EXPECT_THAT(Text(report), HasSubstr("  stage  12.00 us  short\n"));
  EXPECT_THAT(Rendered(RenderMarkdown, report), HasSubstr("| stage | 12.00 us | short |\n"));
  const auto item = nlohmann::json::parse(Rendered(RenderJson, report))["part"]["items"][0];
  EXPECT_EQ(item["text"], "A long sentence.");
  EXPECT_EQ(item["brief"], "short");
}

TEST(Report, CsvQuotesTextAndLeavesMissingNumbersEmpty) {
  EXPECT_EQ(Csv(Sample()), "# part\nkey,value\ndenied_us,\n\n# part.rows\nname,count\n\"a|b, \"\"c\"\"\",12345\n");
}

}  // namespace
}  // namespace culprit
