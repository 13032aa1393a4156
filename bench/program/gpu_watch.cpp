// SPDX-License-Identifier: Apache-2.0
#include "bench/program/gpu_watch.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "analysis/number/format.h"
#include "bench/program/recorded_program.h"

namespace culprit {
namespace {

struct Reason {
  const char *field, *what;
};
constexpr Reason kReasons[] = {
    {"clocks_event_reasons_counters.sw_power_cap", "the power limit"},
    {"clocks_event_reasons_counters.sw_thermal_slowdown", "its temperature"},
    {"clocks_event_reasons_counters.hw_thermal_slowdown", "its temperature, by the hardware"},
    {"clocks_event_reasons_counters.hw_power_brake_slowdown", "the power supply"},
};
static_assert(std::size(kReasons) == std::tuple_size_v<GpuWatch::Held>);

std::optional<GpuWatch::Held> HeldNow(std::string& why_not) {
  std::string fields;
  for (const Reason& reason : kReasons) fields += (fields.empty() ? "" : ",") + std::string(reason.field);
  const Answer answer = Ask({"nvidia-smi", "--query-gpu=" + fields, "--format=csv,noheader,nounits"});
  if (answer.status != 0 || answer.out.empty()) {
    why_not = answer.WhyNot();
    return std::nullopt;
  }
  GpuWatch::Held held{};
  for (const std::string& line : answer.out) {
    const char* at = line.c_str();
    for (double& reason : held) {
      char* end = nullptr;
      const double us = std::strtod(at, &end);
      if (end == at || !std::isfinite(us) || us < 0) {
        why_not = "it does not count them on this GPU";
        return std::nullopt;
      }
      reason += us;
      at = *end == ',' ? end + 1 : end;
    }
  }
  return held;
}

}  // namespace

GpuWatch::GpuWatch() {
  held_ = HeldNow(no_held_);
  LookForOthers();
  asking_ = Clock::now() - start_;
}

void GpuWatch::LookForOthers() {
  const Answer answer = culprit::Ask({"nvidia-smi", "--query-compute-apps=pid,process_name", "--format=csv,noheader"});
  if (answer.status != 0) no_others_ = answer.WhyNot();
  if (answer.status == 0)
    for (const std::string& line : answer.out)
      if (!line.empty() && line.front() >= '0' && line.front() <= '9') others_.insert(line);
}

void GpuWatch::Ask() {
  if (!no_others_.empty() && !held_) return;  // nothing answers: it need not be asked thirty times
  const Clock::time_point begin = Clock::now();
  LookForOthers();
  const auto now = held_ ? HeldNow(no_held_) : std::nullopt;
  const std::size_t side = ran_[0] && ran_[1] ? 2 : ran_[1] ? 1 : 0;
  for (std::size_t i = 0; now && i < now->size(); ++i) of_sides_.at(side)[i] += std::max(0.0, (*now)[i] - (*held_)[i]);
  if (held_) held_ = now;
  ran_ = {};
  asking_ += Clock::now() - begin;
}

void GpuWatch::Look(int side) {
  constexpr int kMost = 20;  // of the time a part
  ran_.at(static_cast<std::size_t>(side)) = true;
  if (kMost * asking_ <= Clock::now() - start_) Ask();
}

void GpuWatch::LookAgain() {
  if (ran_[0] || ran_[1]) Ask();
}

std::vector<std::string> GpuWatch::Findings() const {
  std::vector<std::string> findings;
  if (!others_.empty())
    findings.push_back(fmt::format(
        "Other processes used a GPU of this machine between the executions, and may also have used it during them: {}.",
        fmt::join(others_, "; ")));
  for (std::size_t i = 0; i < std::size(kReasons); ++i)
    if (const double base = of_sides_[0][i], candidate = of_sides_[1][i], both = of_sides_[2][i];
        base + candidate + both > 0)
      findings.push_back(
          both == 0
              ? fmt::format("Clocks were lowered by {} for {} of the base's executions and {} of the candidate's.",
                            kReasons[i].what, Format(base, Unit::kTimeUs), Format(candidate, Unit::kTimeUs))
              : fmt::format("Clocks were lowered by {} for {} of the executions.", kReasons[i].what,
                            Format(base + candidate + both, Unit::kTimeUs)));
  if (!no_others_.empty())
    findings.push_back(
        fmt::format("It is not known whether other processes used the GPU. nvidia-smi: {}.", no_others_));
  if (!no_held_.empty())
    findings.push_back(fmt::format("It is not known whether clocks were lowered. nvidia-smi: {}.", no_held_));
  return findings;
}

}  // namespace culprit
