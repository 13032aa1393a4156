// SPDX-License-Identifier: Apache-2.0
// Turns SQLite's errors into one sentence that says what to do. Private to db/.
#pragma once
#include <SQLiteCpp/Exception.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "db/columns.h"
#include "db/connection.h"
#include "db/damaged_run.h"
#include "db/error.h"

namespace culprit {

// `doing` completes "cannot ...": "store a launch".
std::string Sentence(const std::filesystem::path& file, std::string_view doing, const SQLite::Exception& e);

// The same for a row that no recording writes.
std::string Sentence(const std::filesystem::path& file, std::string_view doing, const BadRow& e);

// The same for a row of a run; names the run.
std::string Sentence(Connection& connection, std::int64_t run, const BadRow& e);

// `doing` completes "cannot ... into": "import".
Error ReadersInTheWay(const std::filesystem::path& file, std::string_view doing, int patience_ms);

// Runs `work` and turns SQLite's exceptions into culprit::Error.
template <class Work>
decltype(auto) Saying(const std::filesystem::path& file, std::string_view doing, Work&& work) {
  try {
    return work();
  } catch (const SQLite::Exception& e) {
    throw Error(Sentence(file, doing, e));
  } catch (const BadRow& e) {
    throw Error(Sentence(file, doing, e));
  }
}

// Runs `work`, which reads `run`. When the run is damaged, throws a DamagedRun that names it.
template <class Work>
decltype(auto) ReadingOf(Connection& connection, std::int64_t run, Work&& work) {
  try {
    return work();
  } catch (const BadRow& e) {
    throw DamagedRun(Sentence(connection, run, e));
  }
}

// Both of the above.
template <class Work>
decltype(auto) SayingOf(Connection& connection, std::int64_t run, std::string_view doing, Work&& work) {
  return Saying(connection.file(), doing, [&]() -> decltype(auto) { return ReadingOf(connection, run, work); });
}

}  // namespace culprit
