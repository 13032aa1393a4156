// SPDX-License-Identifier: Apache-2.0
// The rules on measurements taken on a real GPU: the first finding of each stage is what its source file says is wrong
// with it, or what the stage changed from it removes.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "analysis/judge/causes/findings.h"
#include "db/database.h"
#include "tests/support/invented_database.h"
#include "tests/support/recordings.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;

struct Expected {
  std::string_view stage, finding;
};

constexpr Expected kFirst[] = {
    {"sgemm_naive", "l2_traffic"},                   // two loads for every FFMA
    {"sgemm_naive_swapped", "global_uncoalesced"},   // neighbouring threads walk down a column
    {"sgemm_smem", "shared_traffic"},                // two shared operands for every FFMA
    {"sgemm_tile_2d_reg", "shared_bank_conflicts"},  // sgemm_zorder has none left
    {"sgemm_float4", "shared_bank_conflicts"},
    {"sgemm_zorder", "exposed_latency"},  // one tile at a time: nothing is loaded ahead
    {"v2", "shared_bank_conflicts"},
    {"v1_8", "shared_bank_conflicts"},
    {"v1_7", "shared_bank_conflicts"},
    {"v1_6", "local_memory_array"},
    {"v1_6_4", "shared_traffic"},  // the sums, too, pass shared memory
    {"v0", "shared_traffic"},
};

bool IsLargeOnHopper(const KernelRecord& k) {
  const auto& device = k.run.run.device;
  // At 1024 a tile of 128x128 leaves 64 blocks for 132 SMs, and imbalance_tail comes first.
  return device && device->chip == "GH100" && k.launch.state == LaunchState::kOk &&
         (k.launch.shape == "2048x2048x2048" || k.launch.shape == "4096x4096x4096");
}

TEST(RecordedFindings, BeginWithWhatIsKnownToBeWrong) {
  const testing::TemporaryFolder scratch;
  Database database = Database::OpenForRecording(scratch / "recorded.db");
  testing::ImportRecordings("", database);
  int judged = 0;
  for (const RunSummary& run : database.Runs()) {
    if (run.run.profile != "full") continue;
    for (const LaunchId launch : database.Launches(run.id, "")) {
      const KernelRecord kernel = database.LoadKernel(launch);
      if (!IsLargeOnHopper(kernel)) continue;
      const Findings findings = JudgeKernel(KernelView(kernel));
      // That the pipe is busy is good news, and nothing to begin with.
      if (kernel.stage.id == "cublas_sgemm") {
        EXPECT_EQ(findings.findings.back().id, "fma_pipe") << kernel.launch.shape;
        EXPECT_TRUE(findings.findings.back().good);
      }
      for (const auto& [stage, finding] : kFirst) {
        if (kernel.stage.id != stage) continue;
        ++judged;
        ASSERT_FALSE(findings.findings.empty()) << stage << " at " << kernel.launch.shape;
        EXPECT_EQ(findings.findings.front().id, finding) << stage << " at " << kernel.launch.shape;
      }
    }
  }
  EXPECT_GT(judged, 0) << "no run of an H100 or H200 with the full profile is recorded";
}

}  // namespace
}  // namespace culprit
