// SPDX-License-Identifier: Apache-2.0
// Pairs whose kernels differ in nothing that the host sees but their launch configuration: what both do is a type, the
// job. It has
//   static std::vector<T> Inputs(int size);
// and for outputs that are compared one at a time (T is float then; see PerElementRun)
//   static std::size_t Outputs(int size);
//   static constexpr std::size_t kEvery;
//   static Wanted Want(const std::vector<float>& in, std::size_t i, int size);
// or for totals that kernels add to (see CheckTotals)
//   using Total = unsigned or float;
//   static constexpr std::size_t kCopies;
//   static std::vector<double> Totals(const std::vector<T>& in);
#pragma once
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"
#include "tests/planted/kernels/totals.h"

namespace culprit {

// What a job's kernel is given, by the types of its parameters, in whatever order: a pointer to const is the input,
// another pointer the output, anything else is made of the size.
struct JobArguments {
  const void* in = nullptr;
  void* out = nullptr;
  int size = 0;

  template <class Parameter>
  Parameter As() const {
    if constexpr (!std::is_pointer_v<Parameter>) {
      return static_cast<Parameter>(size);
    } else if constexpr (std::is_const_v<std::remove_pointer_t<Parameter>>) {
      return static_cast<Parameter>(in);
    } else {
      return static_cast<Parameter>(out);
    }
  }
};

template <class... Parameters>
void EnqueueJob(void (*kernel)(Parameters...), const LaunchConfig& config, cudaStream_t stream,
                const JobArguments& arguments) {
  EnqueuePlanted(kernel, config, stream, arguments.As<Parameters>()...);
}

template <class Job, auto* kKernel, auto* kConfig>
PlantedRun ElementsRun(int size) {
  return PerElementRun(
      Job::Inputs(size), Job::Outputs(size), Job::kEvery,
      [size](cudaStream_t stream, const float* in, float* out) {
        EnqueueJob(kKernel, kConfig(size), stream, {in, out, size});
      },
      [size](const std::vector<float>& in, std::size_t i) { return Job::Want(in, i, size); });
}

// Totals go on from launch to launch: the work is the same.
template <class Job, auto* kKernel, auto* kConfig>
PlantedRun TotalsRun(int size) {
  using Total = typename Job::Total;
  const auto values = Job::Inputs(size);
  const auto in = Uploaded(values);
  const std::vector<double> wanted = Job::Totals(values);
  const auto totals = std::make_shared<DeviceMemory>(Job::kCopies * wanted.size() * sizeof(Total));
  PlantedRun run;
  run.launch = [=](cudaStream_t stream) {
    EnqueueJob(kKernel, kConfig(size), stream, {in->template As<char>(), totals->template As<char>(), size});
  };
  run.check = [=, launch = run.launch] {
    return CheckTotals({launch, {}}, totals->template As<Total>(), Job::kCopies, wanted);
  };
  return run;
}

// The kernel whose factor has this value.
template <class Job, auto* kKernel, auto* kConfig>
PlantedKernel ElementsKernel(const AlikeKernels& both, std::string value, std::string id, int source_line) {
  return both.With(std::move(value), std::move(id), source_line, kKernel, kConfig, ElementsRun<Job, kKernel, kConfig>);
}
template <class Job, auto* kKernel, auto* kConfig>
PlantedKernel TotalsKernel(const AlikeKernels& both, std::string value, std::string id, int source_line) {
  return both.With(std::move(value), std::move(id), source_line, kKernel, kConfig, TotalsRun<Job, kKernel, kConfig>);
}

}  // namespace culprit
