// SPDX-License-Identifier: Apache-2.0
// What a shell completes words with: names of the database, of queries and of causes.
#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/database.h"

namespace culprit {

struct WordKind {
  std::string_view name;  // of traits.words of an option, see syntax.h
  std::vector<std::string> (*of)(const std::filesystem::path& file);
};
std::span<const WordKind> WordKinds();

// One a line. Nothing where the file cannot be read: a shell shows no errors while it completes. Names that a shell
// would evaluate are left out.
std::string WordsOf(std::string_view kind, const std::filesystem::path& file);

}  // namespace culprit
