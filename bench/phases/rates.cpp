// SPDX-License-Identifier: Apache-2.0
#include "bench/phases/rates.h"

#include "bench/phases/prior.h"

namespace culprit {

RateFit FitRates(const RateModel& model, std::span<const std::uint32_t> used,
                 const std::function<void(const ModelRow&)>& look) {
  const Eigen::Index unknowns = model.layout.Unknowns(),
                     counters = static_cast<Eigen::Index>(model.samples.all.counters);
  RateFit fit{NormalMatrix(static_cast<int>(unknowns), model.is_sparse),
              Rows::Zero(unknowns, counters),
              {},
              Eigen::RowVectorXd::Zero(counters)};
  Eigen::RowVectorXd total = Eigen::RowVectorXd::Zero(counters);
  double busy = 0;
  Sweep sweep = model.Start();
  for (const std::uint32_t s : used) {
    const ModelRow& row = sweep.Row(s, model.samples.all.start_ns[s], model.samples.all.end_ns[s]);
    const Eigen::Map<const Eigen::RowVectorXd> y(model.samples.Values(s), counters);
    fit.matrix.Add(row.entries);
    for (const RowEntry& entry : row.entries) fit.right.row(entry.column) += entry.value * y;
    fit.squares += y.cwiseAbs2();
    total += y;
    for (const ModelRow::Part& part : row.parts) busy += part.busy_ns;
    if (look) look(row);
  }
  Rows expected = Rows::Zero(static_cast<Eigen::Index>(model.layout.groups.size()), counters);
  if (busy > 0)
    for (Eigen::Index g = 0; g < expected.rows(); ++g)
      expected.row(g) = model.layout.groups[static_cast<std::size_t>(g)].MeanNs() / busy * total;
  AddPriors(model.layout, expected, fit.matrix, fit.right);
  fit.matrix.Factor();
  fit.unknowns = fit.matrix.Solve(fit.right);
  return fit;
}

}  // namespace culprit
