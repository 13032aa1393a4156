// SPDX-License-Identifier: Apache-2.0
// The normal equations of the fit: one matrix, factored once for all counters.
#pragma once
#include <Eigen/Core>
#include <memory>
#include <span>

#include "bench/phases/layout.h"
#include "bench/phases/sweep.h"

namespace culprit {

using Matrix = Eigen::MatrixXd;                                                       // column by column
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;  // unknowns x counters

class NormalMatrix {
 public:
  NormalMatrix(int unknowns, bool is_sparse);
  ~NormalMatrix();
  NormalMatrix(NormalMatrix&&) noexcept;
  NormalMatrix& operator=(NormalMatrix&&) noexcept;

  void Add(std::span<const RowEntry> row);
  void AddTo(int row, int column, double value);  // column <= row
  double Diagonal(int i) const;
  // False if it is not positive definite.
  bool Factor();
  Matrix Solve(const Matrix& right) const;
  // Draws whose covariance is the inverse, from independent standard normal numbers.
  Matrix Draws(const Matrix& normal) const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace culprit
