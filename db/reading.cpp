// SPDX-License-Identifier: Apache-2.0
// What collectors read of a launch, and what each repetition of a collection read.
#include <fmt/format.h>

#include <set>

#include "db/database_impl.h"
#include "db/failure.h"
#include "db/read.h"

namespace culprit {
namespace {

// An earlier collection may have stored the same metric under another CUPTI name or description.
void DropOtherSpellings(Connection& connection, LaunchId launch, std::int64_t metric_id,
                        const MetricDefinition& metric) {
  connection
      .Prepared(
          "DELETE FROM metric_value WHERE launch_id = ? AND metric_id IN "
          "(SELECT id FROM metric WHERE key = ? AND source = ? AND id <> ?)")
      .Bind(launch, metric.id, metric.source, metric_id)
      .Run();
}

// A reading that is replaced takes its repetitions with it: they would be of another collection.
void DropRepeats(Connection& connection, LaunchId launch, const MetricDefinition& metric) {
  connection
      .Prepared(
          "DELETE FROM metric_repeat WHERE launch_id = ? AND metric_id IN "
          "(SELECT id FROM metric WHERE key = ? AND source = ?)")
      .Bind(launch, metric.id, metric.source)
      .Run();
}

void CheckReading(const Reading& reading) {
  if ((reading.status == ReadingStatus::kOk) == reading.value.has_value()) return;
  throw Error(
      fmt::format("cannot store {}: a reading has a value exactly when its status is ok, this one is '{}' {} a value",
                  reading.metric.id, ToText(reading.status), reading.value ? "with" : "without"));
}

void CheckLaunchExists(Connection& connection, LaunchId launch) {
  Lease row = connection.Prepared("SELECT 1 FROM launch WHERE id = ?");
  if (!row.Bind(launch).Step()) throw Error(fmt::format("cannot store readings: there is no launch {}", launch));
}

struct StoredValue {
  std::int64_t metric = 0;
  std::optional<double> value;
  ReadingStatus status = ReadingStatus::kFailed;

  static std::string InsertOf(std::size_t rows) {
    std::string sql = "INSERT INTO metric_value (launch_id, metric_id, value, status) VALUES ";
    for (std::size_t i = 0; i < rows; ++i) sql += i ? ", (?1, ?, ?, ?)" : "(?1, ?, ?, ?)";
    return sql + " ON CONFLICT (launch_id, metric_id) DO UPDATE SET value = excluded.value, status = excluded.status";
  }
  void BindTo(Lease& insert, int& index) const {
    insert.BindOne(++index, metric);
    insert.BindOne(++index, value);
    insert.BindOne(++index, ToText(status).data());
  }
};

struct StoredRepeat {
  std::int64_t metric = 0;
  int repetition = 0;
  double value = 0;

  static std::string InsertOf(std::size_t rows) {
    std::string sql = "INSERT INTO metric_repeat (launch_id, metric_id, repetition, value) VALUES ";
    for (std::size_t i = 0; i < rows; ++i) sql += i ? ", (?1, ?, ?, ?)" : "(?1, ?, ?, ?)";
    return sql;
  }
  void BindTo(Lease& insert, int& index) const {
    insert.BindOne(++index, metric);
    insert.BindOne(++index, repetition);
    insert.BindOne(++index, value);
  }
};

// Starting a statement costs as much as storing a value: the more rows it has the better, up to about this many.
constexpr std::size_t kBatch = 16;

// Empties `batch`.
template <class Row>
void InsertRows(Connection& connection, LaunchId launch, std::vector<Row>& batch) {
  if (batch.empty()) return;
  static const std::string full = Row::InsertOf(kBatch);
  Lease insert = connection.Prepared(batch.size() == kBatch ? full : Row::InsertOf(batch.size()));
  int index = 0;
  insert.BindOne(++index, launch);
  for (const Row& row : batch) row.BindTo(insert, index);
  insert.Run();
  batch.clear();
}

}  // namespace

void Database::StoreReadings(LaunchId launch, std::span<const Reading> readings) try {
  Connection& connection = impl_->connection;
  Saying(connection.file(), "store readings", [&] {
    WriteTransaction transaction(connection);
    CheckLaunchExists(connection, launch);
    Lease any = connection.Prepared("SELECT EXISTS (SELECT 1 FROM metric_value WHERE launch_id = ?)");
    const bool adding = any.Bind(launch).Step() && any.Integer(0) != 0;
    std::vector<StoredValue> batch;
    for (const Reading& reading : readings) {
      CheckReading(reading);
      const std::optional<double> value = Measurement(reading.value, RangeOf("metric_value", "value"));
      const std::int64_t metric = impl_->metric_ids.IdOf(connection, reading.metric);
      if (adding) {
        DropOtherSpellings(connection, launch, metric, reading.metric);
        DropRepeats(connection, launch, reading.metric);
      }
      batch.push_back({metric, value, value || !reading.value ? reading.status : ReadingStatus::kFailed});
      if (batch.size() == kBatch) InsertRows(connection, launch, batch);
    }
    InsertRows(connection, launch, batch);
    transaction.Commit();
  });
} catch (...) {
  impl_->metric_ids.Forget();
  throw;
}

void Database::StoreRepeats(LaunchId launch, std::span<const std::vector<Reading>> repetitions) try {
  Connection& connection = impl_->connection;
  Saying(connection.file(), "store repeated readings", [&] {
    WriteTransaction transaction(connection);
    CheckLaunchExists(connection, launch);
    connection.Prepared("DELETE FROM metric_repeat WHERE launch_id = ?").Bind(launch).Run();
    std::vector<StoredRepeat> batch;
    for (std::size_t r = 0; r < repetitions.size() && repetitions.size() > 1; ++r)
      for (const Reading& reading : repetitions[r]) {
        CheckReading(reading);
        const std::optional<double> value = Measurement(reading.value, RangeOf("metric_repeat", "value"));
        if (!value) continue;
        batch.push_back({impl_->metric_ids.IdOf(connection, reading.metric), static_cast<int>(r), *value});
        if (batch.size() == kBatch) InsertRows(connection, launch, batch);
      }
    InsertRows(connection, launch, batch);
    transaction.Commit();
  });
} catch (...) {
  impl_->metric_ids.Forget();
  throw;
}

std::map<std::string, std::vector<double>> LoadRepeats(Connection& connection, LaunchId launch) {
  // In the order of the primary key: nothing to sort.
  Lease row = connection.Prepared(
      "SELECT metric_id, key, repetition, value FROM metric_repeat CROSS JOIN metric ON metric.id = metric_id WHERE "
      "launch_id = ? ORDER BY metric_id, repetition");
  row.Bind(launch);
  std::map<std::string, std::vector<double>> repeats;
  std::set<std::int64_t> repetitions;
  std::optional<std::int64_t> metric;
  std::vector<double>* values = nullptr;
  while (row.Step()) {
    if (row.Integer(0) != metric) values = &repeats[row.Text(1)];
    metric = row.Integer(0);
    repetitions.insert(row.Integer(2));
    values->push_back(row.Real(3, RangeOf("metric_repeat", "value")));
  }
  std::erase_if(repeats, [&](const auto& entry) { return entry.second.size() != repetitions.size(); });
  return repeats;
}

}  // namespace culprit
