// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/judge/blame/costs.h"
#include "tests/support/assembled.h"

namespace culprit {
namespace {

using testing::BranchTo;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using testing::Encoded;
using testing::Exit;
using ::testing::IsEmpty;
using ::testing::Pair;

Encoded TryWait() { return Encoded(0x5a7).Bits(72, 1, 1).Sets(0); }
Encoded Release() { return Encoded(0x9a7).Bits(84, 1, 1); }
Encoded BulkLoad() { return Encoded(0x9b4); }
Encoded Product() { return Encoded(0x9f0).To(24).A(8).C(24).Bits(53, 5, 31).Bits(75, 1, 1); }
Encoded AwaitProducts() { return Encoded(0x9c5).Bits(80, 1, 1); }
Encoded AwaitCluster() { return Encoded(0xdc7); }

KernelCosts Costs(const std::vector<Encoded>& code) { return CostsOf(100, testing::Sampled(code)); }
StateParts Parts(const std::vector<Encoded>& code) { return PartsOf(Costs(code)); }

auto Is(std::string_view part, double share) { return Pair(std::string(part), DoubleNear(share, 1e-9)); }

// Waits until a buffer is full, multiplies it and gives it back.
std::vector<Encoded> Consumer() {
  return {TryWait(),
          BranchTo(1, 0, 0).Waits(0).Samples("long_scoreboard", 30),
          Product().Samples("mio_throttle", 8).Samples("wait", 5),
          AwaitProducts().Samples("barrier", 40),
          Release(),
          BranchTo(5, 0, 1),
          Exit()};
}

// Waits until a buffer is empty, and copies into it.
std::vector<Encoded> Producer() {
  return {TryWait(),         BranchTo(1, 0, 0).Waits(0).Samples("long_scoreboard", 20),
          BulkLoad(),        Release(),
          BranchTo(4, 0, 1), Exit()};
}

TEST(StateParts, AWaitForACopyIsOneBeforeTheProductOfWhatIsCopied) {
  EXPECT_THAT(Parts(Consumer()).at("long_scoreboard"), ElementsAre(Is(states::kCopies, 1)));
}

TEST(StateParts, AWaitForABufferIsOneBeforeTheCopy) {
  EXPECT_THAT(Parts(Producer()).at("long_scoreboard"), ElementsAre(Is(states::kRelease, 1)));
}

TEST(StateParts, AWaitForProductsIsCountedAmongBarriersAndFullQueues) {
  std::vector<Encoded> code = Consumer();
  code[4].Samples("mio_throttle", 24).Samples("warpgroup_arrive", 3);
  const StateParts parts = Parts(code);
  EXPECT_THAT(parts.at("barrier"), ElementsAre(Is(states::kProducts, 1)));
  EXPECT_THAT(parts.at("mio_throttle"), ElementsAre(Is(states::kProducts, 0.25)))
      << "of an arrival the queue is another";
  EXPECT_THAT(parts.at("gmma"), ElementsAre(Is(states::kProducts, 1))) << "which samples call warpgroup_arrive";
  EXPECT_FALSE(parts.contains("wait"));
}

TEST(StateParts, AtABarrierBehindWhichNothingIsLeftToDoWarpsAreDone) {
  const std::vector<Encoded> code = {testing::Bar(), testing::Fadd(1, 2, 3).Samples("barrier", 10),
                                     AwaitCluster().Samples("barrier", 30), Exit()};
  EXPECT_THAT(Parts(code).at("barrier"), ElementsAre(Is(states::kDone, 0.75)));
}

TEST(StateParts, AtABarrierBehindWhichSomethingIsStoredTheyAreNot) {
  EXPECT_THAT(Parts({AwaitCluster().Samples("barrier", 30), testing::Stg(2, 0, 4), Exit()}), IsEmpty());
}

TEST(StateParts, OrdinaryCodeHasNone) {
  EXPECT_THAT(Parts({testing::Ldg(4, 2, 0).Sets(0), testing::Fadd(1, 4, 4).Waits(0).Samples("long_scoreboard", 10),
                     testing::Bar(), testing::Fadd(1, 2, 3).Samples("barrier", 10).Samples("mio_throttle", 5),
                     testing::Stg(2, 0, 4), Exit()}),
              IsEmpty());
}

// What the instructions of a mnemonic made warps wait for a reason.
double Blamed(const KernelCosts& costs, std::string_view mnemonic, const std::string& reason) {
  double us = 0;
  const FunctionCosts& f = costs.functions.at(0);
  for (std::size_t i = 0; i < f.decoded.size(); ++i)
    if (f.decoded[i].mnemonic == mnemonic)
      if (const auto found = f.costs[i].blamed_us.find(reason); found != f.costs[i].blamed_us.end())
        us += found->second;
  return us;
}

TEST(AsynchronousWork, IsBlamedForWhatWaitsForIt) {
  std::vector<Encoded> code = Consumer();
  code.insert(code.end() - 1, BulkLoad());
  const KernelCosts costs = Costs(code);
  const double all = 30 + 8 + 5 + 40;
  EXPECT_NEAR(Blamed(costs, "UTMALDG", "long_scoreboard"), 100 * 30 / all, 1e-9);
  EXPECT_NEAR(Blamed(costs, "HGMMA", "barrier"), 100 * 40 / all, 1e-9);
  EXPECT_NEAR(Blamed(costs, "HGMMA", "mio_throttle"), 100 * 8 / all, 1e-9);
  EXPECT_NEAR(Blamed(Costs(Producer()), "SYNCS", "long_scoreboard"), 100, 1e-9);
}

}  // namespace
}  // namespace culprit
