// SPDX-License-Identifier: Apache-2.0
#include "db/candidates.h"

#include <algorithm>
#include <cctype>

#include "db/shape_text.h"

namespace culprit {
namespace {

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

// Shorter prefixes of UUIDs would often match ids.
constexpr std::size_t kMinPrefix = 4;

bool IsNamed(const Candidate& candidate, std::string_view run) {
  return run == std::to_string(candidate.id) || (!candidate.label.empty() && run == candidate.label) ||
         (run.size() >= kMinPrefix && Lower(candidate.uuid).starts_with(Lower(run)));
}

}  // namespace

std::vector<Candidate> AllRuns(Connection& connection, std::string_view stage, std::string_view shape) {
  std::vector<Candidate> runs;
  {
    Lease row = connection.Prepared(
        "SELECT run.id, uuid, label, started_utc, coalesce(device.name, ''), finished_utc IS NOT NULL "
        "FROM run LEFT JOIN device ON device.id = device_id ORDER BY finished_utc IS NULL, started_utc DESC, run.id "
        "DESC");
    while (row.Step())
      runs.push_back({row.Integer(0), row.Text(1), row.Text(2), row.Text(3), row.Text(4), row.Int(5) != 0, false});
  }
  // By run and stage row, the first columns of launch's unique index.
  Lease any = connection.Prepared(
      "SELECT EXISTS (SELECT 1 FROM launch WHERE run_id = ?1 AND (?2 = '' OR shape IN (?2, ?3, ?4)))");
  Lease of_stage = connection.Prepared(
      "SELECT EXISTS (SELECT 1 FROM launch WHERE run_id = ?1 AND stage_id IN (SELECT id FROM stage WHERE key = ?5) "
      "AND (?2 = '' OR shape IN (?2, ?3, ?4)))");
  std::vector<std::string> spellings = Spellings(shape);
  spellings.resize(3, spellings.front());
  for (Candidate& run : runs) {
    Lease& row = stage.empty() ? any : of_stage;
    row.Bind(run.id, spellings[0], spellings[1], spellings[2]);
    if (!stage.empty()) row.BindOne(5, stage);
    row.Step();
    run.has_launch = row.Int(0) != 0;
    row.Reset();
  }
  return runs;
}

std::vector<Candidate> Named(std::vector<Candidate> runs, std::string_view run) {
  if (!run.empty()) std::erase_if(runs, [&](const Candidate& c) { return !IsNamed(c, run); });
  return runs;
}

std::vector<Candidate> OnGpu(std::vector<Candidate> runs, std::string_view gpu) {
  if (!gpu.empty())
    std::erase_if(runs, [&](const Candidate& c) { return Lower(c.gpu).find(Lower(gpu)) == std::string::npos; });
  return runs;
}

}  // namespace culprit
