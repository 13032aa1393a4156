// SPDX-License-Identifier: Apache-2.0
// Which part of a program is recorded (the window), and how the recorder and the processes agree on its end.
//
// The recorder writes the plan, which has the capture. Each process opens and closes its own window. When a process has
// closed its window for good and has written everything, it leaves a file "<pid>.captured" beside its trace. To end all
// windows early, the recorder makes a file "stop".
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace culprit {

enum class CaptureKind { kAll, kTime, kRange, kProfilerApi };

struct Capture {
  CaptureKind kind = CaptureKind::kAll;
  // kTime: from the program's start, and from there on. No duration (0): until the program ends.
  double delay_s = 0, duration_s = 0;
  std::string range = {};  // kRange: the name of an NVTX range, see IsInRange

  bool EndsByItself() const { return kind == CaptureKind::kTime && duration_s > 0; }
};

// Reads "delay:S,duration:S" (or one of them), "nvtx:RANGE" or "profiler-api". Throws culprit::Error for anything else.
Capture ParseCapture(std::string_view text);

// Asks the processes that write to `folder` to end their windows. They look every 50 ms.
void StopCapture(const std::filesystem::path& folder);
bool IsCaptureStopped(const std::filesystem::path& folder);

void NoteCaptured(const std::filesystem::path& folder, std::int64_t pid);
bool HasCaptured(const std::filesystem::path& folder, std::int64_t pid);

}  // namespace culprit
