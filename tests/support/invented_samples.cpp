// SPDX-License-Identifier: Apache-2.0
#include "tests/support/invented_samples.h"

#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <tuple>

#include "profiler/code/instruction.h"
#include "tests/support/invented_why.h"
#include "tests/support/kernel_builder.h"

namespace culprit::testing {
namespace {

struct Seen {
  std::int64_t pc_offset;
  std::map<std::string, std::int64_t> samples;
};

const std::map<std::string, std::vector<Seen>>& AllSamples() {
  static const std::map<std::string, std::vector<Seen>> all = {
      {"transpose_unpadded",
       {{0x90, {{"short_scoreboard", 60}, {"selected", 20}}},
        {0xd0, {{"lg_throttle", 150}, {"selected", 20}}},
        {0x100, {{"lg_throttle", 170}, {"selected", 20}, {"wait", 25}}},
        {0x220, {{"long_scoreboard", 3100}, {"selected", 20}, {"not_selected", 15}}},
        {0x230, {{"long_scoreboard", 420}, {"selected", 20}, {"mio_throttle", 90}}},
        {0x240, {{"long_scoreboard", 110}, {"selected", 20}, {"mio_throttle", 95}}},
        {0x250, {{"long_scoreboard", 70}, {"selected", 20}}},
        {0x260, {{"barrier", 1300}, {"selected", 20}}},
        {0x270, {{"wait", 60}, {"selected", 20}}},
        {0x280, {{"mio_throttle", 900}, {"selected", 20}}},
        {0x290, {{"mio_throttle", 1400}, {"selected", 20}}},
        {0x2a0, {{"mio_throttle", 1500}, {"selected", 20}}},
        {0x2c0, {{"short_scoreboard", 5200}, {"selected", 20}}},
        {0x2d0, {{"short_scoreboard", 1700}, {"selected", 20}}},
        {0x2e0, {{"short_scoreboard", 900}, {"selected", 20}}},
        {0x2f0, {{"short_scoreboard", 300}, {"selected", 20}}},
        {0x300, {{"drain", 640}, {"selected", 20}, {"no_instruction", 35}}}}},
      {"transpose_padded",
       {{0x90, {{"short_scoreboard", 70}, {"selected", 20}}},
        {0xd0, {{"lg_throttle", 160}, {"selected", 20}}},
        {0x220, {{"long_scoreboard", 3300}, {"selected", 20}, {"not_selected", 15}}},
        {0x230, {{"long_scoreboard", 400}, {"selected", 20}}},
        {0x240, {{"long_scoreboard", 120}, {"selected", 20}}},
        {0x260, {{"barrier", 1100}, {"selected", 20}}},
        {0x280, {{"mio_throttle", 40}, {"selected", 20}}},
        {0x2c0, {{"short_scoreboard", 310}, {"selected", 20}}},
        {0x2d0, {{"short_scoreboard", 60}, {"selected", 20}}},
        {0x300, {{"drain", 900}, {"selected", 20}}}}},
      {"local_sums",
       {{0x10, {{"short_scoreboard", 40}, {"selected", 2}}},
        {0x60, {{"lg_throttle", 12}, {"selected", 2}}},
        {0x120, {{"short_scoreboard", 35}, {"selected", 25}}},
        {0x180, {{"short_scoreboard", 300}, {"wait", 240}, {"selected", 200}}},
        {0x190, {{"lg_throttle", 520}, {"selected", 200}}},
        {0x1a0, {{"wait", 800}, {"lg_throttle", 610}, {"selected", 200}}},
        {0x1b0, {{"not_selected", 40}, {"selected", 200}}},
        {0x1d0, {{"wait", 410}, {"selected", 200}}},
        {0x1e0, {{"long_scoreboard", 9400}, {"selected", 200}}},
        {0x1f0, {{"wait", 790}, {"selected", 200}}},
        {0x200, {{"long_scoreboard", 2600}, {"selected", 200}}},
        {0x210, {{"wait", 820}, {"selected", 200}}},
        {0x220, {{"branch_resolving", 90}, {"selected", 25}}},
        {0x2b0, {{"long_scoreboard", 260}, {"selected", 2}}},
        {0x3f0, {{"drain", 210}, {"selected", 2}}}}},
  };
  return all;
}

InstructionRecord Executed(std::int64_t pc_offset, int line, double warps) {
  InstructionRecord instruction;
  instruction.function = "local_sums";
  instruction.pc_offset = pc_offset;
  instruction.source_file = "tests/support/sampled.cu";
  instruction.source_line = line;
  instruction.counts["sass_inst"] = warps;
  return instruction;
}

LaunchId Store(Database& database, RunId run, const std::string& stage, const std::string& idea, double time_us) {
  KernelBuilder kernel(stage);
  kernel.Time(time_us);
  kernel.Metric("sass_inst", 1e6);
  kernel.record.readings.back().metric.source = "sass";
  kernel.record.stage.idea = idea;
  kernel.record.stage.source_file = "tests/support/sampled.cu";
  database.StoreStage(run, kernel.record.stage, {});
  const LaunchId launch = database.StoreLaunch(run, kernel.record.launch, kernel.record.samples);
  database.StoreReadings(launch, kernel.record.readings);
  return launch;
}

}  // namespace

MachineCode SampledCode(const std::string& function) {
  std::ifstream in(CULPRIT_SOURCE_DIR "/tests/support/sampled.sass");
  MachineCode code{function, "invented", {}};
  bool wanted = false;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string low, high, frame;
    words >> low >> high;
    if (low == "function") {
      wanted = high == function;
      continue;
    }
    if (!wanted) continue;
    MachineInstruction instruction;
    instruction.pc_offset = 16 * static_cast<std::int64_t>(code.instructions.size());
    instruction.low = std::stoull(low, nullptr, 16);
    instruction.high = std::stoull(high, nullptr, 16);
    while (words >> frame) {
      const auto colon = frame.rfind(':');
      instruction.frames.push_back({frame.substr(0, colon), std::stoi(frame.substr(colon + 1))});
    }
    Describe(instruction);
    code.instructions.push_back(std::move(instruction));
  }
  if (code.instructions.empty()) throw std::logic_error("tests/support/sampled.sass has no " + function);
  return code;
}

