// SPDX-License-Identifier: Apache-2.0
#include "analysis/cli/words.h"

#include <algorithm>
#include <array>
#include <exception>
#include <set>

#include "analysis/causes/cause.h"
#include "analysis/kernel/recording.h"

namespace culprit {
namespace {

// Of every run: --run may name any.
std::vector<std::string> Stages(const std::filesystem::path& file) {
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
  std::vector<std::string> names;
  for (const NamedQuery& query : NamedQueries()) names.push_back("@" + std::string(query.name));
  return names;
}

std::vector<std::string> CauseIds(const std::filesystem::path&) {
  std::vector<std::string> ids;
  for (const Cause& cause : Causes()) ids.emplace_back(cause.id);
  return ids;
}

constexpr std::array kKinds = {WordKind{"stages", Stages}, WordKind{"runs", Runs}, WordKind{"queries", Queries},
                               WordKind{"causes", CauseIds}};

// A recording may come from anybody, and bash expands the words that it completes with.
bool IsPlain(const std::string& word) {
  constexpr std::string_view kMarks = "_-.:,+=/@%";
  return !word.empty() && std::ranges::all_of(word, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || kMarks.find(c) != kMarks.npos;
  });
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
