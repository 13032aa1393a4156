// SPDX-License-Identifier: Apache-2.0
// The static attributes of one build: the same fact may come from several sources, and they should agree.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/number/measured.h"
#include "db/records.h"

namespace culprit {

// One fact and every source that stated it.
struct StaticFact {
  struct Statement {
    std::string source;  // "launch" | "runtime" | "cubin" | "compiler" | "model"
    Measured value;
  };
  std::string name;
  Measured value;  // of the most trusted source that has one: launch, runtime, cubin, compiler, model
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
  bool Has(std::string_view name) const;                           // stated by a source, be it without a value
  const std::vector<StaticFact>& Facts() const { return facts_; }  // in the order in which they were stated
  // The smallest of blocks_per_sm_by_*; nullopt unless all four are known.
  std::optional<OccupancyLimit> Limit() const;

 private:
  std::vector<StaticFact> facts_;
};

}  // namespace culprit
