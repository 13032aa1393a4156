// SPDX-License-Identifier: Apache-2.0
// The table `causes` of studies and checks, which only programs see (docs/json.md).
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "analysis/judge/why/explain.h"
#include "analysis/number/joined.h"
#include "analysis/show/render/tabulate.h"

namespace culprit {

// A text that says what was explained: {"stage", &CheckedLaunch::stage}.
template <class Of>
struct TextOf {
  const char* key;
  std::string Of::*text;
};

// One row per cause of all that was explained.
template <class Of>
ReportTable CauseTable(const std::vector<const Of*>& all, const TextOf<Of>& one, const TextOf<Of>& other) {
  struct Row {
    const Of* of;
    const CausePart* cause;
  };
  std::vector<Row> rows;
  for (const Of* of : all)
    if (of->explanation)
      for (const CausePart& cause : of->explanation->causes) rows.push_back({of, &cause});
  const auto text = [](auto member) { return [member](const Row& r) { return r.of->*member; }; };
  const auto cause = [](auto member) { return [member](const Row& r) { return r.cause->*member; }; };
  const auto bound = [](double Scatter::*side) {
    return [side](const Row& r) { return r.cause->scatter ? Measured((*r.cause->scatter).*side) : Measured(); };
  };
  const auto stages = [](std::vector<Counterfactual> CausePart::*proofs) {
    return [proofs](const Row& r) { return Joined(r.cause->*proofs, &Counterfactual::stage, ","); };
  };
  return ForPrograms<Row>("causes", rows,
                          {{one.key, text(one.text)},
                           {other.key, text(other.text)},
                           {"cause", cause(&CausePart::cause)},
                           {"delta_us", Unit::kTimeDeltaUs, cause(&CausePart::delta_us)},
                           {"share_pct", Unit::kPercent, [](const Row& r) { return 100 * r.cause->share; }},
                           {"scatter_low_us", Unit::kTimeDeltaUs, bound(&Scatter::low)},
                           {"scatter_high_us", Unit::kTimeDeltaUs, bound(&Scatter::high)},
                           {"confirmed_by", stages(&CausePart::confirmed_by)},
                           {"refuted_by", stages(&CausePart::refuted_by)},
                           {"text", cause(&CausePart::text)}});
}

}  // namespace culprit
