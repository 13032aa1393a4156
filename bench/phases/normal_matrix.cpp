// SPDX-License-Identifier: Apache-2.0
#include "bench/phases/normal_matrix.h"

#include <Eigen/Cholesky>
#include <Eigen/SparseCholesky>
#include <cstdint>
#include <utility>
#include <vector>

namespace culprit {
namespace {

// Sums at places of a matrix, most of which are empty: a hash table with open addressing.
class SparseSums {
 public:
  SparseSums() : keys_(1U << 16U, kEmpty), values_(keys_.size()) {}

  void Add(int row, int column, double value) {
    const std::uint64_t key = (static_cast<std::uint64_t>(row) << 32U) | static_cast<std::uint32_t>(column);
    std::size_t slot = SlotOf(key);
    if (keys_[slot] == kEmpty) {
      if (2 * ++used_ > keys_.size()) {
        Grow();
        slot = SlotOf(key);
      }
      keys_[slot] = key;
    }
    values_[slot] += value;
  }

  double At(int row, int column) const {
    return values_[SlotOf((static_cast<std::uint64_t>(row) << 32U) | static_cast<std::uint32_t>(column))];
  }

  std::vector<Eigen::Triplet<double>> Triplets() const {
    std::vector<Eigen::Triplet<double>> triplets;
    triplets.reserve(used_);
    for (std::size_t i = 0; i < keys_.size(); ++i)
      if (keys_[i] != kEmpty)
        triplets.emplace_back(static_cast<int>(keys_[i] >> 32U), static_cast<int>(keys_[i] & 0xffffffffU), values_[i]);
    return triplets;
  }

 private:
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};

  std::size_t SlotOf(std::uint64_t key) const {
    std::size_t slot = (key * 0x9e3779b97f4a7c15ULL) >> 24U & (keys_.size() - 1);  // Fibonacci hashing (Knuth)
    while (keys_[slot] != kEmpty && keys_[slot] != key) slot = (slot + 1) & (keys_.size() - 1);
    return slot;
  }
  void Grow() {
    const std::vector<std::uint64_t> keys = std::exchange(keys_, std::vector<std::uint64_t>(2 * keys_.size(), kEmpty));
    const std::vector<double> values = std::exchange(values_, std::vector<double>(keys_.size()));
    for (std::size_t i = 0; i < keys.size(); ++i)
      if (keys[i] != kEmpty) {
        const std::size_t slot = SlotOf(keys[i]);
        keys_[slot] = keys[i];
        values_[slot] = values[i];
      }
  }

  std::vector<std::uint64_t> keys_;
  std::vector<double> values_;
  std::size_t used_ = 0;
};

}  // namespace

struct NormalMatrix::Data {
  int unknowns = 0;
  bool is_sparse = false;
  Matrix dense;  // the lower triangle
  Eigen::LLT<Matrix, Eigen::Lower> dense_factor;
  SparseSums sparse;
  Eigen::SimplicialLLT<Eigen::SparseMatrix<double>, Eigen::Lower, Eigen::AMDOrdering<int>> sparse_factor;
  Eigen::VectorXd diagonal;  // once factored

  void Add(int row, int column, double value) {
    if (row < column) std::swap(row, column);
    if (is_sparse)
      sparse.Add(row, column, value);
    else
      dense(row, column) += value;
  }
};

NormalMatrix::NormalMatrix(int unknowns, bool is_sparse) : data_(std::make_unique<Data>()) {
  data_->unknowns = unknowns;
  data_->is_sparse = is_sparse;
  if (!is_sparse) data_->dense = Matrix::Zero(unknowns, unknowns);
}
NormalMatrix::~NormalMatrix() = default;
NormalMatrix::NormalMatrix(NormalMatrix&&) noexcept = default;
NormalMatrix& NormalMatrix::operator=(NormalMatrix&&) noexcept = default;

void NormalMatrix::Add(std::span<const RowEntry> row) {
  for (std::size_t i = 0; i < row.size(); ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      const bool is_repeated = j < i && row[i].column == row[j].column;
      data_->Add(row[i].column, row[j].column, (is_repeated ? 2 : 1) * row[i].value * row[j].value);
    }
}

void NormalMatrix::AddTo(int row, int column, double value) { data_->Add(row, column, value); }

double NormalMatrix::Diagonal(int i) const {
  if (data_->diagonal.size() > 0) return data_->diagonal(i);
  return data_->is_sparse ? data_->sparse.At(i, i) : data_->dense(i, i);
}

bool NormalMatrix::Factor() {
  if (data_->is_sparse) {
    const auto triplets = data_->sparse.Triplets();
    Eigen::SparseMatrix<double> matrix(data_->unknowns, data_->unknowns);
    matrix.setFromTriplets(triplets.begin(), triplets.end());
    data_->diagonal = matrix.diagonal();
    data_->sparse = SparseSums();
    data_->sparse_factor.compute(matrix);
    return data_->sparse_factor.info() == Eigen::Success;
  }
  data_->diagonal = data_->dense.diagonal();
  data_->dense_factor.compute(data_->dense);
  return data_->dense_factor.info() == Eigen::Success;
}

Matrix NormalMatrix::Solve(const Matrix& right) const {
  if (data_->is_sparse) return data_->sparse_factor.solve(right);
  return data_->dense_factor.solve(right);
}

Matrix NormalMatrix::Draws(const Matrix& normal) const {
  Matrix draws = normal;
  if (data_->is_sparse) {
    draws = data_->sparse_factor.matrixU().solve(draws).eval();
    return data_->sparse_factor.permutationPinv() * draws;
  }
  data_->dense_factor.matrixU().solveInPlace(draws);
  return draws;
}

}  // namespace culprit
