// SPDX-License-Identifier: Apache-2.0
// Stores a run. Names are stored before the run's own transaction, each statement for itself and in one order, so that
// many machines that send at once wait for each other only as long as a name takes. Names of a run that then fails are
// harmless.
#include <fmt/format.h>

#include <array>
#include <map>

#include "db/fleet/fleet_impl.h"

namespace culprit {
namespace {

constexpr std::size_t kPartBytes = 4 << 20;  // a row of the archive: far below a row's limit of 1 GB
constexpr std::size_t kBufferBytes = 1 << 20;

std::string Letter(ReadingStatus status) { return std::string(1, NameOf(status)[0]); }

// Columns of text for unnest($1::text[], ...).
class Columns {
 public:
  explicit Columns(std::size_t n) : columns_(n) {}
  void Add(std::initializer_list<std::string> row) {
    std::size_t i = 0;
    for (const std::string& text : row) columns_[i++].push_back(AsUtf8(text));
  }
  std::vector<Parameter> Parameters() const {
    std::vector<Parameter> all;
    for (const auto& column : columns_) all.emplace_back(ArrayOf(column));
    return all;
  }
  bool empty() const { return columns_.front().empty(); }

 private:
  std::vector<std::vector<std::string>> columns_;
};

std::int64_t OnlyId(Server& server, std::string_view doing, const std::string& insert, const std::string& select,
                    std::span<const Parameter> parameters) {
  Rows found = server.Query(doing, select, parameters);
  if (found.size() == 0) {
    server.Query(doing, insert, parameters);
    found = server.Query(doing, select, parameters);
  }
  return found.Integer(0, 0);
}

std::int64_t GpuId(Server& server, const Device& gpu) {
  const std::array<Parameter, 4> values = {AsUtf8(gpu.name), AsUtf8(gpu.chip), std::to_string(gpu.sm_count),
                                           std::to_string(FleetMemory(gpu))};
  return OnlyId(
      server, "store the GPU's name",
      "INSERT INTO gpu (name, chip, sm_count, memory_bytes) VALUES ($1, $2, $3::integer, $4::bigint) ON CONFLICT "
      "DO NOTHING",
      "SELECT id FROM gpu WHERE (name, chip, sm_count, memory_bytes) = ($1, $2, $3::integer, $4::bigint)", values);
}

std::int64_t WorkloadId(Server& server, const FleetWorkload& workload) {
  const std::array<Parameter, 3> values = {workload.kind, AsUtf8(workload.name), AsUtf8(workload.command)};
  return OnlyId(server, "store the workload's name",
                "INSERT INTO workload (kind, name, command) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
                "SELECT id FROM workload WHERE key = md5($1::text || length($2::text)::text || ':' || $2::text || "
                "$3::text)::uuid",
                values);
}

// The ids of the kernels' classes, in their order.
std::vector<std::int64_t> ClassIds(Server& server, std::int64_t workload, std::span<const FleetKernel> kernels) {
  Columns columns(6);
  for (const FleetKernel& kernel : kernels)
    columns.Add({kernel.of.kernel, kernel.of.name, kernel.of.shape, kernel.of.block, kernel.of.nvtx,
                 std::to_string(kernel.of.ordinal)});
  if (columns.empty()) return {};
  std::vector<Parameter> parameters = columns.Parameters();
  parameters.emplace_back(std::to_string(workload));
  const std::string given =
      "unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::integer[]) WITH ORDINALITY AS k (kernel, "
      "name, shape, block, nvtx, ordinal, at)";
  const std::string same =
      "c.key = md5($7::text || ':' || length(k.kernel)::text || ':' || k.kernel || "
      "length(k.name)::text || ':' || k.name || length(k.shape)::text || ':' || k.shape || "
      "length(k.block)::text || ':' || k.block || length(k.nvtx)::text || ':' || k.nvtx || "
      "k.ordinal::text)::uuid";
  const std::string doing = "store the kernels' names";
  const auto find = [&] {
    const Rows rows = server.Query(
        doing, fmt::format("SELECT c.id FROM {} LEFT JOIN launch_class c ON {} ORDER BY at", given, same), parameters);
    std::vector<std::int64_t> ids;
    for (int i = 0; i < rows.size(); ++i) ids.push_back(rows.Integer(i, 0));
    return ids;
  };
  std::vector<std::int64_t> ids = find();
  if (std::ranges::find(ids, 0) == ids.end()) return ids;
  server.Query(
      doing,
      fmt::format("INSERT INTO launch_class (workload_id, kernel, name, shape, block, nvtx, ordinal) SELECT "
                  "$7::integer, kernel, name, shape, block, nvtx, ordinal FROM {} WHERE NOT EXISTS (SELECT FROM "
                  "launch_class c WHERE {}) ORDER BY kernel, name, shape, block, nvtx, ordinal ON CONFLICT DO "
                  "NOTHING",
                  given, same),
      parameters);
  return find();
}

// Id, source, unit. Views of the readings, which outlive them: a run has many readings of few metrics.
using MetricName = std::array<std::string_view, 3>;
MetricName NameOf(const MetricDefinition& metric) { return {metric.id, metric.source, metric.unit}; }

std::map<MetricName, std::int64_t> MetricIds(Server& server, std::span<const FleetKernel> kernels) {
  std::map<MetricName, std::int64_t> ids;
  for (const FleetKernel& kernel : kernels)
    for (const Reading& reading : kernel.readings) ids.try_emplace(NameOf(reading.metric), 0);
  if (ids.empty()) return ids;
  Columns columns(3);
  for (const auto& [name, id] : ids) columns.Add({std::string(name[0]), std::string(name[1]), std::string(name[2])});
  const std::vector<Parameter> parameters = columns.Parameters();
  const std::string given = "unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS n (name, source, unit, at)";
  const auto find = [&] {
    const Rows rows = server.Query(
        "store the metrics' names",
        fmt::format("SELECT id FROM {} LEFT JOIN metric USING (name, source, unit) ORDER BY at", given), parameters);
    int row = 0;
    bool all = true;
    for (auto& [name, id] : ids) {
      id = rows.Integer(row++, 0);
      all = all && id != 0;
    }
    return all;
  };
  if (find()) return ids;
  server.Query(
      "store the metrics' names",
      fmt::format("INSERT INTO metric (name, source, unit) SELECT name, source, unit FROM {} ORDER BY 1, 2, 3 ON "
                  "CONFLICT DO NOTHING",
                  given),
      parameters);
  find();
  return ids;
}

// The id of a list of metrics with their statuses, by its text.
class MetricSets {
 public:
  MetricSets(Server& server, const std::map<MetricName, std::int64_t>& metrics) : server_(server), metrics_(metrics) {}

