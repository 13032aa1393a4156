// SPDX-License-Identifier: Apache-2.0
#include "bench/job.h"

#include <fmt/format.h>

#include <algorithm>

#include "db/launch_facts.h"
#include "profiler/occupancy.h"
#include "profiler/static_table.h"

namespace culprit {

std::string Job::Name() const {
  return fmt::format("{}{}{}/{}", workload.group, workload.group.empty() ? "" : "/", workload.id, workload.shape);
}

StageRecord StageOf(const Workload& w) {
  return {w.id, w.family, w.parent, w.idea, w.constraint, w.source_file, w.source_line, w.factors, w.shared_accesses};
}

bool AreInPlaceTogether(const Workload& a, const Workload& b) {
  const auto inputs = [](const Workload& w) { return w.inputs.empty() ? w.group : w.inputs; };
  return a.shape == b.shape && inputs(a) == inputs(b);
}

std::vector<BuildRecord> BuildsOf(const Job& job) {
  // A kernel's symbol is its stage's id by convention; a user's workload may launch a kernel of another name.
  std::vector<BuildRecord> builds = StaticTable(job.workload.id);
  if (builds.empty() && !job.record.kernel.empty()) builds = StaticTable(job.record.kernel);
  const bool ours = !builds.empty();
  const bool probed = job.record.block_x > 0;
  const int threads = probed ? static_cast<int>(job.record.block_x * job.record.block_y * job.record.block_z)
                             : job.workload.block_threads;
  const int dynamic = probed ? static_cast<int>(job.record.dynamic_shared_bytes) : job.workload.dynamic_shared_bytes;
  for (BuildRecord& build : builds) {
    build.stage = job.workload.id;
    if (threads > 0) AddOccupancy(build, threads, dynamic);
    if (build.arch == job.record.arch)
      build.attributes.insert(build.attributes.end(), job.launched.begin(), job.launched.end());
  }
  // A library's kernel is chosen by shape, so it is no build of the stage; a user's own kernel without a table is.
  if (!ours && !job.launched.empty() && job.workload.family != "reference") {
    BuildRecord build{job.workload.id, job.record.arch, job.record.kernel, "", job.launched};
    AddOccupancy(build, threads, dynamic);
    builds.push_back(std::move(build));
  }
  return builds;
}

void StoreStage(const Job& job, RunWriter& writer) { writer.StoreStage(StageOf(job.workload), BuildsOf(job)); }

void StoreLaunch(Job& job, RunWriter& writer, std::span<const Sample> samples) {
  StoreStage(job, writer);
  job.stored = writer.StoreLaunch(job.record, samples);
}

const KernelLaunch& MainKernel(const std::vector<KernelLaunch>& launches, const std::string& stage) {
  if (const auto own = std::ranges::find(launches, stage, &KernelLaunch::kernel); own != launches.end()) return *own;
  return *std::ranges::max_element(launches, {}, [](const KernelLaunch& l) {
    return static_cast<double>(l.grid.x) * l.grid.y * l.grid.z * l.block.x * l.block.y * l.block.z;
  });
}

std::vector<Reading> LaunchReadings(const Job& job, std::optional<double> overhead_us) {
  std::vector<Reading> readings = LaunchFacts(job.launched, job.kernels);
  readings.push_back({{"launch_overhead_us", "launch", "", "us",
                       "time between the events around a launch that is not its kernel's: an empty kernel's, less its "
                       "counted cycles"},
                      overhead_us,
                      overhead_us ? ReadingStatus::kOk : ReadingStatus::kFailed});
  return readings;
}

void Probe(Job& job) {
  const std::vector<KernelLaunch> launches = ProbeLaunch(job.workload.launch);
  job.kernels = launches.size();
  if (launches.empty()) return;
  const KernelLaunch& main = MainKernel(launches, job.workload.id);
  LaunchRecord& r = job.record;
  r.kernel = main.kernel;
  r.arch = main.arch;
  r.grid_x = main.grid.x, r.grid_y = main.grid.y, r.grid_z = main.grid.z;
  r.block_x = main.block.x, r.block_y = main.block.y, r.block_z = main.block.z;
  r.dynamic_shared_bytes = main.dynamic_shared_bytes;
  job.launched = main.attributes;
}

}  // namespace culprit
