// SPDX-License-Identifier: Apache-2.0
// Computes C and the largest error that a correct kernel may have, and checks outputs against them.
//
// The error bound of single precision. A kernel sums k products in some order. Each of at most k additions (fused or
// not) rounds a partial sum s to s(1 + d), |d| <= u = 2^-24, so to first order the error of the dot product is the sum
// of the d_t s_t. The deterministic bound k u sum|a||b| (Higham, Accuracy and Stability of Numerical Algorithms, 2nd
// ed., 3.1) is too loose. At k = 4096 it is about 0.25, as large as a typical product, so it would not detect a lost
// product. Two facts about rounding and about our data give a tighter bound:
//  - Roundings behave as mean-independent with mean 0. So by Azuma-Hoeffding the error exceeds L u sqrt(sum s_t^2) with
//    probability at most 2 exp(-L^2/2) (Higham and Mary, SIAM J. Sci. Comput. 41(5), 2019; Connolly, Higham, Mary,
//    2021).
//  - FillUniform's values have independent random signs. So a partial sum exceeds L sqrt(Q), Q = sum of (a b)^2, with
//    probability at most 2 exp(-L^2/2) (Hoeffding; Higham and Mary, SIAM J. Sci. Comput. 42(5), 2020, use the same).
// Together |error| <= L^2 u sqrt(k Q). With L = 8 all elements of a 4096^3 product are within it with probability >
// 0.99. By Cauchy-Schwarz sqrt(k Q) >= sum|a b|, so for k <= 64 = L^2 the bound holds for any data and any rounding. At
// k = 4096 it is about 0.005, so it detects a lost product and TF32 arithmetic. The data must have mean 0. On
// all-positive data partial sums grow with k, and a correct kernel may fail. The epilogue alpha * dot + beta * c adds
// at most 3 roundings of its terms.
//
// The error bound of tensor cores on halves. They truncate instead of rounding to nearest. Products of halves are
// exact. A step adds a few products to the accumulator at once. It aligns all addends to the largest exponent among
// them, truncates them to at least 24 significant bits, and truncates the sum to 24 bits again (Fasi, Higham, Mikaitis,
// Pranesh, "Numerical behavior of NVIDIA tensor cores", PeerJ Computer Science 7:e330, 2021). A step adds 4 products on
// Volta, 8 on A100, more on later GPUs. We assume 4, so there are n = ceil(k / 4) steps. A truncation loses less than
// one unit in the last place, which is at most v = 2^-23 of the truncated number.
//
// For k <= 64, any data lose at most v (k + n) sum|a b|, and sum|a b| <= sqrt(k Q). For larger k we assume that the
// signs of the data are independent as above, that their squares are spread evenly over the sum (Q t / n in the first t
// steps), and that the truncated bits are nearly uniform. To first order:
//  - Partial sums. sum s_t^2 exceeds 22 n Q with probability at most 7 exp(-26.4). (For random signs, as for normal
//    terms, E exp(x sum s_t^2 / (n Q)) <= cos(sqrt(2 x))^-1/2, the transform of the integral of a squared Brownian
//    motion; x = 1.2.) If products are the largest addends, they add Q.
//  - Losses that do not accumulate. Aligning a product drops a part of a unit. The part is uniform and has the sign of the product. The
//    variance is (v M)^2 / 3, where M is the largest addend. Truncating the sum loses half a unit on average. The rest
//    of this loss is uniform, with variance (v s_t)^2 / 12. A uniform variable is subgaussian with its own variance, so
//    these losses exceed L v sqrt(22 (1/3 + 1/48) k Q) with probability at most 2 exp(-L^2/2).
//  - Losses that accumulate. While a sum keeps its sign, the half units all go towards 0, by at most v/2 sum|s_t|. The
//    mean of this is at most v/2 sum sqrt(Q t / n) = v/2 n 2/3 sqrt(Q). The sign of a product of step t changes it by
//    at most v (n - t) |p|, so by McDiarmid it exceeds the mean by v/2 n L sqrt(Q / 3) with probability at most
//    exp(-L^2/2).
//  - Aligning the accumulator loses at most v max|p| if a product is larger, in total at most v sqrt(n Q).
// With L = 7 all elements of a 4096^3 product are within the bound with probability > 0.99. At k = 4096 the bound is
// about 0.009, but a kernel that rounds C to half precision before storing it has errors of up to 0.031 (0.004 and
// 0.016 at 2048). A kernel that adds partial products in single precision, rounded to nearest, has fewer steps and
// loses less in each.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "kernels/stage.h"

namespace culprit {

// One problem on the host. `a`, `b` and `c` are row-major. `c` is C before the launch; with beta == 0 it is not read
// and may hold NaN.
struct GemmInputs {
  GemmShape shape;
  float alpha = 1.0f;
  float beta = 0.0f;
  std::vector<float> a, b, c;
  ElementType element = ElementType::kFloat;  // of a and b on the device; kHalf: every value fits a half exactly
};

// a, b and c are uniform in [-1, 1), from `seed`. For kHalf, a and b are rounded to the nearest half. If beta == 0, c
// is all NaN, so that a kernel fails if it reads or skips an element.
GemmInputs RandomInputs(const GemmShape& shape, float alpha, float beta, std::uint64_t seed,
                        ElementType element = ElementType::kFloat);

// The correct C and the allowed error of each element.
struct Expected {
  std::string name;  // "float64", "cublas"
  GemmShape shape;
  std::vector<double> value;
  std::vector<double> bound;  // a result is wrong when |out - value| exceeds this
};

// The largest error of a correct kernel in one element of C. The element has `k` terms, `sum_of_squares` = Q, and the
// value `c` before the launch (0 if it is not read).
double ErrorBound(ElementType element, int k, double alpha, double sum_of_squares, double beta, double c);

// Computes C in double precision on the CPU, with the bounds for inputs.element. Takes about 0.2 s for 512^3.
Expected Float64Expected(const GemmInputs& inputs);

struct Verification {
  bool passed = false;
  // The largest |out - value| / bound. 1.0 is the limit. Infinity if an element is NaN or infinite.
  double error_over_bound = 0;
  int row = 0, column = 0;  // of that element
  std::string reference;    // the reference: "cublas", "cublas+float64"
  std::string message;      // one sentence if it failed, else empty
};

// `out` is C after the launch, row-major, shape.m x shape.n.
Verification Compare(const Expected& expected, std::span<const float> out);

}  // namespace culprit
