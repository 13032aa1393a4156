// SPDX-License-Identifier: Apache-2.0
#include "profiler/trace/rank.h"

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace culprit {
namespace {

struct Launcher {
  const char* rank;
  const char* beside;  // must be set, too; null: nothing
};

// Inner ones first: torchrun may run below srun, and mpirun within a job of Slurm, whose own number is then that of the
// node or of the job's script.
constexpr Launcher kLaunchers[] = {
    {"RANK", "WORLD_SIZE"},           {"OMPI_COMM_WORLD_RANK", nullptr}, {"PMI_RANK", nullptr},
    {"MV2_COMM_WORLD_RANK", nullptr}, {"SLURM_PROCID", nullptr},
};

std::optional<int> Number(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

}  // namespace

std::optional<int> RankIn(const std::function<const char*(const char*)>& variable) {
  for (const Launcher& launcher : kLaunchers) {
    const char* const text = variable(launcher.rank);
    if (text == nullptr || (launcher.beside != nullptr && variable(launcher.beside) == nullptr)) continue;
    if (const std::optional<int> rank = Number(text)) return rank;
  }
  return std::nullopt;
}

std::optional<int> RankOfThisProcess() {
  return RankIn([](const char* name) -> const char* { return std::getenv(name); });
}

}  // namespace culprit
