// SPDX-License-Identifier: Apache-2.0
#include "bench/program/sampled_readings.h"

#include <gtest/gtest.h>

#include "db/sampled_counters.h"

namespace culprit {
namespace {

Reading Sampled(std::string_view id, std::optional<double> value, double error = 0) {
  if (!value) return {SampledMetric(id), std::nullopt, ReadingStatus::kFailed};
  return {SampledMetric(id), value, ReadingStatus::kOk, error};
}

std::optional<double> ValueOf(std::span<const Reading> readings, std::string_view id) {
  const Reading* const found = FindReading(readings, id);
  return found == nullptr ? std::nullopt : found->value;
}

const Device kDevice = [] {
  Device device;
  device.sm_count = 10;
  return device;
}();

TEST(WhatFollows, FromCountersTimeAndClock) {
  std::vector<Reading> readings{Sampled("inst_executed", 1000, 5), Sampled("tensor_pipe_cycles", 30, 3),
                                Sampled("smsp_cycles_active", 60)};
  AddWhatFollows(readings, 1500.0, 20, kDevice);
  EXPECT_EQ(ValueOf(readings, "inst_issued"), 1000);
  EXPECT_GT(FindReading(readings, "inst_issued")->error, 5);
  EXPECT_EQ(ValueOf(readings, "tensor_pipe_pct"), 50);
  EXPECT_EQ(FindReading(readings, "tensor_pipe_pct")->error, 5);
  EXPECT_EQ(ValueOf(readings, "counted_time_ns"), 20'000);
  EXPECT_EQ(ValueOf(readings, "sm_cycles_elapsed_max"), 30'000);
  EXPECT_EQ(ValueOf(readings, "smsp_cycles_elapsed"), 30'000 * 4 * 10);
}

TEST(WhatFollows, IsNothingIfNoTimeIsKnownOrNothingWasRead) {
  std::vector<Reading> untimed{Sampled("inst_executed", 1000)};
  AddWhatFollows(untimed, 1500.0, 0, kDevice);
  EXPECT_EQ(untimed.size(), 2u) << "issued instructions alone";
  std::vector<Reading> unread{Sampled("inst_executed", std::nullopt), Sampled("smsp_cycles_active", std::nullopt),
                              Sampled("tensor_pipe_cycles", std::nullopt)};
  AddWhatFollows(unread, 1500.0, 20, kDevice);
  EXPECT_EQ(unread.size(), 3u);
}

TEST(WhatFollows, LeavesOutWhatNeedsAMissingCounter) {
  std::vector<Reading> readings{Sampled("inst_executed", std::nullopt), Sampled("tensor_pipe_cycles", 30),
                                Sampled("smsp_cycles_active", std::nullopt)};
  AddWhatFollows(readings, std::nullopt, 20, kDevice);
  EXPECT_EQ(ValueOf(readings, "inst_issued"), std::nullopt);
  EXPECT_EQ(ValueOf(readings, "tensor_pipe_pct"), std::nullopt);
  EXPECT_EQ(ValueOf(readings, "sm_cycles_elapsed_max"), std::nullopt) << "no clock";
  EXPECT_EQ(ValueOf(readings, "counted_time_ns"), 20'000);
}

}  // namespace
}  // namespace culprit
