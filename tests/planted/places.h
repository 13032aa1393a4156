// SPDX-License-Identifier: Apache-2.0
// How right `why` is about tests/planted/places: kernels with one machine code that are slow because of where their data
// lies. Recorded by script/record-places.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "db/database.h"
#include "tests/planted/score.h"

namespace culprit::testing {

struct Place {
  std::string kind, planted;  // the latter an id of Causes(), or empty if no counter can tell it
  bool told_apart = false;    // `why` says that there is a difference
  Parts said;
  std::string headline;
  bool has_caveat = false;  // that the counters of the bad one may miss what it waited for

  bool IsRight() const;
};

// `folder` has answers.csv: a line for each kind, with its cause.
std::vector<Place> JudgePlaces(const Database& database, const std::filesystem::path& folder);

// In Markdown.
std::string PlacesReport(const std::vector<Place>& judged);
// docs/evidence/places.md.
std::string PlacesDocument(const std::vector<Place>& judged);

}  // namespace culprit::testing
