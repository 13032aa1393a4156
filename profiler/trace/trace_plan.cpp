// SPDX-License-Identifier: Apache-2.0
// Writes and reads plans.
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "db/regular_file.h"
#include "profiler/trace/trace_line.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPlanMagic = "culprit-plan\t1";

// An execution of another plan than was written would measure something else, so a damaged line is no plan.
void TakePlanLine(std::string_view text, TracePlan& plan) try {
  LineFields line(text);
  const auto what = line.Next<std::string>();
  if (what == "mode") {
    line.Take(plan.mode);
  } else if (what == "profile") {
    line.Take(plan.profile);
  } else if (what == "period") {
    line.Take(plan.sampling_period);
  } else if (what == "capture") {
    line.Take(plan.capture, plan.began_ns);
  } else if (what == "ranks") {
    while (!line.Empty()) plan.ranks.push_back(line.Next<int>());
  } else if (what == "counters") {
    plan.samples_counters = true;
  } else if (what == "ends") {
    plan.ends_when_counted = true;
  } else if (what == "verified") {
    plan.is_verified = true;
  } else if (what == "job") {
    plan.jobs.push_back(line.Next<std::string>());
  } else if (what == "kernel") {
    PlannedKernel kernel;
    line.Take(kernel.symbol, kernel.geometry, kernel.limit_s);
    while (!line.Empty()) kernel.nth.push_back(line.Next<std::int64_t>());
    plan.kernels.push_back(std::move(kernel));
  } else {
    throw BadField();
  }
} catch (const BadField&) {
  throw Error(fmt::format("the plan of a recording has a damaged line ('{}'): record again.", text));
}

}  // namespace

std::string PlanText(const TracePlan& plan) {
  std::string text = std::string(kPlanMagic) + '\n';
  const auto put = [&](const NewLine& line) { text += line.text() + '\n'; };
  put(NewLine("mode", plan.mode));
  put(NewLine("profile", plan.profile));
  if (plan.mode == TraceMode::kSample) put(NewLine("period", plan.sampling_period));
  if (plan.capture.kind != CaptureKind::kAll) put(NewLine("capture", plan.capture, plan.began_ns));
  if (!plan.ranks.empty()) {
    NewLine line("ranks");
    for (const int rank : plan.ranks) line.Add(rank);
    put(line);
  }
  if (plan.samples_counters) put(NewLine("counters"));
  if (plan.ends_when_counted) put(NewLine("ends"));
  if (plan.is_verified) put(NewLine("verified"));
  for (const std::string& job : plan.jobs) put(NewLine("job", job));
  for (const PlannedKernel& kernel : plan.kernels) {
    NewLine line("kernel", kernel.symbol, kernel.geometry, kernel.limit_s);
    for (const std::int64_t nth : kernel.nth) line.Add(nth);
    put(line);
  }
  return text;
}

void WritePlan(const fs::path& folder, const TracePlan& plan) {
  const fs::path file = folder / kPlanName;
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << PlanText(plan);
  out.close();
  if (!out) throw Error("cannot write " + file.string() + ": " + std::strerror(errno) + ".");
}

TracePlan ParsePlan(std::string_view text, std::string_view name) {
  TracePlan plan;
  ForEachLine(text, kPlanMagic, name, [&](std::string_view line) { TakePlanLine(line, plan); });
  return plan;
}

TracePlan ReadPlan(const fs::path& folder) {
  const fs::path file = folder / kPlanName;
  return ParsePlan(RegularFile(file).Text(), file.string());
}

}  // namespace culprit
