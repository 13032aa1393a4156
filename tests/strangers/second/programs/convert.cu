// SPDX-License-Identifier: Apache-2.0
// A picture of red, green, blue and alpha becomes three planes, one of luma and two of chroma.
#include <cmath>

#include "color.cuh"
#include "job.h"

namespace {
constexpr int kWide = 4096, kHigh = 4096, kThreads = 256;
#ifdef CHANGE_A
constexpr int kEach = 1;
#else
constexpr int kEach = 4;
#endif

template <int kBytes>
struct Packed;
template <>
struct Packed<1> {
  using Pixels = uchar4;
  using Plane = unsigned char;
};
template <>
struct Packed<4> {
  using Pixels = uint4;
  using Plane = uchar4;
};
}  // namespace

template <class Weights, int kPixels>
__global__ void __launch_bounds__(kThreads)
    convert_pixels(const uchar4* __restrict__ pixels, unsigned char* __restrict__ luma,
                   unsigned char* __restrict__ blue, unsigned char* __restrict__ red, int count) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= count / kPixels) return;
  using Pixels = typename Packed<kPixels>::Pixels;
  using Plane = typename Packed<kPixels>::Plane;
  const Pixels raw = reinterpret_cast<const Pixels*>(pixels)[i];
  const uchar4* pixel = reinterpret_cast<const uchar4*>(&raw);
  alignas(4) unsigned char y[kPixels], u[kPixels], v[kPixels];
#pragma unroll
  for (int k = 0; k < kPixels; ++k) {
    const Bytes3 converted = Convert<Weights>(pixel[k]);
    y[k] = converted.y, u[k] = converted.u, v[k] = converted.v;
  }
  reinterpret_cast<Plane*>(luma)[i] = *reinterpret_cast<const Plane*>(y);
  reinterpret_cast<Plane*>(blue)[i] = *reinterpret_cast<const Plane*>(u);
  reinterpret_cast<Plane*>(red)[i] = *reinterpret_cast<const Plane*>(v);
}

std::vector<double> ConvertPixels() {
  constexpr int kCount = kWide * kHigh;
  Numbers numbers(16);
  std::vector<uchar4> pool(65521), picture(kCount);
  for (uchar4& pixel : pool) {
    const std::uint32_t bits = numbers.Next();
    pixel = make_uchar4(bits & 255, bits >> 8 & 255, bits >> 16 & 255, 255);
  }
  for (int i = 0, from = 0; i < kCount; ++i) {
    picture[i] = pool[from];
    from = from + 1 == static_cast<int>(pool.size()) ? 0 : from + 1;
  }
  const uchar4* pixels = OnDevice(picture);
  unsigned char *y = OnDevice<unsigned char>(kCount), *u = OnDevice<unsigned char>(kCount),
                *v = OnDevice<unsigned char>(kCount);
  for (int i = 0; i < kLaunches; ++i)
    convert_pixels<Bt601, kEach><<<kCount / kEach / kThreads, kThreads>>>(pixels, y, u, v, kCount);
  std::vector<double> sums;  // of rows: a few pixels may be rounded the other way
  for (const unsigned char* plane : {y, u, v}) {
    const std::vector<double> bytes = FromDevice(plane, kCount);
    if (!results_wanted) return bytes;
    for (int i = 0; i < kCount; ++i) {
      if (i % kWide == 0) sums.push_back(0);
      sums.back() += bytes[i];
    }
    if (plane != y) continue;
    for (int i = 0; i < kCount; i += 4001)
      Hold("convert_pixels", bytes[i], 0.299 * picture[i].x + 0.587 * picture[i].y + 0.114 * picture[i].z, 0.51);
  }
  return sums;
}