  std::int64_t Of(std::span<const Reading> readings) {
    std::vector<std::int64_t> list;
    std::string statuses;
    for (const Reading& reading : readings) {
      list.push_back(metrics_.at(NameOf(reading.metric)));
      statuses += Letter(reading.status);
    }
    const auto [known, is_new] = ids_.try_emplace(statuses + ArrayOf(list));
    if (is_new) {
      const std::array<Parameter, 2> values = {ArrayOf(list), statuses};
      known->second = OnlyId(server_, "store a list of metrics",
                             "INSERT INTO metric_set (list, statuses, key) VALUES ($1::integer[], $2, md5($1::text || "
                             "$2::text)::uuid) ON CONFLICT DO NOTHING",
                             "SELECT id FROM metric_set WHERE key = md5($1::text || $2::text)::uuid", values);
    }
    return known->second;
  }

 private:
  Server& server_;
  const std::map<MetricName, std::int64_t>& metrics_;
  std::map<std::string, std::int64_t> ids_;
};

// Writes one row for each kernel, in pieces.
template <class Write>
void CopyKernels(Server& server, std::string_view doing, const std::string& into, std::span<const FleetKernel> kernels,
                 Write write) {
  server.CopyIn(doing, fmt::format("COPY {} FROM STDIN", into), [&](const Server::Put& put) {
    std::string buffer;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      CopyRow row(buffer);
      if (!write(row, kernels[i], i)) continue;
      row.End();
      if (buffer.size() < kBufferBytes) continue;
      put(buffer);
      buffer.clear();
    }
    put(buffer);
  });
}

std::optional<std::string> Maybe(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(AsUtf8(text));
}

}  // namespace

