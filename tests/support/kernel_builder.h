// SPDX-License-Identifier: Apache-2.0
// Kernels for tests, built by hand. Every number is invented for its test; none was measured.
#pragma once
#include <string>
#include <vector>

#include "db/database.h"

namespace culprit::testing {

// A device with sizes like an H100's, so that ratios look familiar.
Device InventedDevice();

class KernelBuilder {
 public:
  // 2048^3, 256 blocks of 256 threads, on InventedDevice.
  explicit KernelBuilder(std::string stage);

  KernelBuilder& Time(double us, double clock_mhz = 1980);  // three equal samples
  KernelBuilder& Metric(const std::string& id, double value, const std::string& unit = "inst");
  KernelBuilder& Missing(const std::string& id, ReadingStatus status);  // keeps the reading without its value
  KernelBuilder& Remove(const std::string& id);                         // a metric or attribute, as if never requested
  // Sets the time in one warp state to `us` of `total_us`, as a share of `warps_active` warp-cycles.
  KernelBuilder& Stall(const std::string& reason, double us, double total_us, double warps_active);
  // Loads and stores of "shared" or "global" memory with `bytes` per thread.
  KernelBuilder& Accesses(const std::string& memory, int bytes, double count);
  KernelBuilder& Attribute(const std::string& name, double value, const std::string& source = "cubin");

  KernelRecord record;
};

// A kernel with every metric that a rule needs, but without a finding. It takes 100 us and has 1000 resident
// warp-cycles, so a stall of 10 warp-cycles is 1 us and 1 %.
KernelBuilder Quiet();

}  // namespace culprit::testing
