// SPDX-License-Identifier: Apache-2.0
// Whether a run is still what was recorded: a sum over all its rows, made when it is complete. It is the same wherever
// the run travels and whatever ids it has there, so it goes with exports. It finds accidents, not malice: whoever edits
// rows can make the sum anew. Private to db/.
#pragma once
#include <string>

#include "db/connection.h"
#include "db/damaged_run.h"
#include "db/database.h"

namespace culprit {

struct RunSums {
  // 64 bits, hexadecimal: of what the run is, of which launches it has (TravelTable::chooses), and of everything.
  std::string itself, launches, content;
  bool operator==(const RunSums&) const = default;
};

// Over the columns that schema `version` has.
RunSums SumsOf(Connection& connection, RunId run, int version);

// Stores the sums of a run that is complete.
void Seal(Connection& connection, RunId run);
// Of every complete run that has none, as it is now. A run with a number that no reader takes stays without.
void SealComplete(Connection& connection);

// Also true for a run that has no sums. IsIntact also looks whether the indexes of the tables
// have what the tables have, for whoever reads a run finds its rows by them.
bool IsIntact(Connection& connection, RunId run);
bool IsItselfIntact(Connection& connection, RunId run);
bool AreLaunchesIntact(Connection& connection, RunId run);

// Every complete run of what was read from an export has its sums then; throws when one has others than its rows say.
void CheckImported(Connection& scratch, std::string_view source_name);

// "run 3 (3f2a91bc) of m.db is not what was recorded: ..."
DamagedRun NotIntact(Connection& connection, RunId run);

}  // namespace culprit
