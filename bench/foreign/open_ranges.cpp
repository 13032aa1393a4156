// SPDX-License-Identifier: Apache-2.0
#include "bench/foreign/open_ranges.h"

#include <algorithm>
#include <tuple>

namespace culprit {
namespace {

// Longer names are cut: a range may be named after its arguments.
constexpr std::size_t kMostName = 200;

std::string Cut(const std::string& name) {
  if (name.size() <= kMostName) return name;
  std::size_t end = kMostName;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80) --end;  // not within a character
  return name.substr(0, end);
}

}  // namespace

void OpenRanges::Add(const Thread& thread, std::int64_t start_ns, std::int64_t end_ns, const std::string& name,
                     Kind kind) {
  const auto [at, is_new] = numbers_.try_emplace(Cut(name), static_cast<int>(names_.size()));
  if (is_new) names_.push_back(at->first);
  threads_[thread].ranges.push_back({start_ns, end_ns, at->second, kind});
}

std::size_t OpenRanges::AddCall(const Thread& thread, std::int64_t at_ns) {
  threads_[thread].calls.push_back({at_ns, calls_});
  return calls_++;
}

std::vector<int> OpenRanges::FindPaths(std::vector<std::string>& paths) const {
  std::vector<int> found(calls_, -1);
  std::map<std::pair<int, int>, int> children;  // by the path around, and the name
  const auto child_of = [&](int around, int name) {
    const auto [at, is_new] = children.try_emplace({around, name}, static_cast<int>(paths.size()));
    if (is_new)
      paths.push_back((around < 0 ? "" : paths[static_cast<std::size_t>(around)] + "/") +
                      names_[static_cast<std::size_t>(name)]);
    return at->second;
  };
  for (const auto& [thread, of] : threads_) {
    if (of.calls.empty()) continue;
    std::vector<Range> ranges = of.ranges;
    std::ranges::stable_sort(ranges, {}, [](const Range& r) { return std::tuple(r.start_ns, -r.end_ns); });
    std::vector<Call> calls = of.calls;
    std::ranges::stable_sort(calls, {}, &Call::at_ns);
    std::vector<Range> open;
    auto next = ranges.begin();
    for (const Call& call : calls) {
      for (; next != ranges.end() && next->start_ns <= call.at_ns; ++next) {
        const bool may_cross = next->kind == Kind::kStartEnd;
        std::erase_if(open, [&](const Range& r) {
          return r.end_ns < next->start_ns || (may_cross && r.kind == Kind::kStartEnd && r.end_ns < next->end_ns);
        });
        if (open.size() < kMostDepth) open.push_back(*next);
      }
      std::erase_if(open, [&](const Range& r) { return r.end_ns < call.at_ns; });
      for (const Range& range : open) found[call.number] = child_of(found[call.number], range.name);
    }
  }
  return found;
}

}  // namespace culprit
