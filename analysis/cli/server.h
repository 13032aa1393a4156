// SPDX-License-Identifier: Apache-2.0
// Options of the commands that ask a PostgreSQL server with runs of many machines.
#pragma once
#include <cstddef>
#include <string>

#include "analysis/cli/command.h"
#include "db/fleet/fleet.h"

namespace culprit {

// The argument SERVER. Without it, $CULPRIT_SERVER.
void AddServer(Syntax& syntax, std::string& server);
// Throws culprit::Error that says how to name a server, unless `server` or $CULPRIT_SERVER does.
std::string ServerOf(const std::string& server);

// --run, --branch, --commit, --gpu, --workload, --since, --until.
void AddFleetFilter(Syntax& syntax, FleetFilter& filter);

// Of an archive, decompressed: more is no run.
inline constexpr std::size_t kMostArchiveBytes = std::size_t{4} << 30;

}  // namespace culprit
