// SPDX-License-Identifier: Apache-2.0
#include "tests/support/recording.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <numeric>
#include <tuple>

namespace culprit {
namespace {

// Larger sorts first.
std::tuple<double, double, bool> Size(const LaunchRecord& launch) {
  const std::vector<double> extents = Extents(launch.shape);
  const double volume = std::accumulate(extents.begin(), extents.end(), 1.0, std::multiplies<>());
  const bool square =
      !extents.empty() && std::all_of(extents.begin(), extents.end(), [&](double e) { return e == extents.front(); });
  return {launch.flop, volume, square};
}

}  // namespace

Recording::Recording(RunSummary run, std::vector<KernelRecord> kernels, LoadInstructions instructions)
    : run_(std::move(run)), load_instructions_(std::move(instructions)) {
  for (KernelRecord& record : kernels) {
    const Kernel& kernel = *kernels_.emplace_back(std::make_unique<Kernel>(std::move(record)));
    if (kernel.record.launch.state != LaunchState::kOk) continue;
    by_stage_and_shape_.insert_or_assign({kernel.record.stage.id, kernel.record.launch.shape}, &kernel);
  }
}

Recording Recording::Load(const Database& database, const RunSummary& run) {
  return {run, database.LoadKernels(database.Launches(run.id, "")),
          [&database](LaunchId launch) { return database.Instructions(launch); }};
}

Recording Recording::LoadBriefly(const Database& database, const RunSummary& run) {
  return {run, database.LoadKernels(run.id), [&database](LaunchId launch) { return database.Instructions(launch); }};
}

const KernelView* Recording::Find(std::string_view stage, std::string_view shape) const {
  const auto found = by_stage_and_shape_.find(std::pair(std::string(stage), std::string(shape)));
  return found == by_stage_and_shape_.end() ? nullptr : &found->second->view;
}

const std::vector<InstructionRecord>& Recording::Instructions(const KernelView& kernel) const {
  static const std::vector<InstructionRecord> none;
  const LaunchRecord& launch = kernel.record().launch;
  const auto found = by_stage_and_shape_.find(std::pair(launch.stage, launch.shape));
  if (found == by_stage_and_shape_.end() || !load_instructions_) return none;
  auto& instructions = found->second->instructions;
  if (!instructions)
    instructions = std::make_unique<std::vector<InstructionRecord>>(load_instructions_(found->second->record.id));
  return *instructions;
}

const StageRecord* Recording::StageOf(std::string_view stage) const {
  for (const auto& kernel : kernels_)
    if (kernel->record.stage.id == stage) return &kernel->record.stage;
  return nullptr;
}

std::vector<std::string> Recording::SharedShapes(std::span<const std::string> stages) const {
  if (stages.empty()) return {};
  std::vector<const LaunchRecord*> launches;
  for (const auto& [key, kernel] : by_stage_and_shape_) {
    const std::string& shape = key.second;
    if (key.first == stages.front() &&
        std::all_of(stages.begin(), stages.end(), [&](const std::string& s) { return Find(s, shape); }))
      launches.push_back(&kernel->record.launch);
  }
  std::sort(launches.begin(), launches.end(), [](const auto* a, const auto* b) { return Size(*a) > Size(*b); });
  std::vector<std::string> shapes;
  for (const LaunchRecord* launch : launches) shapes.push_back(launch->shape);
  return shapes;
}

std::string Recording::BestShape(std::span<const std::string> stages, std::string_view preferred) const {
  std::string best;
  std::tuple<std::ptrdiff_t, bool, std::tuple<double, double, bool>> most{0, false, {}};
  for (const auto& [key, kernel] : by_stage_and_shape_) {
    const std::string& shape = key.second;
    const auto ran = std::count_if(stages.begin(), stages.end(), [&](const std::string& s) { return Find(s, shape); });
    const std::tuple rank(ran, shape == preferred, Size(kernel->record.launch));
    if (rank <= most) continue;
    most = rank;
    best = shape;
  }
  return std::get<0>(most) > 0 ? best : "";
}

std::string SquareShape(int size) { return fmt::format("{0}x{0}x{0}", size); }

std::vector<double> Extents(std::string_view shape) {
  std::vector<double> extents;
  const char* at = shape.data();
  const char* const end = at + shape.size();
  while (at < end) {
    long extent = 0;
    const auto [next, error] = std::from_chars(at, end, extent);
    if (error != std::errc() || (next != end && *next != 'x')) return {};
    extents.push_back(static_cast<double>(extent));
    at = next == end ? end : next + 1;
  }
  return extents;
}

}  // namespace culprit
