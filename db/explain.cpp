// SPDX-License-Identifier: Apache-2.0
// Lists what exists when something was not found.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "db/candidates.h"
#include "db/edit_distance.h"
#include "db/run_stage.h"
#include "db/shape_text.h"

namespace culprit {
namespace {

std::string Join(const std::vector<Candidate>& runs) {
  std::vector<std::string> items;
  for (const Candidate& run : runs) items.push_back(Describe(run));
  return culprit::Join(std::move(items));
}

// Known names that could be a typing error, nearest first.
std::vector<std::string> Similar(std::string_view wanted, const std::vector<std::string>& known) {
  const std::size_t limit = std::max<std::size_t>(2, wanted.size() / 3);
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& key : known) {
    const std::size_t distance = EditDistance(wanted, key);
    if (distance <= limit || key.find(wanted) != key.npos) near.emplace_back(distance, key);
  }
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> keys;
  for (auto& [distance, key] : near) keys.push_back(std::move(key));
  return keys;
}

std::vector<std::string> LaunchedStages(Connection& connection, const std::vector<Candidate>& runs) {
  std::vector<std::string> keys;  // in the order of the newest run, followed by those of older runs
  std::set<std::string> seen;
  for (const Candidate& run : runs) {
    Lease row = connection.Prepared(
        "SELECT key FROM launch JOIN stage ON stage.id = stage_id WHERE run_id = ? GROUP BY key ORDER BY "
        "min(launch.id)");
    row.Bind(run.id);
    while (row.Step())
      if (seen.insert(row.Text(0)).second) keys.push_back(row.Text(0));
  }
  return keys;
}

std::vector<std::string> ShapesOf(Connection& connection, std::string_view stage, const std::vector<Candidate>& runs) {
  std::vector<SizedShape> sized;
  std::set<std::string> seen;
  for (const Candidate& run : runs) {
    Lease row = connection.Prepared(
        "SELECT shape, flop FROM launch JOIN stage ON stage.id = stage_id WHERE run_id = ?1 AND (?2 = '' OR key = ?2)");
    row.Bind(run.id, stage);
    while (row.Step())
      if (seen.insert(row.Text(0)).second) sized.push_back({row.Text(0), row.Real(1, RangeOf("launch", "flop"))});
  }
  std::sort(sized.begin(), sized.end(), IsLarger);
  std::vector<std::string> shapes;
  for (SizedShape& s : sized) shapes.push_back(std::move(s.shape));
  return shapes;
}

bool IsOffered(Connection& connection, std::string_view stage, const std::vector<Candidate>& runs) {
  return std::any_of(runs.begin(), runs.end(),
                     [&](const Candidate& run) { return FindStageOfRun(connection, run.id, stage).has_value(); });
}

}  // namespace

std::string Join(std::vector<std::string> items) {
  constexpr std::size_t kMaxListed = 8;  // a sentence, not a table
  const std::size_t more = items.size() > kMaxListed ? items.size() - kMaxListed : 0;
  items.resize(items.size() - more);
  return fmt::format("{}{}", fmt::join(items, ", "), more ? fmt::format(" and {} more", more) : "");
}

std::string Describe(const Candidate& run) {
  const std::string label = run.label.empty() ? "" : fmt::format(" '{}',", run.label);
  return fmt::format("{} ({},{} {})", run.id, run.uuid.substr(0, 8), label, run.started_utc);
}

std::string NoSuchRun(const Connection& connection, std::string_view run, const std::vector<Candidate>& all) {
  const std::string file = connection.file().string();
  if (all.empty())
    return fmt::format("{0} holds no runs yet: record one with 'culprit record --db {0} -- ./program'", file);
  return fmt::format("no run of {} has '{}' as its id, label or start of its UUID (4 characters or more): it has {}",
                     file, run, Join(all));
}

std::string NoSuchGpu(const Connection& connection, std::string_view gpu, const std::vector<Candidate>& among) {
  std::vector<std::string> names;
  for (const Candidate& run : among)
    if (!run.gpu.empty() && std::find(names.begin(), names.end(), run.gpu) == names.end()) names.push_back(run.gpu);
  return fmt::format(
      "no run of {} was recorded on a GPU called '{}': {}", connection.file().string(), gpu,
      names.empty() ? "its runs have none, record one on a machine with a GPU" : "choose among " + Join(names));
}

std::string AmbiguousRun(std::string_view run, const std::vector<Candidate>& matching) {
  return fmt::format("'{}' names {} runs: choose one of {} by id", run, matching.size(), Join(matching));
}

std::string NoSuchLaunch(Connection& connection, std::string_view stage, std::string_view shape,
                         const std::vector<Candidate>& among) {
  const std::string where = among.size() == 1 ? "run " + Describe(among.front()) : connection.file().string();
  const std::vector<std::string> launched = LaunchedStages(connection, among);
  if (launched.empty())
    return fmt::format("nothing was launched in {}: record a run on a machine with a GPU, or import one", where);
  if (!stage.empty() && std::find(launched.begin(), launched.end(), stage) == launched.end()) {
    if (IsOffered(connection, stage, among))
      return fmt::format("kernel '{}' was not launched in {}: choose among {}", stage, where, Join(launched));
    const std::vector<std::string> similar = Similar(stage, launched);
    return similar.empty()
               ? fmt::format("there is no kernel '{}' in {}: choose among {}", stage, where, Join(launched))
               : fmt::format("there is no kernel '{}' in {}: did you mean {}?", stage, where, Join(similar));
  }
  const std::string subject = stage.empty() ? "nothing" : fmt::format("kernel '{}'", stage);
  return fmt::format("{} was {}launched at shape {} in {}: choose among {}", subject, stage.empty() ? "" : "not ",
                     shape, where, Join(ShapesOf(connection, stage, among)));
}

}  // namespace culprit
