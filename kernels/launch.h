// SPDX-License-Identifier: Apache-2.0
// Enqueues the kernel of a stage.
#pragma once
#include <cstddef>
#include <string_view>

#include "kernels/stage.h"

namespace culprit {

// Number of blocks of `tile` that cover `extent`.
constexpr unsigned Tiles(int extent, int tile) { return (static_cast<unsigned>(extent) + tile - 1) / tile; }

// The number of SMs of the current device. Without a device, 132, as on an H100 or H200.
int Multiprocessors();

// The kernel of every stage takes the problem by value.
template <class Element>
using KernelOf = void (*)(GemmProblemOf<Element>);

// Throws culprit::Error unless A, B and C begin at multiples of `alignment` bytes.
void RequireAlignment(std::string_view stage, const void* a, const void* b, const void* c, std::size_t alignment);

// EnqueueKernel without types. An empty `stage` stands for the kernel's symbol.
void EnqueueWithArguments(std::string_view stage, const void* kernel, const LaunchConfig& config, void** arguments,
                          cudaStream_t stream);

// Enqueues `kernel` on `stream` of the current device. If the kernel needs more dynamic shared memory than CUDA's
// default of 48 KB, requests it. `alignment`: the bytes to which A, B and C must be aligned, because the kernel
// accesses several elements at once. Throws culprit::Error if they are not aligned, or if CUDA refuses.
template <class Element>
void EnqueueKernel(std::string_view stage, KernelOf<Element> kernel, const LaunchConfig& config,
                   const GemmProblemOf<Element>& problem, cudaStream_t stream, std::size_t alignment = alignof(float)) {
  RequireAlignment(stage, problem.a, problem.b, problem.c, alignment);
  GemmProblemOf<Element> argument = problem;
  void* arguments[] = {&argument};
  EnqueueWithArguments(stage, reinterpret_cast<const void*>(kernel), config, arguments, stream);
}

}  // namespace culprit
