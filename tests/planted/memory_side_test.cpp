// SPDX-License-Identifier: Apache-2.0
// The same machine code, 30 % slower in one stall state and with all counts unchanged, as TLB misses, refreshes of DRAM,
// a far slice of L2, page faults or contention make it. What makes it slower lies outside of the code, so no cause that
// lies in the code may be named.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "analysis/judge/causes/cause.h"
#include "analysis/judge/difference/decompose.h"
#include "analysis/judge/why/attribute.h"
#include "tests/planted/pairs.h"
#include "tests/support/invented_database.h"
#include "tests/support/recordings.h"

namespace culprit::testing {
namespace {

constexpr double kSlower = 1.3;

// All of the additional time is waiting in `state`.
KernelRecord SlowedIn(const std::string& state, KernelRecord kernel) {
  for (Sample& sample : kernel.samples) sample.time_us *= kSlower;
  double warps = 0;
  for (const Reading& reading : kernel.readings)
    if (reading.metric.id == "warps_active") warps = reading.value.value_or(0);
  for (Reading& reading : kernel.readings) {
    const std::string& id = reading.metric.id;
    if (!reading.value) continue;
    const bool is_time = id == "smsp_cycles_active" || id == "smsp_cycles_elapsed" || id == "sm_cycles_elapsed_max" ||
                         id == "counted_time_ns" || id == "warps_active";
    if (is_time) *reading.value *= kSlower;
    if (id == "stall_" + state) *reading.value += (kSlower - 1) * warps;
  }
  return kernel;
}

const std::vector<KernelRecord>& Recorded() {
  static const std::vector<KernelRecord> kernels = [] {
    const TemporaryFolder scratch;
    Database database = Database::OpenForRecording(scratch / "planted.db");
    ImportRecordings("planted", database);
    std::vector<KernelRecord> all;
    for (KernelRecord& kernel :
         LoadKernels(database, database.Query("SELECT id FROM launch WHERE state = 'ok' ORDER BY id"))) {
      if (!kernel.cubin_digest.empty() && CountersOf(KernelView(kernel)).counters) all.push_back(std::move(kernel));
    }
    return all;
  }();
  return kernels;
}

void ExpectNoCauseInTheCode(const std::string& state) {
  // What runs or what it works on may differ with the same code. These say that the code itself does.
  const std::set<std::string, std::less<>> in_code = {"exposed_latency",        "exposed_shared",   "exposed_products",
                                                      "register_bank_dispatch", "memory_fence",     "barrier",
                                                      "occupancy_registers",    "occupancy_shared", "occupancy_block"};
  for (const std::string& id : in_code) ASSERT_NE(FindCause(id), nullptr) << id;
  std::size_t judged = 0, named = 0;
  for (std::size_t i = 0; i < Recorded().size(); i += 3) {
    const KernelRecord &kernel = Recorded()[i], slowed = SlowedIn(state, kernel);
    const KernelView from(kernel), to(slowed);
    const Decomposition d = Decompose(*CountersOf(from).counters, *CountersOf(to).counters);
    const Attribution attribution = Attributor(from, to).Attribute(d);
    ++judged;
    named += std::ranges::any_of(attribution.parts, [&](const auto& part) {
      return part.second >= 0.05 * d.DeltaUs() && in_code.contains(part.first);
    });
  }
  ASSERT_GT(judged, 50u);
  EXPECT_EQ(named, 0u) << "of " << judged << ", slower in " << state;
}

// In one test, because reading the recordings is most of its time.
TEST(MemorySide, WaitingOfTheSameCodeHasNoCauseInTheCode) {
  for (const char* state :
       {"long_scoreboard", "short_scoreboard", "lg_throttle", "mio_throttle", "dispatch_stall", "membar", "drain"})
    ExpectNoCauseInTheCode(state);
}

}  // namespace
}  // namespace culprit::testing
