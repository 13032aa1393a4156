// SPDX-License-Identifier: Apache-2.0
// Sampling of instructions on kernels of which it is known where they wait. One session for all: it must be there
// before the kernels are loaded, and a process that counts between two sessions does not survive it
// (docs/evidence/cupti.md).
#include <cuda_runtime_api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <numeric>

#include "profiler/cuda_context.h"
#include "profiler/device_info.h"
#include "profiler/loaded_modules.h"
#include "profiler/sampling_plan.h"
#include "profiler/sampling_session.h"
#include "tests/gpu/device_array.h"
#include "tests/gpu/small_kernels.h"

namespace culprit {
namespace {

using ::testing::HasSubstr;

constexpr int kChaseRounds = 1500, kBusyRounds = 1500;

// 2^9 cycles. These kernels are short, and still give more than kEnoughSamples; at 2^5, the densest that CUPTI takes,
// the hardware drops up to seven in ten samples, on one H200 more than on another.
constexpr int kPeriod = 9;

class PcSampling : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    device_ = CurrentDevice();
    if (!device_) return;
    modules_ = std::make_unique<LoadedModules>(LoadedModules::Keep::kAll);  // before the first kernel
    try {
      session_ = StartSampling(CurrentContext(), kPeriod);
    } catch (const std::exception& e) {
      refused_ = NotSampled(e).text;
    }
    in_ = std::make_unique<DeviceArray>(std::vector<float>(std::max(kBusyWindow, kChaseWindow)));
    out_ = std::make_unique<DeviceArray>(std::vector<float>(1 << 20));
  }
  static void TearDownTestSuite() {
    in_.reset();
    out_.reset();
    session_.reset();
    modules_.reset();
  }
  void SetUp() override {
    ASSERT_TRUE(device_) << "this test needs a GPU";
    if (!refused_.empty()) {
      // Without permission there is nothing to hold against; any other refusal is ours.
      if (refused_.find("NVreg_RestrictProfilingToAdminUsers") != refused_.npos) GTEST_SKIP() << refused_;
      FAIL() << refused_;
    }
  }

  static void Chase() {
    LaunchChase(2 * device_->sm_count, kChaseRounds, reinterpret_cast<const int*>(in_->data()),
                reinterpret_cast<int*>(out_->data()), nullptr);
  }
  static void Busy() { LaunchBusy(2 * device_->sm_count, kBusyRounds, in_->data(), out_->data(), nullptr); }
  static void Synchronize() { CheckCuda(cudaDeviceSynchronize(), "run the kernel"); }

  static SampleSums Sample(const std::function<void()>& launch) {
    launch();  // loaded, and warm
    Synchronize();
    SampleSums sums;
    session_->Start();
    launch();
    Synchronize();
    session_->Stop();
    session_->Read(sums);
    return sums;
  }

  static std::optional<Device> device_;
  static std::string refused_;
  static std::unique_ptr<LoadedModules> modules_;
  static std::unique_ptr<SamplingSession> session_;
  static std::unique_ptr<DeviceArray> in_, out_;
};

std::optional<Device> PcSampling::device_;
std::string PcSampling::refused_;
std::unique_ptr<LoadedModules> PcSampling::modules_;
std::unique_ptr<SamplingSession> PcSampling::session_;
std::unique_ptr<DeviceArray> PcSampling::in_, PcSampling::out_;

std::int64_t SumOf(const SamplingRecord& record, const std::function<bool(const PcSample&)>& wanted) {
  return std::accumulate(record.rows.begin(), record.rows.end(), std::int64_t{0},
                         [&](std::int64_t sum, const PcSample& row) { return sum + (wanted(row) ? row.samples : 0); });
}
bool Any(const PcSample&) { return true; }

void Print(const char* what, const SampleSums& sums) {
  const SamplingRecord record = sums.Record();
  std::printf(
      "%s: total %lld, dropped %lld, other %lld; of instructions %lld, not issued %lld; recorded %lld, %zu rows\n",
      what, static_cast<long long>(sums.totals().total), static_cast<long long>(sums.totals().dropped),
      static_cast<long long>(sums.totals().other), static_cast<long long>(sums.samples()),
      static_cast<long long>(sums.not_issued()), static_cast<long long>(record.samples), record.rows.size());
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> reasons;
  for (const PcSample& row : record.rows)
    reasons[row.reason].first += row.samples, reasons[row.reason].second += row.not_issued;
  for (const auto& [reason, counts] : reasons)
    std::printf("  %-24s %9lld %9lld\n", reason.c_str(), static_cast<long long>(counts.first),
                static_cast<long long>(counts.second));
}

