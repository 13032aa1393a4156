// SPDX-License-Identifier: Apache-2.0
// The one way in which a stage's kernel is enqueued.
#pragma once
#include <cstddef>
#include <string_view>

#include "kernels/stage.h"

namespace culprit {

// Blocks of `tile` that cover `extent`.
constexpr unsigned Tiles(int extent, int tile) { return (static_cast<unsigned>(extent) + tile - 1) / tile; }

// Of the current device; 132, those of an H100 or H200, where there is none.
int Multiprocessors();

// Every stage's kernel takes the problem by value: no argument lists to keep in step with.
template <class Element>
using KernelOf = void (*)(GemmProblemOf<Element>);

// Throws culprit::Error unless A, B and C begin at multiples of `alignment` bytes.
void RequireAlignment(std::string_view stage, const void* a, const void* b, const void* c, std::size_t alignment);

// EnqueueKernel without the types. An empty `stage` stands for the symbol of the kernel.
void EnqueueWithArguments(std::string_view stage, const void* kernel, const LaunchConfig& config, void** arguments,
                          cudaStream_t stream);

// Enqueues `kernel` on `stream` of the current device. Where dynamic shared memory exceeds the 48 KB that CUDA grants
// without asking, it asks first. A kernel that accesses several elements at once needs A, B and C aligned to those
// bytes. Throws culprit::Error when they are not, or when CUDA refuses.
template <class Element>
void EnqueueKernel(std::string_view stage, KernelOf<Element> kernel, const LaunchConfig& config,
                   const GemmProblemOf<Element>& problem, cudaStream_t stream, std::size_t alignment = alignof(float)) {
  RequireAlignment(stage, problem.a, problem.b, problem.c, alignment);
  GemmProblemOf<Element> argument = problem;
  void* arguments[] = {&argument};
  EnqueueWithArguments(stage, reinterpret_cast<const void*>(kernel), config, arguments, stream);
}

}  // namespace culprit
