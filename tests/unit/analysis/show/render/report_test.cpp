// SPDX-License-Identifier: Apache-2.0
#include "analysis/show/render/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "analysis/show/render/cut_lists.h"

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

TEST(Report, TopCutsListsAlsoInsideListsAndCountsTheRest) {
  Report report{"whole"};
  const auto list = [](int size) {
    std::vector<Tree> rows(size, Tree(1));
    return Tree(std::move(rows));
  };
  report.fields = {{"causes", std::vector<Tree>{Fields{{"evidence", list(5)}}, Fields{{"evidence", list(4)}},
                                                Fields{{"evidence", list(9)}}}},
                   {"few", list(2)}};
  std::ostringstream out;
  RenderJson(report, out, 2);
  const auto json = nlohmann::json::parse(out.str());
  EXPECT_EQ(json["causes"].size(), 2u);
  EXPECT_EQ(json["causes"][1]["evidence"].size(), 2u);
  EXPECT_EQ(json["few"].size(), 2u);
  EXPECT_EQ(json["left_out"], nlohmann::json({{"causes", 1}, {"causes[].evidence", 5}}));
}

TEST(Report, TopOfABareReportNamesItsRows) {
  Report report = Sample();
  report.bare = true;
  const std::size_t rows = report.sections.at(0).tables.at(0).rows.size();
  std::ostringstream out;
  RenderJson(report, out, 1);
  const auto json = nlohmann::json::parse(out.str());
  EXPECT_EQ(json["rows"].size(), 1u);
  EXPECT_EQ(json["left_out"].value("rows", 0u) + 1, rows);
}

TEST(Report, TextHasNoEscapesUnlessColourIsAskedFor) {
  EXPECT_THAT(Text(Sample()), Not(HasSubstr("\x1b[")));
  EXPECT_THAT(Text(Sample(), {.colour = true}), HasSubstr("\x1b[1mTitle"));
}

TEST(Report, TextAlignsNumbersToTheRight) {
  EXPECT_THAT(Text(Sample()), HasSubstr("  Name       Count\n  a|b, \"c\"  12,345\n"));
}

TEST(Report, TextFoldsADrawingIntoPartsWhereTheTerminalIsNarrow) {
  Report report;
  Section section{"map", "Map"};
  section.drawings.push_back({{{{"row  ", -1}, {"aaaa", 0}, {"bbbb", 1}}}, 5, 4});
  report.sections.push_back(section);
  EXPECT_THAT(Text(report, {.width = 12}), HasSubstr("  row  aaaa\n  row  bbbb\n"));
  EXPECT_THAT(Text(report, {.width = 15}), HasSubstr("  row  aaaabbbb\n"));
  EXPECT_THAT(Text(report), HasSubstr("  row  aaaabbbb\n"));
}

TEST(Report, TextNamesHiddenSectionsOfOneKindByTheFirst) {
  Report report;
  for (const char* title : {"Shape 1", "Shape 2", "Shape 3"}) {
    Section section{"shapes", title};
    section.repeated = section.detail = true;
    report.sections.push_back(section);
  }
  EXPECT_THAT(Text(report, {.details = false}), HasSubstr("More with -v: Shape 1 and 2 more like it."));
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

// Two of a kind: the second has a fact more, and its table a column more.
Report Repeated() {
  Report report;
  for (const char* shape : {"4096", "1024"}) {
    Section section{"shapes", "", {{"shape", "", shape}}};
    section.repeated = true;
    section.tables = {{"ladder", "", {{"stage", ""}, {"us", ""}}, {{"v1", Number{2.5, Unit::kTimeUs}}}}};
    report.sections.push_back(section);
  }
  report.sections[1].facts.push_back({"more", "", Number{7, Unit::kCount}});
  ReportTable& table = report.sections[1].tables[0];
  table.columns.push_back({"extra", ""});
  table.rows[0].push_back("x");
  return report;
}

TEST(Report, CsvGathersTheTablesOfRepeatedSectionsAndSaysOfWhichEachRowIs) {
  EXPECT_EQ(Csv(Repeated()),
            "# shapes\nshape,more\n4096,\n1024,7\n\n"
            "# shapes.ladder\nshape,stage,us,extra\n4096,v1,2.5,\n1024,v1,2.5,x\n");
}

TEST(Report, CsvWritesOneTableAloneAndNamesThemAllForAWrongName) {
  EXPECT_EQ(Csv(Sample(), "part.rows"), "name,count\n\"a|b, \"\"c\"\"\",12345\n");
  try {
    Csv(Sample(), "row");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "there is no table 'row' here: name one of part, part.rows.");
  }
}

