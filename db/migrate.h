// SPDX-License-Identifier: Apache-2.0
// The schema's migrations and the views over its newest version. Private to db/.
#pragma once
#include "db/connection.h"

namespace culprit {

constexpr int kApplicationId = 0x43554C50;  // 'CULP', set by migration 1

int SchemaVersion();

// The message for an impossible `user_version`.
std::string NotASchemaOfOurs(const std::filesystem::path& file, std::int64_t version);

// Throws unless every table of schema `version` exists, as a table, with all its columns. A foreign file may lack the
// schema's constraints, so db/columns.h checks the rows.
void CheckTables(Connection& connection, int version);

// Brings a database up to `version`, in one transaction. Leaves foreign keys on.
void Migrate(Connection& connection, int version);

// Creates every view that is missing or whose text differs from ours, in one transaction.
void RefreshViews(Connection& connection);

// Migrate to the newest version and RefreshViews, inside the caller's transaction, so that a later failure rolls them
// back, too.
void BringUpToDate(Connection& connection, const WriteTransaction& transaction);

// For a file that must not be written: if any view is stale or missing, temporary views shadow all of them.
void ShadowStaleViews(Connection& connection);

}  // namespace culprit
