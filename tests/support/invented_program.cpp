// SPDX-License-Identifier: Apache-2.0
#include "tests/support/invented_program.h"

#include <fmt/core.h>

#include <map>
#include <span>
#include <utility>

#include "analysis/launch/name.h"
#include "db/fnv.h"
#include "tests/support/invented_study.h"

namespace culprit::testing {

KernelRecord ProgramKernel(const std::string& name, long calls, double us, unsigned grid_x, const KernelBuilder& like) {
  KernelRecord k = like.record;
  k.stage = {};
  k.stage.id = k.launch.stage = StageIdOf(name);
  k.stage.family = "program";
  k.stage.idea = ShortName(name);
  k.stage.constraint = "any size";
  k.launch.kernel = name;
  k.launch.grid_x = grid_x;
  k.launch.grid_y = k.launch.grid_z = 1;
  k.launch.shape = fmt::format("{}x1x1x{}x{}x{}", grid_x, k.launch.block_x, k.launch.block_y, k.launch.block_z);
  k.launch.flop = k.launch.min_bytes = 0;
  k.launch.verify_error_over_bound.reset();
  k.launch.verify_reference.clear();
  k.cubin_digest = fmt::format("{:x}", Fnv1a(name));
  k.samples.clear();
  ProgramLaunch program;
  program.name = name;
  program.calls = calls;
  program.time_us = 0;
  program.counted = 3;
  for (int i = 0; i < calls; ++i) {
    k.samples.push_back({i, us * (1 + 0.0001 * ((i * 7) % 16 - 8)), {}, false});
    *program.time_us += k.samples.back().time_us;
  }
  program.share_us = program.time_us;
  k.program = program;
  return k;
}

InventedProgram::InventedProgram(int number, std::string label, std::string command_line)
    : run(KernelBuilder("any").record.run.run) {
  run.uuid = fmt::format("{0}{0}{0}{0}{0}{0}{0}{0}-2222-4333-8444-555555555555", number);
  run.started_utc = fmt::format("2026-01-02T03:0{}:05Z", number);
  run.label = std::move(label);
  run.command_line = std::move(command_line);
  run.profile = "core";
  run.git_sha.clear();
  run.seed = 0;
  ProgramRecord& program = run.program.emplace();
  program.exit_status = 0;
  program.processes = program.gpus = 1;
  program.wall_us = 2e6;
}

InventedProgram& InventedProgram::Launch(KernelRecord kernel) {
  kernel.program->first = static_cast<std::int64_t>(kernels.size());
  kernels.push_back(std::move(kernel));
  return *this;
}

InventedProgram& InventedProgram::Copy(CopyKind kind, long calls, double us) {
  run.program->copies.push_back({kind, calls, 1e6 * us, us, us});
  return *this;
}

RunSummary InventedProgram::Summary() {
  ProgramRecord& program = *run.program;
  program.idle_us = program.span_us = idle_us;
  std::map<std::pair<std::string, std::string>, int> ordinals;
  for (KernelRecord& k : kernels) {
    *program.span_us += *k.program->share_us;
    k.launch.ordinal = ordinals[{k.stage.id, k.launch.shape}]++;
    k.run.run = run;
  }
  for (const ProgramCopy& copy : program.copies) *program.span_us += copy.share_us;
  RunSummary summary;
  summary.run = run;
  summary.state = "complete";
  return summary;
}

RunId InventedProgram::Write(Database& database) {
  const RunSummary summary = Summary();
  const RunId id = database.BeginRun(summary.run);
  database.StoreProgram(id, *summary.run.program);
  for (const KernelRecord& k : kernels) {
    const BuildRecord build{k.stage.id, k.launch.arch, k.launch.kernel, k.cubin_digest, k.attributes};
    database.StoreStage(id, k.stage, std::span(&build, 1));
    const LaunchId launch = database.StoreLaunch(id, k.launch, k.samples);
    database.StoreReadings(launch, k.readings);
    database.StoreProgramLaunch(launch, *k.program);
  }
  database.FinishRun(id);
  return id;
}

namespace {

const std::string kAdd = "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>(int)";

KernelRecord From(KernelRecord kernel, const std::string& file, int line, const std::string& function) {
  kernel.program->stack = {{file, line, function}, {"train.py", 31, "<module>"}};
  return kernel;
}

}  // namespace

InventedProgram ProgramBefore() {
  InventedProgram program(1, "before");
  program.Launch(ProgramKernel("gather_rows", 40, 120))
      .Launch(From(ProgramKernel("softmax_kernel", 40, 705, 16, InventedV17()), "/home/me/models/attention.py", 77,
                   "forward"))
      .Launch(ProgramKernel(kAdd, 40, 20, 64))
      .Launch(ProgramKernel(kAdd, 40, 35, 128))
      .Launch(ProgramKernel("permute_axes", 40, 50))
      .Copy(CopyKind::kToDevice, 40, 900);
  program.idle_us = 4000;
  return program;
}

InventedProgram ProgramAfter() {
  InventedProgram program(2, "after");
  KernelRecord softmax = ProgramKernel("softmax_kernel", 40, 1287, 16, InventedV16());
  softmax.cubin_digest = "16";
  softmax = From(std::move(softmax), "/home/me/models/attention.py", 80, "forward");
  program.Launch(ProgramKernel("gather_rows", 40, 120))
      .Launch(std::move(softmax))
      .Launch(ProgramKernel(kAdd, 80, 20, 64))
      .Launch(ProgramKernel(kAdd, 40, 35, 128))
      .Launch(From(ProgramKernel("transpose_tiles", 40, 90), "train.py", 24, "step"))
      .Copy(CopyKind::kToDevice, 40, 1200)
      .Copy(CopyKind::kSet, 2, 10);
  program.idle_us = 3500;
  return program;
}

void WriteProgramDatabase(const std::filesystem::path& file) {
  Database database = Database::OpenForRecording(file);
  ProgramBefore().Write(database);
  ProgramAfter().Write(database);
}

}  // namespace culprit::testing
