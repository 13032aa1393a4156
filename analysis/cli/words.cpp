// SPDX-License-Identifier: Apache-2.0
#include "analysis/cli/words.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <exception>
#include <set>

#include "analysis/cli/syntax.h"
#include "analysis/judge/causes/cause.h"
#include "analysis/launch/recording.h"

namespace culprit {
namespace {

// Of every run: --run may name any.
std::vector<std::string> Kernels(const std::filesystem::path& file) {
  const Database database = Database::OpenForReading(file);
  std::set<std::string> stages;
  for (const RunSummary& run : database.Runs())
    for (StageRecord& stage : database.Stages(run.id)) stages.insert(std::move(stage.id));
  return {stages.begin(), stages.end()};
}

// What a person would type: the label, and the beginning of the UUID.
std::vector<std::string> Runs(const std::filesystem::path& file) {
  std::vector<std::string> names;
  for (const RunSummary& run : Database::OpenForReading(file).Runs()) {
    if (!run.run.label.empty()) names.push_back(run.run.label);
    names.push_back(ShortUuid(run.run));
  }
  return names;
}

std::vector<std::string> Queries(const std::filesystem::path&) {
  return TextsOf(NamedQueries(), [](const NamedQuery& query) { return "@" + std::string(query.name); });
}

std::vector<std::string> CauseIds(const std::filesystem::path&) { return TextsOf(Causes(), &Cause::id); }

constexpr std::array kKinds = {WordKind{"kernels", Kernels}, WordKind{"runs", Runs}, WordKind{"queries", Queries},
                               WordKind{"causes", CauseIds}};

// A recording may come from anybody, and bash expands the words that it completes with.
bool IsPlain(const std::string& word) {
  static const RE2 kPlain("[A-Za-z0-9_.:,+=/@%-]+");
  return RE2::FullMatch(word, kPlain);
}

}  // namespace

std::span<const WordKind> WordKinds() { return kKinds; }

std::string WordsOf(std::string_view kind, const std::filesystem::path& file) try {
  std::string lines;
  const auto found = std::ranges::find(kKinds, kind, &WordKind::name);
  if (found == kKinds.end()) return lines;
  for (const std::string& word : found->of(file))
    if (IsPlain(word)) lines += word + "\n";
  return lines;
} catch (const std::exception&) {
  return "";
}

}  // namespace culprit
