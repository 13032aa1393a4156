// SPDX-License-Identifier: Apache-2.0
#include "profiler/trace/trace_sums.h"

#include <algorithm>

namespace culprit {
namespace {

constexpr std::int64_t kBlockNs = 10'000'000'000;
constexpr std::size_t kMostKept = 500'000;  // 24 bytes each, and twice as much while they are shared out
constexpr std::size_t kMostSamples = 16;    // of a key and block: 2,000 within half an hour

}  // namespace

void TraceSums::Taken(int device, std::int64_t end_ns) {
  std::int64_t& taken_ns = devices_[device].taken_ns;
  taken_ns = std::max(taken_ns, end_ns);
}

void TraceSums::Add(Key key, int device, std::int64_t start_ns, std::int64_t end_ns, std::int64_t bytes) {
  const auto [found, is_new] = sums_.try_emplace(key);
  auto& [all, number, stride] = found->second;
  if (is_new) number = sums_.size() - 1, all.first_ns = start_ns;
  const std::int64_t time_ns = end_ns - start_ns;
  if (all.calls++ % stride == 0) {
    if (all.samples_ns.size() == kMostSamples) {  // every second one goes
      stride *= 2;
      for (std::size_t i = 0; i < kMostSamples / 2; ++i) all.samples_ns[i] = all.samples_ns[2 * i];
      all.samples_ns.resize(kMostSamples / 2);
    }
    all.samples_ns.push_back(time_ns);
  }
  all.bytes += bytes;
  all.time_ns += time_ns;
  all.slowest_ns = std::max(all.slowest_ns, time_ns);
  all.first_ns = std::min(all.first_ns, start_ns);
  all.last_ns = std::max(all.last_ns, end_ns);
  first_ns_ = kept_ == 0 ? start_ns : std::min(first_ns_, start_ns);
  last_ns_ = kept_ == 0 ? end_ns : std::max(last_ns_, end_ns);
  ++kept_;
  Device& of = devices_[device];
  if (end_ns > of.taken_ns) of.intervals.push_back({std::max(start_ns, of.taken_ns), end_ns, number});
}

bool TraceSums::IsFull() const { return kept_ >= kMostKept || (kept_ > 0 && last_ns_ - first_ns_ >= kBlockNs); }

std::map<TraceSums::Key, Summed> TraceSums::Close() {
  std::vector<double> shares_us(sums_.size(), 0);
  for (auto& [ordinal, device] : devices_) {
    const TimelineShares shares = SharesOf(device.intervals, sums_.size());
    for (std::size_t i = 0; i < shares_us.size(); ++i) shares_us[i] += shares.share_us[i];
    for (const BusyInterval& interval : device.intervals) device.taken_ns = std::max(device.taken_ns, interval.end_ns);
    device.intervals.clear();
  }
  std::map<Key, Summed> closed;
  constexpr double kNsPerUs = 1000;
  for (auto& [key, sum] : sums_) {
    sum.all.share_us = std::min(shares_us[sum.number], static_cast<double>(sum.all.time_ns) / kNsPerUs);
    closed.emplace(key, std::move(sum.all));
  }
  sums_.clear();
  kept_ = 0;
  return closed;
}

}  // namespace culprit
