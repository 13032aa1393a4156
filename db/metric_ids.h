// SPDX-License-Identifier: Apache-2.0
// Ids of metric rows by definition. Private to db/.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>

#include "db/connection.h"
#include "db/records.h"

namespace culprit {

// Looking up a definition costs more than storing a value, so ids are remembered.
class MetricIds {
 public:
  // Stores the definition if the file does not have it yet.
  std::int64_t IdOf(Connection& connection, const MetricDefinition& metric);
  // After a rollback: ids given out within the transaction do not exist.
  void Forget() { ids_.clear(); }

 private:
  // Unit and meaning are left out: they hardly ever differ where the names agree, and hashing is the cost here.
  struct Hash {
    std::size_t operator()(const MetricDefinition& m) const {
      const std::hash<std::string> hash;
      return hash(m.id) ^ (hash(m.cupti_name) * 31) ^ (hash(m.source) * 17);
    }
  };
  struct Equal {
    bool operator()(const MetricDefinition& a, const MetricDefinition& b) const {
      return a.id == b.id && a.cupti_name == b.cupti_name && a.source == b.source && a.unit == b.unit &&
             a.meaning == b.meaning;
    }
  };
  std::unordered_map<MetricDefinition, std::int64_t, Hash, Equal> ids_;
};

}  // namespace culprit
