// SPDX-License-Identifier: Apache-2.0
#include "analysis/gate/lineage.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>

#include "db/error.h"

namespace culprit {
namespace {

const StageRecord* Find(std::span<const StageRecord> stages, const std::string& id) {
  const auto found = std::ranges::find(stages, id, &StageRecord::id);
  return found == stages.end() ? nullptr : &*found;
}

// The stage, its parent, the parent's parent ... A recording may name a parent that it does not have; and nothing keeps
// the stages of a user from naming one another.
std::vector<std::string> Ancestry(std::span<const StageRecord> stages, const std::string& id) {
  std::vector<std::string> line;
  for (const StageRecord* stage = Find(stages, id); stage != nullptr; stage = Find(stages, stage->parent)) {
    if (std::ranges::find(line, stage->id) != line.end()) break;
    line.push_back(stage->id);
  }
  return line;
}

std::string Describe(std::span<const StageRecord> stages, const std::vector<std::string>& line) {
  if (line.size() > 1)
    return fmt::format("{} was changed from {}", line.front(), fmt::join(std::span(line).subspan(1), ", that from "));
  const StageRecord* stage = Find(stages, line.front());
  return stage->parent.empty()
             ? fmt::format("{} has no parent", line.front())
             : fmt::format("{} was changed from {}, which this run does not have", line.front(), stage->parent);
}

std::vector<std::string> Path(std::span<const StageRecord> stages, const std::string& from, const std::string& to) {
  const std::vector<std::string> up = Ancestry(stages, from);
  std::vector<std::string> down = Ancestry(stages, to);
  const auto meets = std::ranges::find_first_of(up, down);
  if (meets == up.end())
    throw Error(
        fmt::format("no path of parents connects {} and {}: {}, and {}; name the steps between them, or two "
                    "kernels that have an ancestor in common.",
                    from, to, Describe(stages, up), Describe(stages, down)));
  std::vector<std::string> path(up.begin(), meets + 1);
  down.erase(std::ranges::find(down, *meets), down.end());
  path.insert(path.end(), down.rbegin(), down.rend());
  return path;
}

void AddBelow(std::span<const StageRecord> stages, const std::string& family, const std::string& parent, int depth,
              std::set<std::string>& seen, std::vector<Member>& members) {
  for (const StageRecord& stage : stages) {
    if (stage.parent != parent || stage.family != family || !seen.insert(stage.id).second) continue;
    members.push_back({stage.id, parent, depth});
    AddBelow(stages, family, stage.id, depth + 1, seen, members);
  }
}

// Of "4096x2048x64" the product.
double Size(const std::string& shape) {
  double size = 1;
  std::istringstream numbers(shape);
  for (std::string number; std::getline(numbers, number, 'x');) size *= std::strtod(number.c_str(), nullptr);
  return size;
}

}  // namespace

std::vector<std::span<const Member>> Trees(const Lineage& lineage) {
  const std::span<const Member> all(lineage.members);
  std::vector<std::span<const Member>> trees;
  for (std::size_t i = 0, root = 0; i < all.size(); ++i) {
    if (i + 1 < all.size() && !all[i + 1].base.empty()) continue;
    trees.push_back(all.subspan(root, i + 1 - root));
    root = i + 1;
  }
  return trees;
}

Lineage Chain(std::span<const StageRecord> stages, std::span<const std::string> names) {
  if (names.size() < 2) throw Error("a study needs two kernels or more, or --family; 'culprit list' lists them.");
  for (std::size_t i = 1; i < names.size(); ++i)
    if (names[i] == names[i - 1])
      throw Error(
          fmt::format("{} is no step away from itself: name another kernel ('culprit list' lists them).", names[i]));
  const std::vector<std::string> path =
      names.size() == 2 ? Path(stages, names[0], names[1]) : std::vector<std::string>(names.begin(), names.end());
  Lineage lineage;
  for (std::size_t i = 0; i < path.size(); ++i) lineage.members.push_back({path[i], i > 0 ? path[i - 1] : "", 0});
  return lineage;
}

Lineage FamilyTree(std::span<const StageRecord> stages, const std::string& family) {
  Lineage lineage;
  lineage.is_tree = true;
  std::set<std::string> seen;
  const auto add_root = [&](const std::string& root) {
    if (!seen.insert(root).second) return;
    lineage.members.push_back({root, "", 0});
    AddBelow(stages, family, root, 1, seen, lineage.members);
  };
  for (const StageRecord& stage : stages) {
    if (stage.family != family) continue;
    const StageRecord* parent = Find(stages, stage.parent);
    if (parent == nullptr)
      add_root(stage.id);
    else if (parent->family != family)
      add_root(parent->id);
  }
  if (std::ranges::all_of(lineage.members, &std::string::empty, &Member::base))
    throw Error(
        fmt::format("no kernel of family '{}' was changed from another: a study needs a step ('culprit list' "
                    "shows parents).",
                    family));
  return lineage;
}

ShapeChoice ChooseShape(std::span<const std::string> shapes, const std::map<std::string, int>& right, int stages,
                        const std::string& root) {
  const std::string* best = nullptr;
  const std::string* largest = nullptr;
  for (const std::string& shape : shapes) {
    const auto count = right.find(shape);
    if (count == right.end()) continue;
    if (largest == nullptr || Size(shape) > Size(*largest)) largest = &shape;
    const bool wins = best == nullptr || count->second > right.at(*best) ||
                      (count->second == right.at(*best) && Size(shape) > Size(*best));
    if (wins) best = &shape;
  }
  if (best == nullptr) return {};
  if (best == largest) return {*best, ""};
  return {*best, fmt::format("{} is left out of the steps from {}: {} of {} kernels ended well there and {} at {}; "
                             "--shape {} shows it.",
                             *largest, root, right.at(*largest), stages, right.at(*best), *best, *largest)};
}

}  // namespace culprit
