// SPDX-License-Identifier: Apache-2.0
#include "profiler/trace/capture.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <optional>

#include "db/error.h"

namespace culprit {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStop = "stop";
// A year. So that sums of times never overflow.
constexpr double kMostS = 365.0 * 24 * 3600;

fs::path CapturedFile(const fs::path& folder, std::int64_t pid) { return folder / fmt::format("{}.captured", pid); }

// Nothing is written into it. A process makes it while the program runs, so this neither throws nor allocates much.
void Touch(const fs::path& file) {
  if (const int made = open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600); made >= 0) close(made);
}

[[noreturn]] void Refuse(std::string_view text) {
  throw Error(
      fmt::format("--capture takes delay:S,duration:S (seconds; one of them is enough), nvtx:RANGE or profiler-api, "
                  "not '{}'.",
                  text));
}

std::optional<double> Seconds(std::string_view text) {
  double seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds, std::chars_format::fixed);
  if (error != std::errc() || end != text.data() + text.size() || !(seconds >= 0 && seconds <= kMostS))
    return std::nullopt;
  return seconds;
}

// Takes "name:" from the front of `text`.
bool TakeName(std::string_view& text, std::string_view name) {
  if (!text.starts_with(name)) return false;
  text.remove_prefix(name.size());
  return true;
}

}  // namespace

Capture ParseCapture(std::string_view text) {
  const std::string_view whole = text;
  if (text == "profiler-api") return {.kind = CaptureKind::kProfilerApi};
  if (TakeName(text, "nvtx:")) {
    if (text.empty()) Refuse(whole);
    return {.kind = CaptureKind::kRange, .range = std::string(text)};
  }
  std::optional<double> delay, duration;
  for (bool more = true; more;) {
    const std::size_t comma = text.find(',');
    std::string_view part = text.substr(0, comma);
    more = comma != text.npos;
    text.remove_prefix(more ? comma + 1 : text.size());
    std::optional<double>& into = TakeName(part, "delay:") ? delay : duration;
    if (&into == &duration && !TakeName(part, "duration:")) Refuse(whole);
    if (into) Refuse(whole);
    into = Seconds(part);
    if (!into) Refuse(whole);
  }
  if (duration && *duration <= 0) Refuse(whole);
  return {.kind = CaptureKind::kTime, .delay_s = delay.value_or(0), .duration_s = duration.value_or(0)};
}

void StopCapture(const fs::path& folder) { Touch(folder / kStop); }

bool IsCaptureStopped(const fs::path& folder) { return access((folder / kStop).c_str(), F_OK) == 0; }

void NoteCaptured(const fs::path& folder, std::int64_t pid) { Touch(CapturedFile(folder, pid)); }

bool HasCaptured(const fs::path& folder, std::int64_t pid) {
  return access(CapturedFile(folder, pid).c_str(), F_OK) == 0;
}

}  // namespace culprit
