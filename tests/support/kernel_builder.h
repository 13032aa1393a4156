// SPDX-License-Identifier: Apache-2.0
// Kernels for tests, built by hand. Every number is invented for its test; none was measured.
#pragma once
#include <string>
#include <vector>

#include "db/database.h"

namespace culprit::testing {

// Shaped like an H100, so that ratios look familiar.
Device InventedDevice();

class KernelBuilder {
 public:
  // 2048^3, 256 blocks of 256 threads, on InventedDevice.
  explicit KernelBuilder(std::string stage);

  KernelBuilder& Time(double us, double clock_mhz = 1980);  // three equal samples
  KernelBuilder& Metric(const std::string& id, double value, const std::string& unit = "inst");
  KernelBuilder& Missing(const std::string& id, ReadingStatus status);  // keeps the reading, takes its value
  KernelBuilder& Remove(const std::string& id);                         // as if never asked for, metric or attribute
  // Part of the time in one warp state, in microseconds of a kernel that takes `total_us`, as warp-cycles of
  // `warps_active`.
  KernelBuilder& Stall(const std::string& reason, double us, double total_us, double warps_active);
  // Loads and stores of "shared" or "global" memory that move so many bytes per thread.
  KernelBuilder& Accesses(const std::string& memory, int bytes, double count);
  KernelBuilder& Attribute(const std::string& name, double value, const std::string& source = "cubin");

  KernelRecord record;
};

// A kernel about which no rule has anything to say, with every metric that a rule needs. 100 us, 1000 resident
// warp-cycles, so a stall of 10 warp-cycles is 1 us and 1 %.
KernelBuilder Quiet();

}  // namespace culprit::testing
