// SPDX-License-Identifier: Apache-2.0
// Every shipped query and view against readable rows: NAME.in.sql is executed in an empty database, NAME.out.csv is
// what the query (or SELECT * FROM the view, rows sorted) must give. Lines of NAME.in.sql that begin with
//   -- with: FILE         read FILE of this folder first
//   -- :name = value      bind a parameter (integer if it looks like one, else text)
// mean something. CULPRIT_UPDATE_GOLDEN=1 rewrites the .out.csv files: review the diff by hand.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <charconv>
#include <cstdlib>
#include <set>
#include <sstream>

#include "db/database.h"
#include "db/sql_files.h"
#include "tests/queries/csv.h"
#include "tests/support/raw_sqlite.h"
#include "tests/support/scratch.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(CULPRIT_SOURCE_DIR) / "tests/queries";

struct Shipped {
  std::string name;
  std::string sql;
  bool is_ordered = true;  // a view promises no order
};

std::vector<Shipped> AllShipped() {
  std::vector<Shipped> all;
  for (const NamedQuery& query : NamedQueries()) all.push_back({std::string(query.name), std::string(query.sql)});
  for (const EmbeddedText& view : Views())
    all.push_back({std::string(view.name), fmt::format("SELECT * FROM {}", view.name), false});
  return all;
}

std::string WithSortedRows(const std::string& csv) {
  std::istringstream lines(csv);
  std::string header, sorted;
  std::getline(lines, header);
  std::multiset<std::string> rows;
  for (std::string line; std::getline(lines, line);) rows.insert(line);
  for (const std::string& row : rows) sorted += row + '\n';
  return header + '\n' + sorted;
}

struct Input {
  std::string rows;
  Parameters parameters;
};

Value ValueOf(const std::string& text) {
  std::int64_t integer = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), integer);
  if (error == std::errc() && end == text.data() + text.size()) return integer;
  return text;
}

Input ReadInput(const fs::path& file) {
  constexpr std::string_view kWith = "-- with: ", kParameter = "-- :";
  Input input;
  const std::string text = Bytes(file);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(kWith)) input.rows += Bytes(kFolder / line.substr(kWith.size()));
    if (const auto equals = line.find(" = "); line.starts_with(kParameter) && equals != line.npos)
      input.parameters.emplace_back(line.substr(3, equals - 3), ValueOf(line.substr(equals + 3)));
  }
  input.rows += text;
  return input;
}

class Golden : public testing::TestWithParam<Shipped> {};
INSTANTIATE_TEST_SUITE_P(Queries, Golden, testing::ValuesIn(AllShipped()),
                         [](const auto& shipped) { return shipped.param.name; });

TEST_P(Golden, GivesWhatTheRowsSay) {
  const fs::path in = kFolder / (GetParam().name + ".in.sql"), out = kFolder / (GetParam().name + ".out.csv");
  ASSERT_TRUE(fs::exists(in)) << "write " << in << ": a few readable INSERTs that show what the query is for";
  const Scratch scratch;
  { Database::OpenForRecording(scratch / "m.db"); }
  const Input input = ReadInput(in);
  {
    RawSqlite raw(scratch / "m.db");
    raw.Execute("PRAGMA foreign_keys = ON");
    raw.Execute(input.rows);
  }
  std::string csv = ToCsv(Database::OpenForReading(scratch / "m.db")
                              .Query(NamedQuery{GetParam().name, "", GetParam().sql}, input.parameters));
  if (!GetParam().is_ordered) csv = WithSortedRows(csv);
  if (std::getenv("CULPRIT_UPDATE_GOLDEN")) Write(out, csv);
  ASSERT_TRUE(fs::exists(out)) << "CULPRIT_UPDATE_GOLDEN=1 writes it; check the numbers by hand";
  EXPECT_EQ(csv, Bytes(out)) << "CULPRIT_UPDATE_GOLDEN=1 rewrites it; review the diff";
  EXPECT_GE(std::count(csv.begin(), csv.end(), '\n'), 2) << "a test without a row shows nothing";
}

TEST(Documentation, NamesEveryTableViewAndQuery) {
  const std::string page = Bytes(fs::path(CULPRIT_SOURCE_DIR) / "docs/schema.md");
  for (const Shipped& shipped : AllShipped())
    EXPECT_NE(page.find("| `" + shipped.name + "` |"), page.npos) << shipped.name;
  const Scratch scratch;
  const Database db = Database::OpenForRecording(scratch / "m.db");
  for (const auto& row : db.Query("SELECT name FROM sqlite_schema WHERE type = 'table'").rows)
    EXPECT_NE(page.find("| `" + std::get<std::string>(row[0]) + "` |"), page.npos) << std::get<std::string>(row[0]);
}

// The examples between ```sql and ```.
TEST(Documentation, HoldsOnlyExamplesThatRun) {
  const std::string page = Bytes(fs::path(CULPRIT_SOURCE_DIR) / "docs/schema.md");
  const auto begin = page.find("```sql\n") + 7;
  std::istringstream examples(page.substr(begin, page.find("```", begin) - begin));
  const Scratch scratch;
  const Database db = Database::OpenForRecording(scratch / "m.db");
  int count = 0;
  for (std::string example; std::getline(examples, example, ';') && example.find("SELECT") != example.npos; ++count)
    EXPECT_NO_THROW(db.Query(example)) << example;
  EXPECT_GE(count, 4);
}

TEST(GoldenFiles, AllBelongToAQueryOrView) {
  std::set<std::string> names;
  for (const Shipped& shipped : AllShipped())
    EXPECT_TRUE(names.insert(shipped.name).second) << shipped.name << " is both a query and a view";
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    const std::string file = entry.path().filename();
    const std::string name = file.substr(0, file.find('.'));
    if (!file.ends_with(".in.sql") && !file.ends_with(".out.csv")) continue;
    EXPECT_TRUE(names.contains(name)) << file;
  }
}

}  // namespace
}  // namespace culprit
