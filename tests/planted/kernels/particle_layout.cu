// SPDX-License-Identifier: Apache-2.0
// Kinetic energy of particles that have 8 fields, from two of them: the fields of one particle beside each other, or
// each field of all particles in an array of its own.
// Limits on an H100: device memory in both. Arrays: 2 loads of 4 sectors a warp, 12 bytes a particle with the result.
// Records: a record is one sector of 32 bytes, 32 sectors a warp for the first load (the second finds them in L1), 36
// bytes a particle. 150 MB and 450 MB at 12e6 particles, so 2.5 to 3 times as long.
// Kept apart because the layout is the input's; the two fields are not neighbours and records are only known to be
// aligned to 4 bytes, so that no load takes both.
#include <cstddef>

#include "tests/planted/kernels/per_element.h"
#include "tests/planted/kernels/run.h"

namespace {
constexpr int kThreads = 256;
constexpr int kFields = 8;
constexpr int kMass = 2, kSpeed = 5;

template <bool kRecords>
__host__ __device__ std::size_t At(int field, std::size_t particle, std::size_t particles) {
  return kRecords ? particle * kFields + field : field * particles + particle;
}

template <bool kRecords>
__device__ void Energy(const float* particles, float* energy, int n) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * kThreads + threadIdx.x;
  const float mass = particles[At<kRecords>(kMass, i, n)];
  const float speed = particles[At<kRecords>(kSpeed, i, n)];
  energy[i] = 0.5f * mass * (speed * speed);
}
}  // namespace

constexpr int kArraysLine = __LINE__ + 1;
extern "C" __global__ void particle_arrays(const float* in, float* out, int n) { Energy<false>(in, out, n); }
constexpr int kRecordsLine = __LINE__ + 1;
extern "C" __global__ void particle_records(const float* in, float* out, int n) { Energy<true>(in, out, n); }

namespace culprit {
namespace {

// n particles, a multiple of a block's threads.
LaunchConfig Config(int n) { return {dim3(n / kThreads), dim3(kThreads), 0}; }

template <bool kRecords>
std::vector<float> Particles(std::size_t n) {
  std::vector<float> values = UniformFloats(n * kFields, 1);
  if (!kRecords) return values;
  std::vector<float> records(values.size());
  for (std::size_t i = 0; i < n; ++i)
    for (int field = 0; field < kFields; ++field) records[At<true>(field, i, n)] = values[At<false>(field, i, n)];
  return records;
}

template <auto* kKernel, bool kRecords>
PlantedRun Make(int n) {
  const auto launch = [n](cudaStream_t stream, const float* in, float* out) {
    EnqueuePlanted(kKernel, Config(n), stream, in, out, n);
  };
  const auto wanted = [n](const std::vector<float>& in, std::size_t i) {
    const double mass = in[At<kRecords>(kMass, i, n)], speed = in[At<kRecords>(kSpeed, i, n)];
    return Wanted{0.5 * mass * speed * speed, 2 * kFloatUnit};  // two roundings (halving has none) of values below 1
  };
  return PerElementRun(Particles<kRecords>(n), n, 7, launch, wanted);
}

}  // namespace

PlantedPair ParticleLayoutPair() {
  const AlikeKernels both("computes the kinetic energy of particles from two of their eight fields", "layout",
                          "kernels/planted/particle_layout.cu");
  return {.id = "particle_layout",
          .base = both.With("an array per field", "particle_arrays", kArraysLine, ::particle_arrays, Config,
                            Make<::particle_arrays, false>),
          .candidate = both.With("a record per particle", "particle_records", kRecordsLine, ::particle_records, Config,
                                 Make<::particle_records, true>),
          .sizes = {6 << 20, 12 << 20},
          .flop = [](int n) { return 3.0 * n; },
          .min_bytes = [](int n) { return 3.0 * sizeof(float) * n; }};
}

}  // namespace culprit