TEST(Report, CsvTakesTheBeginningOfANameThatIsThatOfOneTable) {
  EXPECT_EQ(Csv(Sample(), "part.r"), Csv(Sample(), "part.rows"));
  EXPECT_NE(Csv(Sample(), "part"), Csv(Sample(), "part.rows")) << "a whole name is never ambiguous";
  EXPECT_EQ(Csv(Sample(), "rows"), Csv(Sample(), "part.rows")) << "as runs --table runs";
  EXPECT_EQ(Csv(Sample(), "pa"), Csv(Sample(), "part.rows")) << "the beginning of one heading: what stands below it";
  Report untitled = Sample();
  untitled.sections[0].title.clear();
  try {
    Csv(untitled, "pa");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "'pa' may be 2 tables here: name one of part, part.rows.");
  }
}

TEST(Report, CsvOfAnItemisedSectionWithoutItemsIsAnEmptyTable) {
  Report report;
  report.sections.push_back({.key = "findings", .title = "", .itemised = true});
  EXPECT_EQ(Csv(report, "findings"), "id,weight_us,text\n");
}

TEST(Report, TextWithoutDetailsSaysWhatThereIsMore) {
  Report report = Sample();
  report.context = {{"a", "Always", "shown"}, {"b", "Run", "hidden", true}};
  report.answer.notes = {"The answer."};
  report.sections[0].detail = true;
  EXPECT_EQ(Text(report, {.details = false}), "Title\n  The answer.\n  Always  shown\n\nMore with -v: Run, Part.\n");
  EXPECT_THAT(Text(report), HasSubstr("Part\n"));
  EXPECT_THAT(Text(report), HasSubstr("  Run     hidden\n"));
  EXPECT_THAT(Text(report), Not(HasSubstr("More with")));
}

TEST(Report, MarkdownHasTheDetailsFolded) {
  Report report = Sample();
  report.sections[0].detail = true;
  const std::string page = Rendered(RenderMarkdown, report);
  EXPECT_THAT(page, HasSubstr("<details>\n<summary>Part</summary>\n"));
  EXPECT_THAT(page, HasSubstr("12,345"));
}

// Eight columns of numbers and two of words: about 170 columns of a terminal.
Report Wide() {
  ReportTable table{"rows", "", {{"stage", "Stage"}, {"why", "What it says of itself"}}};
  std::vector<Cell> row = {"a_stage_with_a_long_name", "words that can go on in the next line if they have to"};
  for (int c = 0; c < 8; ++c) {
    table.columns.push_back({"n" + std::to_string(c), "Number " + std::to_string(c)});
    const Measured value = c == 3 ? Measured::Missing(Absence::kDenied) : Measured(1234567.0 + c);
    row.emplace_back(Number{value, Unit::kCount});
  }
  table.rows = {row, row};
  Report report;
  report.sections.push_back({"part", "Part", {}, {table}});
  return report;
}

TEST(Report, TextFitsTheTerminalAndLosesNothing) {
  for (const std::size_t width : {60u, 80u, 100u, 120u, 200u}) {
    const std::string text = Text(Wide(), {.width = width});
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), width) << line;
    for (const char* word :
         {"a_stage_with_a_long_name", "words", "have", "itself", "1,234,567", "1,234,574", "(denied)"})
      EXPECT_THAT(text, HasSubstr(word)) << width;
  }
}

TEST(Report, TextKeepsARowInALineWhereThereIsNoTerminal) {
  EXPECT_THAT(Text(Wide()), HasSubstr("words that can go on in the next line if they have to  "));
  EXPECT_EQ(Text(Wide()), Text(Wide(), {.width = 400}));
}

}  // namespace
}  // namespace culprit