SamplingRecord InventedSamples(const std::string& function) {
  SamplingRecord sampling;
  sampling.period_cycles = 1024;
  sampling.launches = 4;
  sampling.code = {SampledCode(function)};
  for (const Seen& seen : AllSamples().at(function))
    for (const auto& [reason, samples] : seen.samples) {
      sampling.rows.push_back({function, seen.pc_offset, reason, samples, 0});
      sampling.samples += samples;
    }
  sampling.samples += sampling.samples / 100;  // of what the sampler did not name the instruction
  return sampling;
}

void WriteSampledDatabase(const std::filesystem::path& file) {
  Database database = Database::OpenForRecording(file);
  RunRecord record = KernelBuilder("local_sums").record.run.run;
  record.label = "sampled";
  const RunId run = database.BeginRun(record);
  for (const auto& [stage, idea, time_us] :
       {std::tuple("transpose_unpadded", "an invented stage: a tile is loaded by columns", 212.0),
        {"transpose_padded", "an invented stage: the same with padded rows", 75.0},
        {"local_sums", "an invented stage: sums indexed by a loop that is not unrolled", 340.0}}) {
    const LaunchId launch = Store(database, run, stage, idea, time_us);
    database.StoreSampling(launch, InventedSamples(stage));
    const InstructionRecord counted[] = {Executed(0x50, 28, 4096), Executed(0x190, 33, 4194304),
                                         Executed(0x2b0, 35, 4096)};
    if (std::string_view(stage) == "local_sums") database.StoreInstructions(launch, counted);
  }
  Store(database, run, "not_sampled", "an invented stage of which nothing was sampled", 100);
  database.FinishRun(run);
}

void WriteSampledWhyDatabase(const std::filesystem::path& file) {
  WriteWhyDatabase(file);
  Database database = Database::OpenForRecording(file);
  const RunId run = database.Runs().front().id;
  for (const KernelRecord& kernel : database.LoadKernels(run)) {
    if (kernel.stage.id != "v1_6" && kernel.stage.id != "v1_7") continue;
    SamplingRecord sampling = InventedSamples("local_sums");
    if (kernel.stage.id == "v1_7")
      for (PcSample& row : sampling.rows)
        if (row.reason == "long_scoreboard" || row.reason == "lg_throttle") {
          const std::int64_t fewer = row.samples - row.samples / 8;
          row.samples -= fewer;
          sampling.samples -= fewer;
        }
    database.StoreSampling(kernel.id, sampling);
  }
  database.FinishRun(run);
}

}  // namespace culprit::testing
