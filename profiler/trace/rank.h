// SPDX-License-Identifier: Apache-2.0
// The rank of a process in its job, as the launcher tells it in the environment.
#pragma once
#include <functional>
#include <optional>
#include <string>

namespace culprit {

// `variable`: the value of an environment variable; null: it is not set. Knows torchrun (RANK beside WORLD_SIZE), Open
// MPI, MPICH and Intel MPI (PMI_RANK), MVAPICH and Slurm. None: the process has no rank.
std::optional<int> RankIn(const std::function<const char*(const char* name)>& variable);

std::optional<int> RankOfThisProcess();

}  // namespace culprit
