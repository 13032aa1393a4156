// SPDX-License-Identifier: Apache-2.0
// What C should be, how far a correct kernel may be from it, and whether an output is that close.
//
// The error bound of single precision. A kernel sums k products in some order; each of at most k additions (fused or
// not) rounds a partial sum s to s(1 + d), |d| <= u = 2^-24, so to first order the error of the dot product is the sum
// of the d_t s_t. The deterministic bound k u sum|a||b| (Higham, Accuracy and Stability of Numerical Algorithms, 2nd
// ed., 3.1) is of no use here: at k = 4096 it is about 0.25, the size of a typical product, so it could not notice a
// lost one. Two facts about rounding and about our data do better:
//  - roundings behave as mean-independent with mean 0, so by Azuma-Hoeffding the error exceeds L u sqrt(sum s_t^2) with
//    probability at most 2 exp(-L^2/2) (Higham and Mary, SIAM J. Sci. Comput. 41(5), 2019; Connolly, Higham, Mary,
//    2021);
//  - FillUniform's values have independent random signs, so any partial sum exceeds L sqrt(Q), Q = sum of (a b)^2, with
//    probability at most 2 exp(-L^2/2) (Hoeffding; Higham and Mary, SIAM J. Sci. Comput. 42(5), 2020, use the same).
// Together |error| <= L^2 u sqrt(k Q). With L = 8 that fails for no element of a 4096^3 product with probability >
// 0.99. By Cauchy-Schwarz sqrt(k Q) >= sum|a b|, so for k <= 64 = L^2 the bound holds for any data and any rounding. At
// k = 4096 it is about 0.005: a lost product, and TF32 arithmetic, are noticed. It needs data with mean 0: on
// all-positive data partial sums grow with k, and a correct kernel may be refused. The epilogue alpha * dot + beta * c
// adds at most 3 roundings of its terms.
//
// The error bound of tensor cores on halves. They do not round to nearest. Products of halves are exact; a step adds a
// few of them to the accumulator at once: all are aligned to the largest exponent among them and cut to at least 24
// significant bits, and the sum is cut to 24 bits again (Fasi, Higham, Mikaitis, Pranesh, "Numerical behavior of NVIDIA
// tensor cores", PeerJ Computer Science 7:e330, 2021). 4 products a step on Volta, 8 on A100, more since; 4 is assumed,
// so there are n = ceil(k / 4) steps. A cut loses less than one unit, which is at most v = 2^-23 of the number cut.
//
// For k <= 64 that is all: no data lose more than v (k + n) sum|a b|, and sum|a b| <= sqrt(k Q). Beyond, the signs of
// the data are independent as above, their squares are spread evenly over the sum (of the first t steps Q t / n), and
// the bits that are cut off are as good as uniform. To first order:
//  - the partial sums: sum s_t^2 exceeds 22 n Q with probability at most 7 exp(-26.4). (For signs as for normal terms,
//    E exp(x sum s_t^2 / (n Q)) <= cos(sqrt(2 x))^-1/2, the transform of the integral of a squared Brownian motion;
//    x = 1.2.) The products themselves, where they are the largest addends, add Q.
//  - what does not accumulate: aligning a product loses a uniform part of a unit with the product's sign, so variance
//    (v M)^2 / 3, M the largest addend; cutting the sum loses half a unit and a uniform rest of variance (v s_t)^2
//    / 12. A uniform variable is subgaussian with its own variance, so these exceed L v sqrt(22 (1/3 + 1/48) k Q) with
//    probability at most 2 exp(-L^2/2);
//  - what does: the half units all go towards 0 while a sum keeps its sign for long: at most v/2 sum|s_t|. Its mean is
//  at
//    most v/2 sum sqrt(Q t / n) = v/2 n 2/3 sqrt(Q); the sign of a product of step t changes it by at most v (n - t)
//    |p|, so by McDiarmid it exceeds the mean by v/2 n L sqrt(Q / 3) with probability at most exp(-L^2/2);
//  - aligning the accumulator loses at most v max|p| where a product is larger: at most v sqrt(n Q) in all.
// With L = 7 that fails for no element of a 4096^3 product with probability > 0.99. At k = 4096 it is about 0.009,
// while rounding C to half precision before it is stored is off by up to 0.031 (0.004 and 0.016 at 2048). Partial
// products that a kernel adds up in single precision, rounded to nearest, are fewer and lose less each than the steps
// granted here.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "kernels/stage.h"

namespace culprit {

// One problem on the host. `a`, `b` and `c` are row-major with shape's extents; c is C before the launch, and is not
// read (and may hold NaN) when beta == 0.
struct GemmInputs {
  GemmShape shape;
  float alpha = 1.0f;
  float beta = 0.0f;
  std::vector<float> a, b, c;
  ElementType element = ElementType::kFloat;  // of a and b on the device; kHalf: each value is one that a half holds
};

// a, b and c uniform in [-1, 1) from `seed`, a and b rounded to the nearest half for kHalf; with beta == 0 c is all
// NaN, so that an element that is read or left out shows.
GemmInputs RandomInputs(const GemmShape& shape, float alpha, float beta, std::uint64_t seed,
                        ElementType element = ElementType::kFloat);

// The right C and how far from it each element may be.
struct Expected {
  std::string name;  // "float64", "cublas"
  GemmShape shape;
  std::vector<double> value;
  std::vector<double> bound;  // |out - value| beyond this is a wrong result
};

// How far a correct kernel on such elements may be from the exact value: `k` terms, `sum_of_squares` = Q, `c` the
// element of C before the launch (0 when it is not read).
double ErrorBound(ElementType element, int k, double alpha, double sum_of_squares, double beta, double c);

// Double precision on the CPU, with the bounds of inputs.element; about 0.2 s for 512^3.
Expected Float64Expected(const GemmInputs& inputs);

struct Verification {
  bool passed = false;
  // The largest |out - value| / bound, so 1.0 is the limit; infinity when an element is NaN or infinite.
  double error_over_bound = 0;
  int row = 0, column = 0;  // of that element
  std::string reference;    // what it was compared with: "cublas", "cublas+float64"
  std::string message;      // one sentence when it did not pass, else empty
};

// `out` is C after the launch, row-major, shape.m x shape.n.
Verification Compare(const Expected& expected, std::span<const float> out);

}  // namespace culprit
