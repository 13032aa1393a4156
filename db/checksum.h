// SPDX-License-Identifier: Apache-2.0
// A checksum over all rows of a run, made when the run is complete. It shows whether the run has changed since. It does
// not depend on row ids, so it stays valid in exports and imports. It detects accidents, not malice, because anyone who
// edits rows can also compute a new checksum. Private to db/.
#pragma once
#include <string>

#include "db/connection.h"
#include "db/damaged_run.h"
#include "db/database.h"
#include "db/travel.h"

namespace culprit {

struct RunSums {
  // 64 bits each, hexadecimal. `itself` is over the run's own row, `launches` over its launches
  // (TravelTable::chooses), `content` over everything.
  std::string itself, launches, content;
  bool operator==(const RunSums&) const = default;
};

// Sums only the columns of schema `version`.
RunSums SumsOf(Connection& connection, RunId run, int version);

// Stores the sums of a complete run.
void Seal(Connection& connection, RunId run);
// Seals every complete run that has no sums. Skips runs with a number outside its range.
void SealComplete(Connection& connection);

// True for a run without sums. IsIntact also compares the tables' indexes with the tables, because readers find rows
// through indexes.
bool IsIntact(Connection& connection, RunId run);
// `part`: the run's own row, or its launches.
bool IsPartIntact(Connection& connection, RunId run, Chooses part);

// Checks every complete run that came from an export. Throws when a run has no sums or its rows do not match them.
void CheckImported(Connection& scratch, std::string_view source_name);

// "run 3 (3f2a91bc) of m.db is not what was recorded: ..."
DamagedRun NotIntact(Connection& connection, RunId run);

}  // namespace culprit
