// SPDX-License-Identifier: Apache-2.0
// Words for shell completion: names from the database, queries and causes.
#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/database.h"

namespace culprit {

struct WordKind {
  std::string_view name;  // a value of Traits::words (syntax.h)
  std::vector<std::string> (*of)(const std::filesystem::path& file);
};
std::span<const WordKind> WordKinds();

// One word per line. Empty if the file cannot be read, because a shell shows no errors during completion. Leaves out
// names that a shell would evaluate.
std::string WordsOf(std::string_view kind, const std::filesystem::path& file);

}  // namespace culprit
