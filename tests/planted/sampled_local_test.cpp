// SPDX-License-Identifier: Apache-2.0
// What local memory holds in planted kernels, without the compiler's report: by counters alone, and by the addresses of
// sampled instructions.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/judge/why/explain.h"
#include "analysis/judge/why/sampled_pair.h"
#include "analysis/launch/kernel_view.h"
#include "tests/planted/accuracy.h"
#include "tests/planted/mixtures.h"
#include "tests/support/invented_database.h"
#include "tests/support/recordings.h"

namespace culprit::testing {
namespace {

namespace fs = std::filesystem;
const fs::path kSource = CULPRIT_SOURCE_DIR;

struct Kernel {
  std::optional<KernelRecord> counted;
  std::vector<InstructionRecord> instructions;
  std::optional<SamplingRecord> sampling;
  std::string sampled_digest;
};

// By stage and shape.
std::map<std::pair<std::string, std::string>, Kernel> Kernels(const Database& database) {
  std::map<std::pair<std::string, std::string>, Kernel> kernels;
  for (const auto& row : database.Query("SELECT id FROM launch WHERE state = 'ok'").rows) {
    const auto id = std::get<std::int64_t>(row[0]);
    KernelRecord record = database.LoadKernel(id);
    Kernel& kernel = kernels[{record.stage.id, record.launch.shape}];
    if (auto sampling = database.Sampling(id)) {
      kernel.sampling = std::move(sampling);
      kernel.sampled_digest = record.cubin_digest;
    } else {
      std::erase_if(record.attributes, [](const StaticAttribute& a) {
        return a.name == "spill_store_bytes" || a.name == "spill_load_bytes" || a.name == "stack_frame_bytes";
      });
      kernel.instructions = database.Instructions(id);
      kernel.counted = std::move(record);
    }
  }
  return kernels;
}

KernelCosts Costs(const Kernel& kernel) {
  return CostsOf(*KernelView(*kernel.counted).Get("time_us"), *kernel.sampling, kernel.instructions);
}

std::string First(const Explanation& explanation) {
  return explanation.causes.empty() ? "" : explanation.causes.front().cause;
}

TEST(PlantedLocalMemory, IsRecognisedByAddressesWithoutTheCompilersReport) {
  const TemporaryFolder scratch;
  Database database = Database::OpenForRecording(scratch / "planted.db");
  ImportRecordings("planted", database);
  ImportRecordings("planted/lines", database);
  const auto kernels = Kernels(database);
  std::vector<std::tuple<std::string, std::string, std::string>> planted;  // base, candidate, cause
  for (const PlantedAnswer& a : ReadAnswers(kSource / "tests/planted/answers.csv"))
    planted.emplace_back(a.base, a.candidate, a.cause);
  for (const MixtureAnswer& m : ReadMixtures(kSource / "tests/planted/mixtures.csv"))
    planted.emplace_back(m.base, m.a, m.cause_a);
  std::map<std::string, int> told;
  for (const auto& [base_id, candidate_id, cause] : planted) {
    if (!cause.starts_with("local_memory_")) continue;
    for (const auto& [key, base] : kernels) {
      const auto found = kernels.find({candidate_id, key.second});
      if (key.first != base_id || found == kernels.end()) continue;
      const Kernel& candidate = found->second;
      ASSERT_TRUE(base.counted && base.sampling && candidate.counted && candidate.sampling) << candidate_id;
      ASSERT_EQ(candidate.sampled_digest, candidate.counted->cubin_digest) << "the same machine code";
      const KernelView from(*base.counted), to(*candidate.counted);
      EXPECT_EQ(First(Explain(from, to)), "local_memory_unknown") << candidate_id;
      const SampledPair sampled = CompareSamples(Costs(base), Costs(candidate), true);
      EXPECT_EQ(First(ExplainWith(&sampled, nullptr, from, to)), cause) << candidate_id << " at " << key.second;
      ++told[cause];
    }
  }
  EXPECT_GE(told["local_memory_array"], 6);
  EXPECT_GE(told["local_memory_spill"], 8);
}

}  // namespace
}  // namespace culprit::testing
