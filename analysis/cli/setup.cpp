// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "analysis/cli/server.h"

namespace culprit {

Action AddSetup(Syntax& syntax) {
  struct Arguments {
    std::string server;
    OutputOptions output;
  };
  auto args = std::make_shared<Arguments>();
  AddServer(syntax, args->server);
  AddOutputOptions(syntax, args->output);
  syntax.notes =
      "Makes the schema culprit and the roles culprit_add, culprit_read and\n"
      "culprit_maintain, or brings the tables of an older version up to date.\n"
      "Needs a role that may create roles and schemas. Give the roles to your users:\n"
      "  psql SERVER -c 'GRANT culprit_add, culprit_read TO ci'";
  return [args](Streams& streams) {
    Report report{"setup", "Tables for runs of many machines"};
    report.notes = {Fleet::SetUp(ServerOf(args->server))};
    Render(report, args->output, streams);
  };
}

}  // namespace culprit
