// SPDX-License-Identifier: Apache-2.0
// The version of a server's tables. Private to db/fleet/.
#pragma once
#include "db/fleet/server.h"

namespace culprit {

// Throws culprit::Error, which says who does what, unless the tables have the version of this program.
void RequireVersion(Server& server);
[[noreturn]] void RefuseVersion(int version);

}  // namespace culprit
