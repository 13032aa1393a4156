// SPDX-License-Identifier: Apache-2.0
// One execution of an invented program, as each of three profilers writes it.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace culprit {

struct InventedTrace {
  struct Kernel {
    std::string name;
    unsigned blocks, threads;
    double start_us, us;
    std::string range;  // "step 1/forward"
  };
  struct Copy {
    std::string kind;  // "HtoD", "DtoH", "DtoD", "PtoP"; "set"
    double start_us, us;
    std::int64_t bytes;
  };
  std::vector<Kernel> kernels;
  std::vector<Copy> copies;
};

// In each step: a copy to the GPU (10 us), gemm (50 us), softmax, `gap_us` of nothing, and a copy back (4 us). Steps begin
// 200 us apart.
InventedTrace StepsOf(int steps, double softmax_us, double gap_us = 20);

// Twelve such steps whose kernels scatter a little. With `in_double`, each step also converts its logits before a softmax
// that takes longer. tests/recorded/traces has both, as PytorchTrace writes them, for docs/files.md.
InventedTrace Training(bool in_double);

std::string PytorchTrace(const InventedTrace& trace);
std::string JaxTrace(const InventedTrace& trace);
void WriteNsysExport(const InventedTrace& trace, const std::filesystem::path& file);

}  // namespace culprit
