// SPDX-License-Identifier: Apache-2.0
#include "analysis/show/render/tabulate.h"

#include <gtest/gtest.h>

#include <optional>
#include <string_view>

#include "analysis/number/joined.h"

namespace culprit {
namespace {

struct Kernel {
  std::string id;
  int registers = 0;
  std::optional<double> error;

  std::string_view Family() const { return "sgemm"; }
};

const std::vector<ColumnOf<Kernel>>& Columns() {
  static const std::vector<ColumnOf<Kernel>> columns = {
      {"stage", "Stage", &Kernel::id},
      {"family", "", &Kernel::Family, true},
      {"registers", "Registers", Unit::kCount, &Kernel::registers},
      {"error", "Error", Unit::kRatio, [](const Kernel& k) { return k.error; }}};
  return columns;
}

TEST(Tabulate, ReadsEachColumnOffEachRow) {
  const std::vector<Kernel> kernels = {{"v1", 32, 0.5}, {"v2", 64, std::nullopt}};
  const ReportTable table = Tabulate<Kernel>("kernels", "Kernels", kernels, Columns());
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(std::get<std::string>(table.rows[1][0]), "v2");
  EXPECT_EQ(std::get<std::string>(table.rows[1][1]), "sgemm");
  EXPECT_EQ(*std::get<Number>(table.rows[1][2]).value, 64);
  EXPECT_EQ(*std::get<Number>(table.rows[0][3]).value, 0.5);
  EXPECT_EQ(std::get<Number>(table.rows[0][3]).unit, Unit::kRatio);
  EXPECT_TRUE(table.columns[1].for_programs);
  EXPECT_FALSE(table.columns[0].for_programs);
}

TEST(Tabulate, SaysThatANumberThatIsNotThereWasNotAskedFor) {
  const std::vector<Kernel> kernels = {{"v2", 64, std::nullopt}};
  const Number error = std::get<Number>(Tabulate<Kernel>("kernels", "", kernels, Columns()).rows[0][3]);
  EXPECT_FALSE(error.value);
  EXPECT_EQ(error.value.absence(), Absence::kNotAsked);
}

TEST(Tabulate, TakesRowsThatArePointedTo) {
  const Kernel first{"v1", 32, {}}, second{"v2", 64, {}};
  const std::vector<const Kernel*> picked = {&second, &first};
  const ReportTable table = Tabulate<Kernel>("kernels", "", picked, Columns());
  EXPECT_EQ(std::get<std::string>(table.rows[0][0]), "v2");
  EXPECT_EQ(std::get<std::string>(table.rows[1][0]), "v1");
}

TEST(Cell, IsANumberOfWhateverIsCountedOrMeasured) {
  const Cell count(7, Unit::kInteger), time{Measured(2.5), Unit::kTimeUs};
  EXPECT_EQ(*std::get<Number>(count).value, 7);
  EXPECT_EQ(std::get<Number>(count).unit, Unit::kInteger);
  EXPECT_EQ(*std::get<Number>(time).value, 2.5);
}

TEST(Cell, IsTextOfAnyKind) {
  for (const Cell& cell : {Cell("a"), Cell(std::string("a")), Cell(std::string_view("ab", 1))})
    EXPECT_EQ(std::get<std::string>(cell), "a");
}

TEST(Joined, PutsSeparatorsBetweenOnly) {
  EXPECT_EQ(Joined(std::vector<std::string>{}), "");
  EXPECT_EQ(Joined(std::vector<std::string>{"a"}), "a");
  EXPECT_EQ(Joined(std::vector<std::string>{"a", "b", "c"}, {}, "; "), "a; b; c");
  EXPECT_EQ(Joined(std::vector<Kernel>{{"v1", 0, {}}, {"v2", 0, {}}}, &Kernel::id), "v1, v2");
}

}  // namespace
}  // namespace culprit
