// SPDX-License-Identifier: Apache-2.0
#include "kernels/reference.h"

#include <cuda_fp16.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>

#include "db/error.h"
#include "kernels/in_parallel.h"
#include "kernels/uniform.h"

namespace culprit {
namespace {

constexpr double kUnitRoundoff = 0x1p-24;
constexpr double kLambda = 8;  // standard deviations; see reference.h
constexpr double kEpilogueRoundings = 3;

// For tensor cores; see reference.h.
constexpr double kUnitCut = 0x1p-23;
constexpr int kProductsPerStep = 4;
constexpr int kAnyDataTerms = 64;
constexpr double kTensorLambda = 7;
constexpr double kSquaredPartialSums = 22;
constexpr double kCutVariance = 1.0 / 3 + 1.0 / 12 / kProductsPerStep;  // per product

std::string Sentence(const Verification& v, const Expected& e, float got, std::int64_t wrong) {
  const std::size_t at = static_cast<std::size_t>(v.row) * e.shape.n + v.column;
  char text[400];
  if (std::isfinite(got)) {
    std::snprintf(
        text, sizeof text,
        "%lld of %lld elements are wrong, worst (%d, %d): got %.9g, %s says %.9g and the error bound is %.3g; look "
        "for the terms or elements that the kernel loses.",
        static_cast<long long>(wrong), static_cast<long long>(e.value.size()), v.row, v.column, got, e.name.c_str(),
        e.value[at], e.bound[at]);
  } else {
    std::snprintf(
        text, sizeof text,
        "%lld of %lld elements are wrong, first (%d, %d): got %g, %s says %.9g (error bound %.3g); check that every "
        "element is written, and that C is not read when beta is 0.",
        static_cast<long long>(wrong), static_cast<long long>(e.value.size()), v.row, v.column, got, e.name.c_str(),
        e.value[at], e.bound[at]);
  }
  return text;
}

double Ratio(double error, double bound) {
  if (!std::isfinite(error)) return std::numeric_limits<double>::infinity();
  if (error == 0) return 0;  // even when the bound is 0: avoids 0 / 0
  return error / bound;
}

// |error| of the dot product before the epilogue.
double FloatDotBound(int k, double sum_of_squares) {
  return kUnitRoundoff * kLambda * kLambda * std::sqrt(k * sum_of_squares);
}

double TensorDotBound(int k, double sum_of_squares) {
  const double steps = (k + kProductsPerStep - 1) / kProductsPerStep;
  if (k <= kAnyDataTerms) return kUnitCut * (k + steps) * std::sqrt(k * sum_of_squares);
  const double scattered = kTensorLambda * std::sqrt(kSquaredPartialSums * kCutVariance * k);
  const double towards_zero = steps / 2 * (2.0 / 3 + kTensorLambda / std::sqrt(3.0));
  return kUnitCut * std::sqrt(sum_of_squares) * (scattered + towards_zero + std::sqrt(steps));
}

void RoundToHalf(std::vector<float>& values) {
  InParallel(values.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) values[i] = __half2float(__float2half_rn(values[i]));
  });
}

}  // namespace

GemmInputs RandomInputs(const GemmShape& shape, float alpha, float beta, std::uint64_t seed, ElementType element) {
  GemmInputs inputs{shape, alpha, beta, {}, {}, {}, element};
  inputs.a.resize(static_cast<std::size_t>(shape.m) * shape.k);
  inputs.b.resize(static_cast<std::size_t>(shape.k) * shape.n);
  inputs.c.resize(static_cast<std::size_t>(shape.m) * shape.n, std::numeric_limits<float>::quiet_NaN());
  FillUniform(inputs.a, 3 * seed);
  FillUniform(inputs.b, 3 * seed + 1);
  if (beta != 0.0f) FillUniform(inputs.c, 3 * seed + 2);
  if (element == ElementType::kHalf) {
    RoundToHalf(inputs.a);
    RoundToHalf(inputs.b);
  }
  return inputs;
}

double ErrorBound(ElementType element, int k, double alpha, double sum_of_squares, double beta, double c) {
  const double dot =
      element == ElementType::kHalf ? TensorDotBound(k, sum_of_squares) : FloatDotBound(k, sum_of_squares);
  // sqrt(k Q) bounds |dot| and so the epilogue's rounding of alpha * dot.
  return std::fabs(alpha) * (dot + kUnitRoundoff * kEpilogueRoundings * std::sqrt(k * sum_of_squares)) +
         kUnitRoundoff * kEpilogueRoundings * std::fabs(beta * c);
}

Expected Float64Expected(const GemmInputs& inputs) {
  const auto [m, n, k] = inputs.shape;
  Expected out{"float64", inputs.shape, {}, {}};
  out.value.resize(static_cast<std::size_t>(m) * n);
  out.bound.resize(out.value.size());
  const std::vector<double> b(inputs.b.begin(), inputs.b.end());
  std::vector<double> dot(n), squares(n);
  for (int row = 0; row < m; ++row) {
    std::ranges::fill(dot, 0.0);
    std::ranges::fill(squares, 0.0);
    for (int i = 0; i < k; ++i) {
      const double a = inputs.a[static_cast<std::size_t>(row) * k + i];
      const double* const b_row = &b[static_cast<std::size_t>(i) * n];
      for (int column = 0; column < n; ++column) {
        const double product = a * b_row[column];
        dot[column] += product;
        squares[column] += product * product;
      }
    }
    for (int column = 0; column < n; ++column) {
      const std::size_t at = static_cast<std::size_t>(row) * n + column;
      const double c = inputs.beta == 0.0f ? 0.0 : inputs.c[at];
      out.value[at] = inputs.alpha * dot[column] + inputs.beta * c;
      out.bound[at] = ErrorBound(inputs.element, k, inputs.alpha, squares[column], inputs.beta, c);
    }
  }
  return out;
}

Verification Compare(const Expected& expected, std::span<const float> out) {
  if (out.size() != expected.value.size()) {
    throw Error("cannot verify " + std::to_string(out.size()) + " elements against a reference of " +
                std::to_string(expected.value.size()) + ": pass the whole of C.");
  }
  Verification v;
  v.reference = expected.name;
  std::size_t worst = 0;
  std::int64_t wrong = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double ratio = Ratio(std::fabs(out[i] - expected.value[i]), expected.bound[i]);
    if (ratio > 1) ++wrong;
    if (ratio > v.error_over_bound) {
      v.error_over_bound = ratio;
      worst = i;
    }
  }
  v.passed = wrong == 0;
  if (!out.empty()) {
    v.row = static_cast<int>(worst / expected.shape.n);
    v.column = static_cast<int>(worst % expected.shape.n);
  }
  if (!v.passed) v.message = Sentence(v, expected, out[worst], wrong);
  return v;
}

}  // namespace culprit
