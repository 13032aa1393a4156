// SPDX-License-Identifier: Apache-2.0
#include "analysis/launch/static_view.h"

#include <algorithm>
#include <array>
#include <utility>

namespace culprit {
namespace {

// Most trusted first: the launch loaded what ran; the runtime loads what will run; the cubin is its code. The
// compiler's report and our model are indirect.
constexpr std::array<std::string_view, 5> kTrust = {"launch", "runtime", "cubin", "compiler", "model"};

std::ptrdiff_t Rank(std::string_view source) {
  return std::find(kTrust.begin(), kTrust.end(), source) - kTrust.begin();
}

void Settle(StaticFact& fact) {
  std::stable_sort(fact.statements.begin(), fact.statements.end(),
                   [](const auto& a, const auto& b) { return Rank(a.source) < Rank(b.source); });
  fact.value = fact.statements.front().value;
  for (const auto& statement : fact.statements) {
    if (!statement.value) continue;
    if (!fact.value) fact.value = statement.value;
    fact.disagrees |= *fact.value != *statement.value;
  }
}

}  // namespace

StaticView::StaticView(std::span<const StaticAttribute> attributes) {
  for (const StaticAttribute& attribute : attributes) {
    auto fact =
        std::find_if(facts_.begin(), facts_.end(), [&](const StaticFact& f) { return f.name == attribute.name; });
    if (fact == facts_.end()) fact = facts_.insert(facts_.end(), StaticFact{attribute.name, {}, {}, false});
    fact->statements.push_back({attribute.source, Measured(attribute.value, attribute.status)});
  }
  for (StaticFact& fact : facts_) Settle(fact);
}

Measured StaticView::Get(std::string_view name) const {
  for (const StaticFact& fact : facts_)
    if (fact.name == name) return fact.value;
  return {};
}

bool StaticView::Has(std::string_view name) const {
  return std::any_of(facts_.begin(), facts_.end(), [&](const StaticFact& fact) { return fact.name == name; });
}

std::optional<OccupancyLimit> StaticView::Limit() const {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kResources = {{
      {"blocks_per_sm_by_registers", "registers"},
      {"blocks_per_sm_by_shared", "shared memory"},
      {"blocks_per_sm_by_warps", "warps"},
      {"blocks_per_sm_by_blocks", "blocks"},
  }};
  std::optional<OccupancyLimit> limit;
  for (const auto& [name, resource] : kResources) {
    const Measured blocks = Get(name);
    if (!blocks) return std::nullopt;
    if (!limit || *blocks < limit->blocks_per_sm)
      limit = OccupancyLimit{std::string(resource), *blocks};
    else if (*blocks == limit->blocks_per_sm)
      limit->resource += " and " + std::string(resource);
  }
  return limit;
}

}  // namespace culprit
