// SPDX-License-Identifier: Apache-2.0
#include "tests/evidence/seeds/wavefronts.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "analysis/banks/bank_model.h"
#include "analysis/number/format.h"
#include "tests/evidence/seeds/instruction_class.h"
#include "tests/evidence/seeds/published.h"

namespace culprit {
namespace {

struct Kind {
  const char* operation;  // row of the published table
  const char* title;
  InstructionClass which;
  SharedOp op;
};
constexpr std::array kKinds{
    Kind{"shared_load", "A shared load", InstructionClass::kLds, SharedOp::kLoad},
    Kind{"shared_store", "A shared store", InstructionClass::kSts, SharedOp::kStore},
};

// Stages with the same tiles and other addresses: a published figure may come from a kernel like these.
constexpr std::array kRelatives{"sgemm_float4", "sgemm_quadrants", "sgemm_padded", "sgemm_zorder"};

std::string Ratio(double value) { return Format(value, Unit::kRatio); }

// Counts of different GPUs or passes: lost arbitration adds up to about a percent.
bool Near(double a, double b) { return std::abs(a - b) <= 0.01 * b; }

Measured PublishedEach(const std::string& stage, const std::string& operation) {
  const auto wavefronts = PublishedSharedMemory().Find(stage, operation + ".wavefronts");
  const auto instructions = PublishedSharedMemory().Find(stage, operation + ".instructions");
  if (!wavefronts || !instructions) return {};
  return Measured(*wavefronts) / Measured(*instructions);
}

Measured ExactEach(const Recording& recording, const KernelView* kernel, InstructionClass which) {
  if (!kernel) return {};
  const auto& instructions = recording.Instructions(*kernel);
  return SumOf(*kernel, instructions, which, "sass_shared_wavefronts") /
         SumOf(*kernel, instructions, which, "sass_inst");
}

// "load A 2, load B 2"; empty when the stage states no such access.
std::string ModelOf(const StageRecord& stage, SharedOp op) {
  std::string text;
  for (const SharedAccess& access : stage.shared_accesses)
    if (access.op == op)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", access.name, Model(access).sass_wavefronts);
  return text;
}

struct Relative {
  std::string name;
  double each;
  std::string Text() const { return fmt::format("{} ({})", name, Ratio(each)); }  // "sgemm_float4 (2.400)"
};

std::optional<Relative> RelativeThatTakes(const Recording& recording, const KernelView& kernel, InstructionClass which,
                                          double wavefronts) {
  const KernelRecord& record = kernel.record();
  for (const char* relative : kRelatives) {
    if (record.stage.id == relative) continue;
    const Measured each = ExactEach(recording, recording.Find(relative, record.launch.shape), which);
    if (each && Near(wavefronts, *each)) return Relative{relative, *each};
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> ExplainWavefronts(const Recording& recording, const KernelView& kernel) {
  const KernelRecord& record = kernel.record();
  std::vector<std::string> sentences;
  std::vector<Relative> relatives;
  for (const Kind& kind : kKinds) {
    const Measured theirs = PublishedEach(record.stage.id, kind.operation);
    const Measured exact = ExactEach(recording, &kernel, kind.which);
    if (!theirs || !exact) continue;
    std::string text = fmt::format("{} of {} takes {} wavefronts here by exact count, {} there", kind.title,
                                   record.stage.id, Ratio(*exact), Ratio(*theirs));
    if (const std::string model = ModelOf(record.stage, kind.op); !model.empty())
      text += fmt::format("; for the addresses that the stage states the bank model says: {}", model);
    if (Near(*theirs, *exact)) {
      text += ". Both GPUs need the same.";
    } else if (const auto relative = RelativeThatTakes(recording, kernel, kind.which, *theirs)) {
      relatives.push_back(*relative);
      text += fmt::format(
          ". The figure there is what {} takes here: consistent with a kernel that reaches its tiles as that stage "
          "does.",
          relative->Text());
    } else {
      text += fmt::format(". The {} serves these addresses in {} wavefronts than {}.",
                          record.run.run.device ? record.run.run.device->name : "GPU here",
                          *exact < *theirs ? "fewer" : "more", PublishedSharedMemory().gpu);
    }
    sentences.push_back(std::move(text));
  }
  if (relatives.size() < 2) return sentences;
  // One stage that fits both kinds, if there is one; the two sentences above name the first that fits each.
  for (const char* stage : kRelatives)
    if (std::ranges::all_of(kKinds, [&](const Kind& kind) {
          const Measured each = ExactEach(recording, recording.Find(stage, record.launch.shape), kind.which);
          const Measured theirs = PublishedEach(record.stage.id, kind.operation);
          return each && theirs && Near(*theirs, *each);
        })) {
      sentences.push_back(
          fmt::format("As a whole the figures of {} there are what {} takes here.", record.stage.id, stage));
      return sentences;
    }
  sentences.push_back(fmt::format(
      "As a whole the figures of {} there are what the loads of {} and the stores of {} would give together.",
      record.stage.id, relatives[0].name, relatives[1].name));
  return sentences;
}

}  // namespace culprit
