// SPDX-License-Identifier: Apache-2.0
// culprit_evidence through its entry, as script/update-docs calls it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "analysis/cli/culprit.h"
#include "tests/evidence/tool.h"
#include "tests/support/invented_database.h"

namespace culprit {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string Evidence(const std::vector<std::string>& args) {
  std::ostringstream out, err;
  EXPECT_EQ(Main(EvidenceTool(), args, out, err, false), 0) << err.str();
  return out.str();
}

TEST(Evidence, SaysThatNoClaimWasMeasured) {
  const testing::TemporaryFolder folder;
  testing::WriteBanksDatabase(folder / "other.db");
  testing::WriteInventedDatabase(folder / "m.db");
  const std::string other = folder / "other.db", invented = folder / "m.db";
  for (const char* command : {"claims", "reproduce"}) {
    const std::string brief = Evidence({command, "--db", other});
    EXPECT_THAT(brief, HasSubstr("Nothing that the seeds are about was measured in run")) << command;
    EXPECT_THAT(brief, Not(HasSubstr("not measured"))) << command;
    EXPECT_THAT(Evidence({command, "-v", "--db", other}), HasSubstr("not measured")) << command;
    EXPECT_THAT(Evidence({command, "--db", invented}), Not(HasSubstr("Nothing that the seeds"))) << command;
  }
}

TEST(Evidence, ShowsHowItsCommandsAreCalled) {
  for (const Command& command : EvidenceTool().commands) {
    const std::string help = Evidence({std::string(command.name), "--help"});
    EXPECT_THAT(help, HasSubstr("Usage: culprit_evidence " + std::string(command.name)));
    EXPECT_THAT(help, HasSubstr(std::string(command.example)));
  }
}

}  // namespace
}  // namespace culprit
