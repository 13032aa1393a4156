// SPDX-License-Identifier: Apache-2.0
#include "db/database.h"

#include "db/database_impl.h"

namespace culprit {

Database::Database(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Database::Database(Database&&) noexcept = default;
Database& Database::operator=(Database&&) noexcept = default;
Database::~Database() = default;

std::string_view ToText(ReadingStatus status) {
  switch (status) {
    case ReadingStatus::kOk:
      return "ok";
    case ReadingStatus::kUnsupported:
      return "unsupported";
    case ReadingStatus::kDenied:
      return "denied";
    case ReadingStatus::kFailed:
      return "failed";
  }
  return "failed";
}

std::string_view ToText(LaunchState state) {
  switch (state) {
    case LaunchState::kOk:
      return "ok";
    case LaunchState::kFailed:
      return "failed";
    case LaunchState::kRefused:
      return "refused";
  }
  return "failed";
}

}  // namespace culprit
