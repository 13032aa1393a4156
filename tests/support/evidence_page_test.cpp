// SPDX-License-Identifier: Apache-2.0
#include "tests/support/evidence_page.h"

#include <gtest/gtest.h>

namespace culprit::testing {
namespace {

std::string Table(int rows) {
  std::string table = "| kernel | causes |\n|---|---|\n";
  for (int row = 0; row < rows; ++row) table += "| scan | barrier 40 %, \"rest\" |\n";
  return table;
}

TEST(EvidencePage, KeepsAShortTable) {
  const std::string text = "# Title\n\n" + Table(30) + "\nThe end.\n";
  const auto files = EvidenceFiles("page", text);
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files.at("page.md"), text);
}

TEST(EvidencePage, MakesCsvOfLongTables) {
  const auto files = EvidenceFiles("page", "# Title\n\n" + Table(31) + "\nThe end.\n\n" + Table(40));
  ASSERT_EQ(files.size(), 3u);
  EXPECT_EQ(files.at("page.md"),
            "# Title\n\n[page.csv](page.csv) has the table of 31 rows.\n\nThe end.\n\n"
            "[page_2.csv](page_2.csv) has the table of 40 rows.\n");
  std::string csv = "kernel,causes\n";
  for (int row = 0; row < 31; ++row) csv += "scan,\"barrier 40 %, \"\"rest\"\"\"\n";
  EXPECT_EQ(files.at("page.csv"), csv);
}

}  // namespace
}  // namespace culprit::testing
