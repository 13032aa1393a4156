// SPDX-License-Identifier: Apache-2.0
#include "db/database.h"

#include "db/database_impl.h"

namespace culprit {

Database::Database(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Database::Database(Database&&) noexcept = default;
Database& Database::operator=(Database&&) noexcept = default;
Database::~Database() = default;

}  // namespace culprit
