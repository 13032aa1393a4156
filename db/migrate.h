// SPDX-License-Identifier: Apache-2.0
// The schema's history and the views over its newest form. Private to db/.
#pragma once
#include "db/connection.h"

namespace culprit {

constexpr int kApplicationId = 0x43554C50;  // 'CULP', set by migration 1

int SchemaVersion();

// For a `user_version` that is not among 0..SchemaVersion() and not a newer one.
std::string NotASchemaOfOurs(const std::filesystem::path& file, std::int64_t version);

// Throws unless every table of schema `version` is there as a table, with all columns. Whether rows can be trusted is
// another matter (db/columns.h): constraints may have been taken off.
void CheckTables(Connection& connection, int version);

// Brings a database up to `version`, in one transaction. Leaves foreign keys on.
void Migrate(Connection& connection, int version);

// (Re)creates every view whose text differs from ours, in one transaction.
void RefreshViews(Connection& connection);

// Both, to the newest version, in the caller's transaction: what fails after it takes it back too.
void BringUpToDate(Connection& connection, const WriteTransaction& transaction);

// The same for a file that must not be written: if any view is stale or missing, temporary ones shadow all.
void ShadowStaleViews(Connection& connection);

}  // namespace culprit
