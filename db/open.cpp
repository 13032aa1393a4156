// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sqlite3.h>

#include "db/checksum.h"
#include "db/database_impl.h"
#include "db/failure.h"
#include "db/file.h"
#include "db/migrate.h"
#include "db/read.h"
#include "db/still.h"

namespace culprit {
namespace fs = std::filesystem;

Database Database::OpenForRecording(const fs::path& file) {
  Connection connection = OpenForWriting(file);
  sqlite3_busy_timeout(connection.handle(), kBusyTimeoutMs);  // a waiting recorder measures nothing
  return Database(std::make_unique<Impl>(std::move(connection), true));
}

Database Database::OpenForReading(const fs::path& file) {
  Connection connection = OpenReadOnly(file);
  return Saying(file, "read", [&] {
    const auto version = connection.IntegerOf("PRAGMA user_version");
    if (version == 0) throw Error(NothingToRead(fmt::format("{} is empty", file.string()), file));
    connection.Execute("PRAGMA temp_store = MEMORY");
    if (version == SchemaVersion()) {
      ShadowStaleViews(connection);
      return Database(std::make_unique<Impl>(std::move(connection), false));
    }
    Connection copy = CopyToMemory(connection);
    Migrate(copy, SchemaVersion());
    RefreshViews(copy);
    return Database(std::make_unique<Impl>(std::move(copy), false));
  });
}

Database Database::InMemory() {
  Connection connection("memory", culprit::InMemory());
  connection.Execute("PRAGMA foreign_keys = ON");
  WriteTransaction transaction(connection);
  BringUpToDate(connection, transaction);
  transaction.Commit();
  return Database(std::make_unique<Impl>(std::move(connection), false));
}

void Database::CheckWhole() const {
  Connection& connection = impl_->connection;
  Saying(connection.file(), "check", [&] {
    Lease row = connection.Prepared("PRAGMA quick_check(1)");
    if (row.Step() && row.Text(0) != "ok") throw SQLite::Exception(row.Text(0), SQLITE_CORRUPT);
  });
}

void Database::Impl::RequireIntact(RunId run) {
  if (recording || intact.contains(run)) return;
  const ReadSnapshot snapshot(connection);
  if (!ReadingOf(connection, run, [&] { return IsIntact(connection, run); })) throw NotIntact(connection, run);
  intact.insert(run);
}

void Database::Impl::RequireRunsThemselvesIntact() {
  if (recording || runs_themselves_intact) return;
  const ReadSnapshot snapshot(connection);
  for (const RunId run : RunsInTravelOrder(connection)) try {
      if (!IsPartIntact(connection, run, Chooses::kItself)) throw NotIntact(connection, run);
    } catch (const BadRow&) {  // not part of any list to choose from
    }
  runs_themselves_intact = true;
}

void Database::Impl::RequireLaunchesIntact(RunId run) {
  if (recording || intact.contains(run)) return;
  const ReadSnapshot snapshot(connection);
  if (!ReadingOf(connection, run, [&] { return IsPartIntact(connection, run, Chooses::kLaunches); }))
    throw NotIntact(connection, run);
}

Database::Impl::~Impl() {
  if (recording) LeaveAtRest(connection);
}

}  // namespace culprit
