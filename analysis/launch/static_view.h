// SPDX-License-Identifier: Apache-2.0
// Static attributes of one build. Several sources may state the same fact, and they should agree.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/number/measured.h"
#include "db/records.h"

namespace culprit {

// One fact with the value from every source.
struct StaticFact {
  struct Statement {
    std::string source;  // "launch" | "runtime" | "cubin" | "compiler" | "model"
    Measured value;
  };
  std::string name;
  Measured value;  // from the most trusted source: launch, runtime, cubin, compiler, model
  std::vector<Statement> statements;
  bool disagrees = false;  // two sources state different numbers
};

struct OccupancyLimit {
  std::string resource;  // "registers" | "shared memory" | "warps" | "blocks"; several joined by " and " on a tie
  double blocks_per_sm = 0;
};

class StaticView {
 public:
  explicit StaticView(std::span<const StaticAttribute> attributes);

  Measured Get(std::string_view name) const;
  bool Has(std::string_view name) const;                           // stated by a source, even without a value
  const std::vector<StaticFact>& Facts() const { return facts_; }  // in the order stated
  // The smallest of blocks_per_sm_by_*; nullopt unless all four are known.
  std::optional<OccupancyLimit> Limit() const;

 private:
  std::vector<StaticFact> facts_;
};

}  // namespace culprit
