// SPDX-License-Identifier: Apache-2.0
// Finds the id of a stage, or of a program's kernel, from the word that a user typed.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/database.h"

namespace culprit {

// KERNEL@RUN. Every command that takes a kernel accepts it.
struct StageWord {
  std::string stage, run;  // `run` is empty without '@'
};
StageWord ParseStageWord(const std::string& word);

// Only a stage's names, because a program may have 100,000 kernels.
struct NamedStage {
  std::string id, idea;
};
std::vector<NamedStage> StagesNamedIn(const Database& database, RunId run);
bool HaveStageInCommon(std::span<const NamedStage> some, std::span<const NamedStage> others);

// The id in `stages` that `word` stands for. In this order: the id that equals it; the only id that is `word`, '~' and
// digits ("gather" for "gather~3fa21b"); the only id that begins with it. Empty: none. If several match, throws
// culprit::Error that lists them.
std::string StageIdAmong(std::span<const NamedStage> stages, std::string_view word);

// The same in the stages of the runs that `run` names or, if none matches there, in the whole database. If several
// stages of the database match, only the newest complete run that has one of them is searched. If nothing matches,
// throws culprit::Error that lists what exists.
std::string StageIdIn(const Database& database, std::string_view word, const std::string& run);

}  // namespace culprit