TEST_F(PcSampling, AKernelThatWaitsForLoadsIsFoundWaitingForThemAtOneInstruction) {
  const SampleSums sums = Sample(Chase);
  Print("chase", sums);
  const SamplingRecord record = sums.Record();
  EXPECT_GE(record.samples, kEnoughSamples);
  const std::int64_t all = SumOf(record, Any);
  ASSERT_GT(all, 0);
  EXPECT_LE(all, record.samples);
  EXPECT_GE(static_cast<double>(all), 0.99 * static_cast<double>(record.samples)) << "its instructions are known";
  EXPECT_EQ(record.dropped, 0);
  EXPECT_EQ(sums.totals().total, record.samples + record.dropped + sums.totals().other) << "what is missing is told";
  for (const PcSample& row : record.rows) {
    EXPECT_EQ(row.function, "culprit_test_chase");
    EXPECT_EQ(row.pc_offset % 16, 0);
    EXPECT_LE(row.not_issued, row.samples);
  }
  const auto waiting = [](const PcSample& row) { return row.reason == "long_scoreboard"; };
  EXPECT_GT(static_cast<double>(SumOf(record, waiting)), 0.8 * static_cast<double>(all));
  const auto most = std::ranges::max_element(record.rows, {}, &PcSample::samples);
  EXPECT_EQ(most->reason, "long_scoreboard");
  EXPECT_GT(static_cast<double>(most->samples), 0.6 * static_cast<double>(all)) << "at the use of what was loaded";
  EXPECT_GT(static_cast<double>(most->not_issued), 0.5 * static_cast<double>(most->samples));
}

TEST_F(PcSampling, TheCodeOfWhatWasSampledIsAtHandWithItsLines) {
  Chase();
  Synchronize();
  const auto code = modules_->Code("culprit_test_chase");
  ASSERT_TRUE(code);
  const SamplingRecord record = Sample(Chase).Record();
  for (const PcSample& row : record.rows) {
    ASSERT_LT(static_cast<std::size_t>(row.pc_offset / 16), code->instructions.size());
    const MachineInstruction& at = code->instructions[static_cast<std::size_t>(row.pc_offset / 16)];
    EXPECT_EQ(at.pc_offset, row.pc_offset);
    ASSERT_FALSE(at.frames.empty());
    EXPECT_THAT(at.frames.back().file, HasSubstr("small_kernels.cu"));
  }
}

TEST_F(PcSampling, TwoKernelsAreToldApart) {
  const SampleSums sums = Sample([] {
    Chase();
    Busy();
  });
  Print("chase and busy", sums);
  const SamplingRecord record = sums.Record();
  const auto of = [&](const std::string& function, const std::string& reason) {
    return static_cast<double>(SumOf(record, [&](const PcSample& row) {
      return row.function == function && (reason.empty() || row.reason == reason);
    }));
  };
  const double chase = of("culprit_test_chase", ""), busy = of("culprit_test_busy", "");
  EXPECT_GT(chase, 1000);
  EXPECT_GT(busy, 1000);
  EXPECT_EQ(chase + busy, static_cast<double>(SumOf(record, Any)));
  EXPECT_GT(of("culprit_test_chase", "long_scoreboard") / chase, of("culprit_test_busy", "long_scoreboard") / busy);
}

TEST_F(PcSampling, OneSessionSamplesOneRangeAfterTheOther) {
  const SampleSums first = Sample(Chase), nothing = Sample([] {}), second = Sample(Busy);
  Print("first range", first);
  Print("empty range", nothing);
  Print("third range", second);
  EXPECT_EQ(nothing.Record().samples, 0) << "where nothing ran there is nothing";
  EXPECT_FALSE(session_->WasFull());
  ASSERT_FALSE(first.Record().rows.empty());
  for (const PcSample& row : first.Record().rows) EXPECT_EQ(row.function, "culprit_test_chase");
  ASSERT_FALSE(second.Record().rows.empty());
  for (const PcSample& row : second.Record().rows) EXPECT_EQ(row.function, "culprit_test_busy");
  // What is told of a range is of that range.
  const auto share = [](const SampleSums& sums) {
    return static_cast<double>(sums.samples()) / static_cast<double>(sums.Record().samples);
  };
  EXPECT_GT(share(first), 0.99);
  EXPECT_GT(share(second), 0.99);
}

TEST_F(PcSampling, TakesAtMostTwiceTheKernelsOwnTime) {
  constexpr int kLaunches = 20;
  const auto seconds = [](const std::function<void()>& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  const auto run = [] {
    for (int i = 0; i < kLaunches; ++i) Busy();
    Synchronize();
  };
  run();
  const double own_s = seconds(run);
  SampleSums sums;
  session_->Start();
  const double sampled_s = seconds(run);
  const double stop_s = seconds([&] { session_->Stop(); }), read_s = seconds([&] { session_->Read(sums); });
  std::printf("own %.4f s, sampled %.4f s; stop %.3f s, read %.3f s\n", own_s, sampled_s, stop_s, read_s);
  EXPECT_LE(sampled_s, 2 * own_s + 0.01);
  EXPECT_GT(sums.samples(), 0);
}

}  // namespace
}  // namespace culprit