Sent Fleet::Send(const FleetRun& run) {
  Server& server = impl_->server;
  const std::int64_t gpu = GpuId(server, run.gpu), workload = WorkloadId(server, run.workload);
  const std::vector<std::int64_t> classes = ClassIds(server, workload, run.kernels);
  const std::map<MetricName, std::int64_t> metrics = MetricIds(server, run.kernels);
  MetricSets sets(server, metrics);
  std::int64_t values = 0;
  std::vector<std::int64_t> set_of;
  for (const FleetKernel& kernel : run.kernels) {
    values += static_cast<std::int64_t>(kernel.readings.size());
    set_of.push_back(kernel.readings.empty() ? 0 : sets.Of(kernel.readings));
  }

  Sent sent = Sent::kNow;
  server.InTransaction("store the run", [&] {
    // Waits for another transaction that stores the same run.
    const Rows stored = server.Query(
        "store the run",
        "INSERT INTO run (uuid, content, started, finished, label, git_sha, git_dirty, branch, profile, gpu_id, "
        "gpu_uuids, "
        "driver, cuda, workload_id, base_uuid, launches, metric_values, gpu_us, archive_bytes) VALUES ($1, $2, $3, $4, "
        "$5, "
        "$6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19) ON CONFLICT DO NOTHING RETURNING id",
        {run.uuid, run.content, run.started, run.finished, AsUtf8(run.label), AsUtf8(run.git_sha),
         run.git_dirty ? "t" : "f", AsUtf8(run.branch), run.profile, std::to_string(gpu), AsUtf8(run.gpu_uuids),
         AsUtf8(run.driver), AsUtf8(run.cuda), std::to_string(workload), Maybe(run.base_uuid),
         std::to_string(run.kernels.size()), std::to_string(values),
         run.gpu_us ? std::optional(fmt::format("{}", *run.gpu_us)) : std::nullopt,
         std::to_string(run.archive.size())});
    if (stored.size() == 0) {
      const Rows there = server.Query("store the run", "SELECT content FROM run WHERE uuid = $1", {run.uuid});
      sent = there.size() == 1 && there.Text(0, 0) == run.content ? Sent::kAlreadyThere : Sent::kOtherContent;
      return;
    }
    const std::int64_t id = stored.Integer(0, 0);
    server.CopyIn("store the run's archive", "COPY archive (run_id, part, bytes) FROM STDIN",
                  [&](const Server::Put& put) {
                    for (std::size_t at = 0, part = 0; at < run.archive.size(); at += kPartBytes, ++part) {
                      std::string buffer;
                      CopyRow row(buffer);
                      row.Integer(id)
                          .Integer(static_cast<std::int64_t>(part))
                          .Bytes(std::string_view(run.archive).substr(at, kPartBytes));
                      row.End();
                      put(buffer);
                    }
                  });
    CopyKernels(
        server, "store the kernels' times",
        "kernel_time (run_id, class_id, samples, median_us, low_us, high_us, clock_mhz, calls, total_us, same_code, "
        "verdict, change, change_low, change_high, cause, cause_share, source)",
        run.kernels, [&](CopyRow& row, const FleetKernel& k, std::size_t i) {
          const FleetVerdict& v = k.verdict;
          row.Integer(id).Integer(classes[i]).Integer(k.samples).Real(k.median_us).Real(k.low_us).Real(k.high_us);
          row.Real(k.clock_mhz).Integer(k.calls).Real(k.total_us).Bool(v.same_code).MaybeText(Maybe(v.verdict));
          row.Real(v.change).Real(v.change_low).Real(v.change_high).MaybeText(Maybe(v.cause)).Real(v.cause_share);
          row.MaybeText(Maybe(v.source));
          return true;
        });
    std::vector<std::optional<double>> list;
    CopyKernels(server, "store the kernels' counters", "metric_values (run_id, class_id, set_id, list)", run.kernels,
                [&](CopyRow& row, const FleetKernel& kernel, std::size_t i) {
                  if (kernel.readings.empty()) return false;
                  list.clear();
                  for (const Reading& reading : kernel.readings) list.push_back(reading.value);
                  row.Integer(id).Integer(classes[i]).Integer(set_of[i]).Text(ArrayOf(list));
                  return true;
                });
  });
  return sent;
}

}  // namespace culprit
