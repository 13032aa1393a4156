// SPDX-License-Identifier: Apache-2.0
// What SQLite refuses, as one sentence that says what to do. Private to db/.
#pragma once
#include <SQLiteCpp/Exception.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "db/columns.h"
#include "db/error.h"

namespace culprit {

// `doing` completes "cannot ...": "store a launch".
std::string Sentence(const std::filesystem::path& file, std::string_view doing, const SQLite::Exception& e);

// The same of a number that a row must not hold.
std::string Sentence(const std::filesystem::path& file, std::string_view doing, const BadNumber& e);

// `doing` completes "cannot ... into": "import".
Error ReadersInTheWay(const std::filesystem::path& file, std::string_view doing, int patience_ms);

// Runs `work`; what SQLite refuses becomes a culprit::Error.
template <class Work>
decltype(auto) Saying(const std::filesystem::path& file, std::string_view doing, Work&& work) {
  try {
    return work();
  } catch (const SQLite::Exception& e) {
    throw Error(Sentence(file, doing, e));
  } catch (const BadNumber& e) {
    throw Error(Sentence(file, doing, e));
  }
}

}  // namespace culprit
