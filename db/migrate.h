// SPDX-License-Identifier: Apache-2.0
// The schema's history and the views over its newest form. Private to db/.
#pragma once
#include "db/connection.h"

namespace culprit {

constexpr int kApplicationId = 0x43554C50;  // 'CULP', set by migration 1

int SchemaVersion();

// Brings a database up to `version`, each migration in its own transaction. Leaves foreign keys on.
void Migrate(Connection& connection, int version);

// (Re)creates every view whose text differs from ours.
void RefreshViews(Connection& connection);

// The same for a file that must not be written: stale and missing views are shadowed by temporary ones.
void ShadowStaleViews(Connection& connection);

}  // namespace culprit
