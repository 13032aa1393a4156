// SPDX-License-Identifier: Apache-2.0
// Complex numbers, and Fourier transforms of as many as a thread holds in registers.
#pragma once

struct Complex {
  float re, im;
};

__device__ __forceinline__ Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
__device__ __forceinline__ Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
__device__ __forceinline__ Complex operator*(Complex a, Complex b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

// Times -i.
__device__ __forceinline__ Complex Turned(Complex a) { return {a.im, -a.re}; }

// Of four numbers kStride apart, which come out in order.
template <int kStride>
__device__ __forceinline__ void Transform4(Complex* v) {
  const Complex sum02 = v[0] + v[2 * kStride], difference02 = v[0] - v[2 * kStride];
  const Complex sum13 = v[kStride] + v[3 * kStride], difference13 = Turned(v[kStride] - v[3 * kStride]);
  v[0] = sum02 + sum13;
  v[kStride] = difference02 + difference13;
  v[2 * kStride] = sum02 - sum13;
  v[3 * kStride] = difference02 - difference13;
}

// Of 16 numbers; number k comes out at Place16(k).
__device__ __forceinline__ void Transform16(Complex* v) {
  constexpr float kCos1 = 0.92387953f, kSin1 = 0.38268343f, kCos2 = 0.70710678f;
#pragma unroll
  for (int i = 0; i < 4; ++i) Transform4<4>(v + i);
  v[5] = v[5] * Complex{kCos1, -kSin1};
  v[6] = v[6] * Complex{kCos2, -kCos2};
  v[7] = v[7] * Complex{kSin1, -kCos1};
  v[9] = v[9] * Complex{kCos2, -kCos2};
  v[10] = Turned(v[10]);
  v[11] = v[11] * Complex{-kCos2, -kCos2};
  v[13] = v[13] * Complex{kSin1, -kCos1};
  v[14] = v[14] * Complex{-kCos2, -kCos2};
  v[15] = v[15] * Complex{-kCos1, kSin1};
#pragma unroll
  for (int i = 0; i < 4; ++i) Transform4<1>(v + 4 * i);
}

__device__ __forceinline__ constexpr int Place16(int k) { return k % 4 * 4 + k / 4; }
