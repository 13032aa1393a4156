// SPDX-License-Identifier: Apache-2.0
#include "tests/strangers/stranger_score.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "analysis/judge/why/causes_on_lines.h"
#include "analysis/judge/why/explain.h"
#include "analysis/judge/why/sampled_pair.h"
#include "analysis/judge/why/why.h"
#include "tests/planted/csv.h"
#include "tests/planted/pairs.h"
#include "tests/planted/planted_lines.h"

namespace culprit::testing {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t kShown = 4;  // lines, or causes, of what was said

struct Answer {
  std::string kernel, change;
  PlantedPlace place;
};

bool IsNumber(const std::string& text) { return !text.empty() && text.find_first_not_of("0123456789") == text.npos; }

// Lines by what stands there, or by numbers, the first and the last.
std::vector<Answer> ReadAnswersOf(const fs::path& folder) {
  std::vector<Answer> answers;
  for (const auto& f : ReadCsv(folder / "answers.csv", 7)) {
    Answer& answer = answers.emplace_back(Answer{f[0], f[2], {f[1], f[3]}});
    answer.place.source = f[1];
    if (f[4] == "none") continue;
    if (IsNumber(f[4])) {
      answer.place.first = std::stoi(f[4]), answer.place.last = std::stoi(f[5]);
      continue;
    }
    FindPlace(folder / "programs" / f[1], f[4], f[5], f[6], answer.place);
  }
  return answers;
}

// Recorded paths are those that the compiler was given.
std::vector<GrownLine> ByFileName(std::vector<GrownLine> lines) {
  for (GrownLine& line : lines) line.file = fs::path(line.file).filename().string();
  return lines;
}

std::string Said(std::span<const GrownLine> grown) {
  std::string text;
  for (const GrownLine& line : grown.first(std::min(grown.size(), kShown)))
    text += fmt::format("{}{}:{} {:+.1f}", text.empty() ? "" : ", ", fs::path(line.file).stem().string(), line.line,
                        line.us);
  return text;
}

std::string Said(const Explanation& why) {
  std::string text;
  for (const CausePart& part : why.causes)
    if (std::abs(part.share) >= 0.01) text += fmt::format("{} {:.0f} %, ", part.cause, 100 * part.share);
  if (!why.decomposition) return "not counted";
  const double delta_us = why.DeltaUs();
  return delta_us == 0 ? text + "no difference"
                       : text + fmt::format("unexplained {:.0f} %", 100 * why.unexplained_us / delta_us);
}

// Of the first that is meant; `cause` names one, or several with | between.
int RankAmong(std::span<const CausePart> causes, const std::string& cause) {
  const std::string among = "|" + cause + "|";
  const auto found = std::ranges::find_if(
      causes, [&](const CausePart& part) { return among.find("|" + part.cause + "|") != among.npos; });
  if (found == causes.end() || found->share <= 0) return 0;
  return static_cast<int>(found - causes.begin()) + 1;
}

// A template's id ends with '~' and a hash of its arguments.
std::string NameOf(const std::string& stage_id) { return stage_id.substr(0, stage_id.find('~')); }

std::vector<PlantedPlace> PlacesOf(std::span<const Answer> answers, const std::string& kernel,
                                   std::string_view changes) {
  std::vector<PlantedPlace> places;
  for (const Answer& answer : answers)
    if (answer.kernel == kernel && changes.find(answer.change) != changes.npos) places.push_back(answer.place);
  return places;
}

StrangerCase Judge(const Database& database, const KernelRecord& base, const KernelRecord& candidate,
                   std::span<const PlantedPlace> places) {
  StrangerCase judged{NameOf(base.stage.id), base.run.run.label, candidate.run.run.label};
  const std::optional<SampledPair> sampled = LoadSamples(database, base, candidate);
  const Explanation why = Why(Neighbours(database), base, candidate, sampled, nullptr);
  judged.base_us = why.base_us.value_or(NAN), judged.candidate_us = why.candidate_us.value_or(NAN);
  judged.told_apart = IsDifference(why.verdict.speed);
  judged.causes = Said(why);
  std::vector<GrownLine> alone, grown;
  if (sampled) {
    LineDifferences lines = sampled->lines;
    alone = ByFileName(GrownLines(lines));
    PutCausesOnLines(why, lines);
    grown = ByFileName(GrownLines(lines));
  }
  judged.lines = Said(grown);
  for (const PlantedPlace& place : places)
    if (std::ranges::find(judged.planted, place.cause, &StrangerCase::Planted::cause) == judged.planted.end())
      judged.planted.push_back({place.cause, place.OnLine(), RankOf(grown, places, place.cause),
                                RankOf(alone, places, place.cause), RankAmong(why.causes, place.cause)});
  return judged;
}

struct Count {
  int all = 0, on_line = 0, lines = 0, alone = 0, causes = 0;

