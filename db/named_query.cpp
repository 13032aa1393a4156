// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "db/database.h"
#include "db/sql_files.h"

namespace culprit {
namespace {

// "-- What a row is." on the first line.
std::string_view FirstComment(std::string_view sql) {
  std::string_view line = sql.substr(0, sql.find('\n'));
  return line.starts_with("-- ") ? line.substr(3) : std::string_view{};
}

}  // namespace

std::span<const NamedQuery> NamedQueries() {
  static const std::vector<NamedQuery> queries = [] {
    std::vector<NamedQuery> all;
    for (const EmbeddedText& file : QueryFiles()) all.push_back({file.name, FirstComment(file.text), file.text});
    return all;
  }();
  return queries;
}

const NamedQuery* FindNamedQuery(std::string_view name) {
  for (const NamedQuery& query : NamedQueries())
    if (query.name == name) return &query;
  return nullptr;
}

}  // namespace culprit
