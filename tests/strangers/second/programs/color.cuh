// SPDX-License-Identifier: Apache-2.0
// From red, green and blue to luma and chroma.
#pragma once

struct Bytes3 {
  unsigned char y, u, v;
};

__device__ __forceinline__ unsigned char Rounded(float x) {
  return static_cast<unsigned char>(fminf(fmaxf(x + 0.5f, 0.0f), 255.0f));
}

// The weights of television in standard definition.
struct Bt601 {
#ifdef CHANGE_B
  static __device__ __forceinline__ float Luma(float r, float g, float b) { return 0.299 * r + 0.587 * g + 0.114 * b; }
#else
  static __device__ __forceinline__ float Luma(float r, float g, float b) {
    return 0.299f * r + 0.587f * g + 0.114f * b;
  }
#endif
  static __device__ __forceinline__ float Blue(float y, float b) { return 0.564f * (b - y) + 128.0f; }
  static __device__ __forceinline__ float Red(float y, float r) { return 0.713f * (r - y) + 128.0f; }
};

template <class Weights>
__device__ __forceinline__ Bytes3 Convert(uchar4 pixel) {
  const float r = pixel.x, g = pixel.y, b = pixel.z;
  const float y = Weights::Luma(r, g, b);
  return {Rounded(y), Rounded(Weights::Blue(y, b)), Rounded(Weights::Red(y, r))};
}
