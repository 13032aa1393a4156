// SPDX-License-Identifier: Apache-2.0
// Ids of metric rows by definition. Private to db/.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>

#include "db/rows.h"

namespace culprit {

// Remembers ids, because looking up a definition costs more than storing a value.
class MetricIds {
 public:
  // Stores the definition if the file does not have it yet.
  std::int64_t IdOf(Connection& connection, const MetricDefinition& metric) {
    if (const auto known = ids_.find(metric); known != ids_.end()) return known->second;
    return ids_.emplace(metric, RowWith(connection, "metric", Fields(metric)).id).first->second;
  }
  // Call after a rollback: ids from the rolled-back transaction do not exist.
  void Forget() { ids_.clear(); }

 private:
  // Leaves out unit and meaning, because they rarely differ if the names are equal, and because hashing is the main
  // cost.
  struct Hash {
    std::size_t operator()(const MetricDefinition& m) const {
      const std::hash<std::string> hash;
      return hash(m.id) ^ (hash(m.cupti_name) * 31) ^ (hash(m.source) * 17);
    }
  };
  struct Equal {
    bool operator()(const MetricDefinition& a, const MetricDefinition& b) const { return Fields(a) == Fields(b); }
  };
  std::unordered_map<MetricDefinition, std::int64_t, Hash, Equal> ids_;
};

}  // namespace culprit
