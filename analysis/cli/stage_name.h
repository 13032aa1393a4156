// SPDX-License-Identifier: Apache-2.0
// From what a person types to the id of a stage, or of a program's kernel.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "db/database.h"

namespace culprit {

// STAGE@RUN, which every command takes that takes a stage.
struct StageWord {
  std::string stage, run;  // run: empty without @
};
StageWord ParseStageWord(const std::string& word);

// What a run has of its stages without reading them: a program may have 100,000.
struct NamedStage {
  std::string id, idea;
};
std::vector<NamedStage> StagesNamedIn(const Database& database, RunId run);
bool HaveStageInCommon(std::span<const NamedStage> some, std::span<const NamedStage> others);

// The id that `word` means among `stages`: itself; else the only one of that name before its digits, "gather" of
// "gather~3fa21b"; else the only one that begins so. Empty: none does. Throws culprit::Error with the choices where
// several do.
std::string StageIdAmong(std::span<const NamedStage> stages, std::string_view word);

// The same among the stages of the runs that `run` names, else among all of the database; of several there those of the
// newest complete run that has one. Throws culprit::Error with what there is where none is meant.
std::string StageIdIn(const Database& database, std::string_view word, const std::string& run);

}  // namespace culprit