  void Add(const StrangerCase& c) {
    ++all;
    causes += c.CausesRight();
    if (!c.OnLine()) return;
    ++on_line;
    lines += c.LinesRight();
    alone += std::ranges::all_of(c.planted, [](const auto& p) { return !p.on_line || p.line_alone == 1; });
  }
  std::string Cells() const {
    const std::string of = on_line == all ? "" : fmt::format(" of {}", on_line);
    return fmt::format("{} | {}{} | {}{} | {} |\n", all, lines, of, alone, of, causes);
  }
};

// "fma_pipe or instruction_count": a | would end the table's cell.
std::string Or(std::string cause) {
  for (std::size_t at = cause.find('|'); at != cause.npos; at = cause.find('|', at)) cause.replace(at, 1, " or ");
  return cause;
}

// The count of pairs without anything planted.
struct Harmless {
  int all = 0, claimed = 0;
  std::string Sentence(const char* what) const {
    return all == 0 ? "" : fmt::format("\n{}: {}; called different: {}.\n", what, all, claimed);
  }
};

}  // namespace

bool StrangerCase::OnLine() const { return std::ranges::any_of(planted, &Planted::on_line); }

bool StrangerCase::LinesRight() const {
  return OnLine() && std::ranges::all_of(planted, [](const Planted& p) { return !p.on_line || p.line == 1; });
}

bool StrangerCase::CausesRight() const {
  return std::ranges::all_of(planted, [&](const Planted& p) { return p.named >= 1 && p.named <= std::ssize(planted); });
}

std::vector<StrangerCase> JudgeStrangers(const Database& database, const fs::path& folder) {
  const std::vector<Answer> answers = ReadAnswersOf(folder);
  std::map<std::pair<std::string, std::string>, KernelRecord> launches;  // by kernel and label
  for (KernelRecord& record : LoadKernels(database, database.Query("SELECT id FROM launch WHERE state = 'ok'"))) {
    std::pair key(NameOf(record.stage.id), record.run.run.label);
    launches.emplace(std::move(key), std::move(record));
  }
  std::vector<std::string> kernels;
  for (const Answer& answer : answers)
    if (std::ranges::find(kernels, answer.kernel) == kernels.end()) kernels.push_back(answer.kernel);
  struct Pair {
    const char *base, *candidate, *changes;
  };
  std::vector<StrangerCase> cases;
  for (const Pair& pair : {Pair{"base", "a", "A"},
                           {"base", "b", "B"},
                           {"base", "ab", "AB"},
                           {"a", "ab", "B"},
                           {"base", "again", ""},
                           Pair{"base", "same", ""}})
    for (const std::string& kernel : kernels) {
      const auto base = launches.find({kernel, pair.base}), candidate = launches.find({kernel, pair.candidate});
      if (base == launches.end() || candidate == launches.end()) continue;
      cases.push_back(Judge(database, base->second, candidate->second, PlacesOf(answers, kernel, pair.changes)));
    }
  return cases;
}

std::string StrangerReport(std::span<const StrangerCase> cases) {
  std::map<std::string, Count> counts;
  std::map<std::string, Harmless> harmless;  // by the label of the second
  for (const StrangerCase& c : cases) {
    if (c.planted.empty())
      ++harmless[c.candidate].all, harmless[c.candidate].claimed += c.told_apart;
    else if (c.DeltaShare() >= kLeastSlower)
      counts[c.base + " -> " + c.candidate].Add(c);
  }
  std::string text = "| of those at least 5 % slower | all | lines first | by samples alone | causes first |\n";
  text += "|---|---:|---:|---:|---:|\n";
  for (const auto& [pair, count] : counts) text += "| " + pair + " | " + count.Cells();
  text += harmless["again"].Sentence("Recorded again") + harmless["same"].Sentence("Written otherwise");
  text += "\n| kernel | pair | us | planted: line (by samples alone), cause | lines grew | causes |\n";
  text += "|---|---|---|---|---|---|\n";
  for (const StrangerCase& c : cases) {
    std::string planted;
    for (const auto& p : c.planted)
      planted += fmt::format("{}{}: {}, {}", planted.empty() ? "" : "; ", Or(p.cause),
                             p.on_line ? fmt::format("{} ({})", p.line, p.line_alone) : "no line", p.named);
    text += fmt::format("| {} | {} -> {} | {:.1f} -> {:.1f} ({:+.0f} %) | {} | {} | {} |\n", c.kernel, c.base,
                        c.candidate, c.base_us, c.candidate_us, 100 * c.DeltaShare(), planted, c.lines, c.causes);
  }
  return text;
}

}  // namespace culprit::testing
