// SPDX-License-Identifier: Apache-2.0
#include "bench/phases/prior.h"

#include <cmath>

namespace culprit {

void AddPriors(const Layout& layout, const Rows& counts, NormalMatrix& matrix, Rows& right) {
  for (std::size_t g = 0; g < layout.groups.size(); ++g) {
    const LaunchGroup& group = layout.groups[g];
    if (group.unknowns == 0) continue;
    const int last = group.Last();
    const double seen = matrix.Diagonal(last), ridge = seen > 0 ? kRidge * seen : 1;
    matrix.AddTo(last, last, ridge);
    right.row(last) += ridge * counts.row(static_cast<Eigen::Index>(g));
    for (int i = 1; i < group.unknowns; ++i) {
      const auto edge = static_cast<std::size_t>(i);
      const double scale = std::sqrt(kSmoothing) * (group.edges[edge] - group.edges[edge - 1]);
      const double after = scale / group.Area(edge), before = scale / group.Area(edge - 1);
      // (u[i] - u[i-1]) / area - (u[i-1] - u[i-2]) / area, where u[-1] = 0
      const RowEntry row[] = {
          {group.column + i, after}, {group.column + i - 1, -after - before}, {group.column + i - 2, before}};
      matrix.Add({row, i > 1 ? 3U : 2U});
    }
  }
  for (const int column : {layout.Rest(), layout.Background()}) {
    const double seen = matrix.Diagonal(column);
    matrix.AddTo(column, column, seen > 0 ? kRidge * seen : 1);
  }
}

}  // namespace culprit
