// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "analysis/launch/kernel_view.h"
#include "analysis/launch/recording.h"
#include "analysis/number/printable.h"
#include "analysis/show/report/profile_formats.h"

namespace culprit {
namespace {

using Labels = std::vector<std::pair<const char*, std::string>>;

constexpr double kSecondsPerUs = 1e-6;

std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : Printable(text)) {
    if (c == '\\' || c == '"') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

// One family of metrics: its samples stand together, and no two have the same labels.
class Family {
 public:
  Family(std::string name, std::string_view unit, std::string_view help) : name_(std::move(name)) {
    text_ = fmt::format("# TYPE {} gauge\n", name_);
    if (!unit.empty()) text_ += fmt::format("# UNIT {} {}\n", name_, unit);
    text_ += fmt::format("# HELP {} {}\n", name_, help);
  }
  void Add(const Labels& labels, double value) {
    std::string line = name_ + '{';
    for (const auto& [name, text] : labels)
      line += fmt::format("{}{}=\"{}\"", line.back() == '{' ? "" : ",", name, Escaped(text));
    line += '}';
    if (seen_.insert(line).second) text_ += fmt::format("{} {:.9g}\n", line, value);
  }
  std::string Text() const { return seen_.empty() ? "" : text_; }

 private:
  std::string name_, text_;
  std::set<std::string> seen_;
};

}  // namespace

std::string OpenMetricsText(const RunSummary& run, std::span<const KernelTime> kernels) {
  const Labels of_run{{"run", ShortUuid(run.run)},
                      {"label", run.run.label},
                      {"gpu", run.run.device ? run.run.device->name : std::string()}};
  const auto with = [&](Labels more) {
    more.insert(more.end(), of_run.begin(), of_run.end());
    return more;
  };
  Family total("culprit_kernel_seconds", "seconds",
               "GPU time of all calls of a launch; of a benchmark the median of one.");
  Family median("culprit_kernel_median_seconds", "seconds", "Median GPU time of one call.");
  Family calls("culprit_kernel_calls", "", "Calls of a launch.");
  for (const KernelTime& kernel : kernels) {
    const ProgramLaunch* program = kernel.kernel.program ? &*kernel.kernel.program : nullptr;
    const Labels labels = with({{"kernel", kernel.kernel.stage.id},
                                {"launch", kernel.kernel.launch.shape},
                                {"number", std::to_string(kernel.kernel.launch.ordinal + 1)},
                                {"nvtx", program != nullptr ? program->nvtx : ""}});
    total.Add(labels, kernel.us * kSecondsPerUs);
    if (const auto times = KernelView(kernel.kernel).time().time_us) median.Add(labels, times->median * kSecondsPerUs);
    if (program != nullptr) calls.Add(labels, static_cast<double>(program->calls));
  }
  Family copies("culprit_copy_seconds", "seconds", "GPU time of copies and memsets.");
  Family bytes("culprit_copy_bytes", "bytes", "Bytes that were copied or set.");
  Family span("culprit_span_seconds", "seconds",
              "From the first start of work to the end of the last, summed over GPUs.");
  Family idle("culprit_idle_seconds", "seconds", "The part of the span in which a GPU did nothing.");
  if (const auto& program = run.run.program) {
    for (const ProgramCopy& copy : program->copies) {
      copies.Add(with({{"kind", NameOf(copy.kind)}}), copy.time_us * kSecondsPerUs);
      bytes.Add(with({{"kind", NameOf(copy.kind)}}), copy.bytes);
    }
    if (program->span_us) span.Add(of_run, *program->span_us * kSecondsPerUs);
    if (program->idle_us) idle.Add(of_run, *program->idle_us * kSecondsPerUs);
  }
  std::string text;
  for (const Family* family : {&total, &median, &calls, &copies, &bytes, &span, &idle}) text += family->Text();
  return text + "# EOF\n";
}

}  // namespace culprit
