// SPDX-License-Identifier: Apache-2.0
#include "profiler/inject/launch_places.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <utility>

namespace culprit {
namespace {

// A hash that tells launches apart. Those of different numbers in a range's name are alike, as in NormalRange().
class Key {
 public:
  Key(std::uint64_t number, const char* symbol, const LaunchGeometry& g, std::string_view path) {
    Add(number);
    Add(reinterpret_cast<std::uintptr_t>(symbol));
    Add(std::uint64_t{g.grid_x} << 32 | g.grid_y);
    Add(std::uint64_t{g.grid_z} << 32 | g.block_x);
    Add(std::uint64_t{g.block_y} << 32 | g.block_z);
    Add(static_cast<std::uint64_t>(g.dynamic_shared_bytes));
    bool was_digit = false;
    for (const char c : path) {
      const bool is_digit = c >= '0' && c <= '9';
      if (!is_digit || !was_digit) Add(static_cast<unsigned char>(is_digit ? '#' : c));
      was_digit = is_digit;
    }
  }
  std::uint64_t value() const { return value_; }

 private:
  // FNV-1a by words, with the high bits brought down, where they tell apart, too.
  void Add(std::uint64_t word) {
    value_ = (value_ ^ word) * 0x100000001b3;
    value_ ^= value_ >> 32;
  }
  std::uint64_t value_ = 0xcbf29ce484222325;
};

// Launches that this thread has tried. One that another pushed out is tried again. A program with as many launches that
// differ spends its time elsewhere.
constexpr std::size_t kTried = 1024;
thread_local std::array<std::uint64_t, kTried> tried{};

std::atomic<std::uint64_t> objects = 0;

}  // namespace

LaunchPlaces::LaunchPlaces(std::unique_ptr<PythonStack> stack) : stack_(std::move(stack)), number_(++objects) {}

bool LaunchPlaces::IsNoted(std::uint64_t launch) {
  const std::lock_guard lock(mutex_);
  return noted_.contains(launch);
}

std::vector<PythonFrame> LaunchPlaces::OfFirst(const char* symbol, const LaunchGeometry& geometry,
                                               std::string_view path) {
  if (!stack_ || symbol == nullptr) return {};
  const std::uint64_t launch = Key(number_, symbol, geometry, path).value();
  std::uint64_t& last = tried[launch % kTried];
  if (last == launch) return {};
  last = launch;
  if (IsNoted(launch)) return {};
  std::vector<PythonFrame> frames = stack_->Frames();
  const std::lock_guard lock(mutex_);
  if (!frames.empty() && !noted_.insert(launch).second) frames.clear();  // another thread was first
  return frames;
}

}  // namespace culprit
