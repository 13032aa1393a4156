// SPDX-License-Identifier: Apache-2.0
// Stores readings of launches and of each repetition.
#include <fmt/format.h>

#include <set>

#include "db/database_impl.h"
#include "db/failure.h"
#include "db/read.h"

namespace culprit {
namespace {

// Deletes readings of the same metric under another CUPTI name or description, from an earlier collection.
void DropOtherSpellings(Connection& connection, LaunchId launch, std::int64_t metric_id,
                        const MetricDefinition& metric) {
  connection
      .Prepared(
          "DELETE FROM metric_value WHERE launch_id = ? AND metric_id IN "
          "(SELECT id FROM metric WHERE key = ? AND source = ? AND id <> ?)")
      .Bind(launch, metric.id, metric.source, metric_id)
      .Run();
}

// Deletes the repetitions of a replaced reading, which belong to an earlier collection.
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

// Starting a statement costs as much as storing a value, so more rows per statement are better, up to about this many.
constexpr std::size_t kBatch = 16;

// Rows of a table that refers to launches, stored in batches. The values of a row come behind the launch.
template <class... Values>
class Batch {
 public:
  // `end`: of the statement.
  Batch(Connection& connection, std::string_view table, LaunchId launch, std::string_view end = "")
      : connection_(connection), table_(table), end_(end), launch_(launch), full_(Sql(kBatch)) {}

  void Add(const Values&... values) {
    rows_.emplace_back(values...);
    if (rows_.size() == kBatch) Store();
  }
  void Store() {
    if (rows_.empty()) return;
    Lease insert = connection_.Prepared(rows_.size() == kBatch ? full_ : Sql(rows_.size()));
    int index = 0;
    insert.BindOne(++index, launch_);
    for (const auto& row : rows_) std::apply([&](const auto&... value) { (insert.BindOne(++index, value), ...); }, row);
    insert.Run();
    rows_.clear();
  }

 private:
  std::string Sql(std::size_t rows) const {
    std::vector<std::string_view> columns;
    for (const StoredColumn& column : ColumnsOf(table_)) columns.push_back(column.name());
    std::string row = "(?1";
    for (std::size_t value = 0; value < sizeof...(Values); ++value) row += ", ?";
    row += ')';
    const std::vector<std::string_view> marks(rows, row);
    return fmt::format("INSERT INTO {} ({}) VALUES {} {}", table_, fmt::join(columns, ", "), fmt::join(marks, ", "),
                       end_);
  }

  Connection& connection_;
  const std::string_view table_, end_;
  const LaunchId launch_;
  const std::string full_;
  std::vector<std::tuple<Values...>> rows_;
};

}  // namespace

void Database::StoreReadings(LaunchId launch, std::span<const Reading> readings) {
  impl_->WriteOf(launch, "store readings", [&](Connection& connection) {
    Lease any = connection.Prepared("SELECT EXISTS (SELECT 1 FROM metric_value WHERE launch_id = ?)");
    const bool adding = any.Bind(launch).Step() && any.Integer(0) != 0;
    Batch<std::int64_t, std::optional<double>, ReadingStatus, std::optional<double>> batch(
        connection, "metric_value", launch,
        "ON CONFLICT (launch_id, metric_id) DO UPDATE SET value = excluded.value, status = excluded.status, "
        "error = excluded.error");
    for (const Reading& reading : readings) {
      CheckReading(reading);
      const std::optional<double> value = Measurement(reading.value, RangeOf("metric_value", "value"));
      const std::int64_t metric = impl_->metric_ids.IdOf(connection, reading.metric);
      if (adding) {
        DropOtherSpellings(connection, launch, metric, reading.metric);
        DropRepeats(connection, launch, reading.metric);
      }
      batch.Add(metric, value, value || !reading.value ? reading.status : ReadingStatus::kFailed,
                value ? Measurement(reading.error, RangeOf("metric_value", "error")) : std::nullopt);
    }
    batch.Store();
  });
}

void Database::StoreRepeats(LaunchId launch, std::span<const std::vector<Reading>> repetitions) {
  impl_->WriteOf(launch, "store repeated readings", [&](Connection& connection) {
    connection.Prepared("DELETE FROM metric_repeat WHERE launch_id = ?").Bind(launch).Run();
    Batch<std::int64_t, int, double> batch(connection, "metric_repeat", launch);
    for (std::size_t r = 0; r < repetitions.size() && repetitions.size() > 1; ++r)
      for (const Reading& reading : repetitions[r]) {
        CheckReading(reading);
        const std::optional<double> value = Measurement(reading.value, RangeOf("metric_repeat", "value"));
        if (!value) continue;
        batch.Add(impl_->metric_ids.IdOf(connection, reading.metric), static_cast<int>(r), *value);
      }
    batch.Store();
  });
}

std::map<std::string, std::vector<double>> LoadRepeats(Connection& connection, LaunchId launch) {
  // Sorted by primary key, so that no sort is needed.
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
