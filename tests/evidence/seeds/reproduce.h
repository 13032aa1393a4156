// SPDX-License-Identifier: Apache-2.0
// The documents' tables beside ours (`culprit_evidence reproduce`). Every number of ours is read from the recording, every
// number of theirs from analysis/published.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/show/render/report.h"
#include "tests/support/recording.h"

namespace culprit {

struct ReproducedTable {
  std::string_view name;     // "v-study"
  std::string_view summary;  // one line
  // `wide`: people see every column, as a document has room for.
  std::vector<Section> (*make)(const Recording& recording, bool wide);
};

std::span<const ReproducedTable> ReproducedTables();

// One function per table, each in its own file.
std::vector<Section> ReproduceSharedMemory(const Recording& recording, bool wide);  // seeds/000
std::vector<Section> ReproduceVStudy(const Recording& recording, bool wide);        // seeds/002
std::vector<Section> ReproduceSizes(const Recording& recording, bool wide);         // seeds/003
std::vector<Section> ReproducePadding(const Recording& recording, bool wide);       // seeds/004

// A note with the command that would measure the launches which a table needs and the recording lacks.
using SizedStage = std::pair<std::string, int>;  // M = N = K
void AddMissing(const Recording& recording, const std::vector<SizedStage>& needed, Section& section);
// The same for stages at kReproducedSize; nothing when the table is about another shape.
void AddMissing(const Recording& recording, const std::vector<std::string>& stages, const std::string& shape,
                Section& section);

// The size of the tables of one size; documents that state a size state this one.
inline constexpr int kReproducedSize = 4096;

}  // namespace culprit
