// SPDX-License-Identifier: Apache-2.0
// What the planted kernels share: stating a pair, inputs, launching, comparing.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/device_memory.h"
#include "kernels/launch.h"
#include "tests/planted/kernels/planted.h"

namespace culprit {

constexpr double kFloatUnit = 0x1p-24;  // half a unit in the last place of 1: what one rounding to float can add to 1

// Makes the two kernels of a pair: what they share is said once, and what tells them apart cannot be left out.
class AlikeKernels {
 public:
  AlikeKernels(std::string idea, std::string factor, std::string source_file)
      : idea_(std::move(idea)), factor_(std::move(factor)), source_file_(std::move(source_file)) {}

  // The one whose factor has this value.
  template <class... Parameters>
  PlantedKernel With(std::string value, std::string id, int source_line, void (*kernel)(Parameters...),
                     LaunchConfig (*config)(int size), PlantedRun (*make)(int size)) const {
    return {.id = std::move(id),
            .idea = idea_,
            .factors = {{factor_, std::move(value)}},
            .source_file = source_file_,
            .source_line = source_line,
            .kernel = reinterpret_cast<const void*>(kernel),
            .config = config,
            .make = make};
  }

 private:
  std::string idea_, factor_, source_file_;
};

// The same for the four kernels of a mixture, which two factors tell apart.
class MixedKernels {
 public:
  MixedKernels(std::string idea, std::string factor_a, std::string factor_b, std::string source_file)
      : alike_(std::move(idea), std::move(factor_a), std::move(source_file)), factor_b_(std::move(factor_b)) {}

  template <class... Parameters>
  PlantedKernel With(std::string value_a, std::string value_b, std::string id, int source_line,
                     void (*kernel)(Parameters...), LaunchConfig (*config)(int size),
                     PlantedRun (*make)(int size)) const {
    PlantedKernel made = alike_.With(std::move(value_a), std::move(id), source_line, kernel, config, make);
    made.factors.emplace_back(factor_b_, std::move(value_b));
    return made;
  }

 private:
  AlikeKernels alike_;
  std::string factor_b_;
};

// `count` floats uniform in [-1, 1), the same in each run; another `seed` gives others.
std::vector<float> UniformFloats(std::size_t count, std::uint64_t seed);

// A matrix of `rows` rows of `columns` numbers, by columns.
std::vector<float> Transposed(const std::vector<float>& matrix, std::size_t rows, std::size_t columns);

// Room on the current device, filled with `values`.
template <class T>
std::shared_ptr<DeviceMemory> Uploaded(const std::vector<T>& values) {
  auto memory = std::make_shared<DeviceMemory>(values.size() * sizeof(T));
  memory->Upload(values);
  return memory;
}

// Enqueues `kernel` with these arguments, converted to its parameters. Throws culprit::Error, which names `id`, when
// CUDA refuses.
template <class... Parameters, class... Arguments>
void EnqueuePlanted(std::string_view id, void (*kernel)(Parameters...), const LaunchConfig& config, cudaStream_t stream,
                    Arguments... arguments) {
  std::tuple<Parameters...> values{static_cast<Parameters>(arguments)...};
  std::apply(
      [&](auto&... value) {
        void* pointers[] = {const_cast<void*>(static_cast<const void*>(&value))...};
        EnqueueWithArguments(id, reinterpret_cast<const void*>(kernel), config, pointers, stream);
      },
      values);
}

// The same for a kernel whose symbol is its id: the error names that.
template <class... Parameters, class... Arguments>
void EnqueuePlanted(void (*kernel)(Parameters...), const LaunchConfig& config, cudaStream_t stream,
                    Arguments... arguments) {
  EnqueuePlanted(std::string_view{}, kernel, config, stream, arguments...);
}

// Throws culprit::Error, which says what failed: "cannot <doing>: ...".
void Succeed(cudaError_t status, const char* doing);

// Fills `out` with NaN, launches once, waits, and compares with `wanted`: |out - wanted| <= bound[i], where an empty
// `bound` asks for equality. Throws culprit::Error when the kernel fails.
PlantedCheck CheckFloats(const PlantedRun& run, float* out, std::span<const double> wanted,
                         std::span<const double> bound = {});

// The same for an output of `count` floats of which `wanted[i]` is element `where[i]`. The rest must be finite.
PlantedCheck CheckFloatsAt(const PlantedRun& run, float* out, std::size_t count, std::span<const std::size_t> where,
                           std::span<const double> wanted, std::span<const double> bound = {});

// At most `samples` of the indices below `count`, evenly spread, the first and the last among them; `samples` >= 2.
std::vector<std::size_t> SpreadIndices(std::size_t count, std::size_t samples);

}  // namespace culprit
