// SPDX-License-Identifier: Apache-2.0
#include "tests/support/invented_why.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tests/support/invented_study.h"

namespace culprit::testing {
namespace {

KernelBuilder Stage(KernelBuilder k, const std::string& id, const std::string& parent, double time_us) {
  k.record.stage.id = k.record.launch.stage = k.record.launch.kernel = id;
  k.record.stage.parent = parent;
  k.record.stage.factors = {
      {"loop nest", id == "v1_7" ? "k->m->n" : "m->n->k"}, {"smem padding", "none"}, {"accumulator storage", "local"}};
  k.record.samples.clear();
  // A thousandth up and down, as clocks do.
  for (int i = 0; i < 12; ++i) k.record.samples.push_back({i, time_us * (1 + 0.0005 * (i % 5 - 2)), 1980, false});
  return k;
}

InstructionRecord At(int line, const char* kind, double executed, std::map<std::string, double> more) {
  InstructionRecord i{"gemm", 16 * line, "kernels/invented.cu", line, {{"sass_inst", executed}, {kind, executed}},
                      "LDS"};
  i.counts.merge(more);
  return i;
}

void Store(Database& database, RunId run, KernelBuilder k, const std::vector<InstructionRecord>& instructions = {}) {
  for (const InstructionRecord& i : instructions)
    for (const auto& [id, count] : i.counts) {
      const auto is_it = [&name = id](const Reading& r) { return r.metric.id == name; };
      if (std::none_of(k.record.readings.begin(), k.record.readings.end(), is_it)) k.Metric(id, count);
    }
  const BuildRecord build{k.record.stage.id, "sm_90", k.record.stage.id, "code of " + k.record.stage.id,
                          k.record.attributes};
  database.StoreStage(run, k.record.stage, std::vector{build});
  const LaunchId launch = database.StoreLaunch(run, k.record.launch, k.record.samples);
  database.StoreReadings(launch, k.record.readings);
  if (!instructions.empty()) database.StoreInstructions(launch, instructions);
}

}  // namespace

void WriteWhyDatabase(const std::filesystem::path& file) {
  Database database = Database::OpenForRecording(file);
  const RunId run = database.BeginRun(InventedV17().record.run.run);
  Store(database, run, Stage(InventedV17(), "v1_7", "v1_8", 705),
        {At(105, "sass_shared_load_inst", 41943040,
            {{"sass_shared_inst", 41943040},
             {"sass_shared_wavefronts", 130023424},
             {"sass_shared_wavefronts_ideal", 62914560}})});
  Store(database, run, Stage(InventedV16(), "v1_6", "v1_7", 1287),
        {At(105, "sass_shared_load_inst", 16777216,
            {{"sass_shared_inst", 16777216},
             {"sass_shared_wavefronts", 80805696},
             {"sass_shared_wavefronts_ideal", 45805696}}),
         At(114, "sass_local_load_inst", 8421376, {{"sass_local_inst", 8421376}}),
         At(118, "sass_local_store_inst", 8388608, {{"sass_local_inst", 8388608}})});
  KernelBuilder cured = Stage(InventedV17(), "v1_6_4", "v1_6", 760);
  cured.record.stage.factors.at("loop nest") = "m->n->k";
  cured.record.stage.factors.at("accumulator storage") = "shared";
  Store(database, run, cured);
  KernelBuilder padded = Stage(InventedV16(), "v1_6_1", "v1_6", 1288);
  padded.record.stage.factors.at("smem padding") = "4 floats a row";
  Store(database, run, padded);
  database.StoreWarning(run, std::nullopt, {"clocks_free", "clocks were not locked while this run was recorded.", {}});
  database.FinishRun(run);
}

}  // namespace culprit::testing
