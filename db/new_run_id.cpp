// SPDX-License-Identifier: Apache-2.0
#include "db/new_run_id.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <random>

namespace culprit {

std::string NewUuid() {
  std::random_device random;
  std::array<unsigned, 4> w{random(), random(), random(), random()};
  w[1] = (w[1] & 0xffff0fffu) | 0x00004000u;  // version
  w[2] = (w[2] & 0x3fffffffu) | 0x80000000u;  // variant
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:04x}{:08x}", w[0], w[1] >> 16, w[1] & 0xffffu, w[2] >> 16,
                     w[2] & 0xffffu, w[3]);
}

std::string NowUtc() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

}  // namespace culprit
