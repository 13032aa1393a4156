// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <string>
#include <string_view>

#include "analysis/judge/why/headline.h"
#include "analysis/launch/recording.h"
#include "analysis/number/printable.h"
#include "analysis/show/render/json_cell.h"
#include "analysis/show/report/check_notes.h"
#include "analysis/show/report/check_report.h"
#include "analysis/show/report/run_header.h"

namespace culprit {
namespace {

using Json = OrderedJson;

struct Rule {
  const char *id, *level, *title, *text;
};
constexpr Rule kRules[] = {
    {"kernel-slower", "error", "A kernel became slower",
     "It is slower by more than the limit, beyond the noise between recordings."},
    {"kernel-not-judged", "warning", "A kernel could not be judged",
     "The candidate run does not show what the base run vouches for, or its samples leave it open."},
    {"runs-not-comparable", "warning", "Two runs cannot be compared",
     "They come from different GPUs or settings, or have no launch in common."},
    {"program-slower", "error", "A program takes longer on the GPU",
     "Its kernels and copies together take longer by more than the limit; what is new or gone counts."},
    {"program-not-judged", "warning", "A program could not be judged as a whole",
     "Its executions leave open whether its kernels and copies together take longer by more than the limit."},
    {"kernel-suspect", "warning", "A kernel may have become slower",
     "It is slower by more than the limit, but too few processes show it. 'culprit versus' confirms it or clears it."},
    {"program-suspect", "warning", "A program may take longer on the GPU",
     "Its kernels take longer by more than the limit, but too few executions show it."},
};
enum RuleIndex { kSlower, kNotJudged, kNotComparable, kProgramSlower, kProgramNotJudged, kSuspect, kProgramSuspect };

RuleIndex RuleOf(const CheckNote& note) {
  const bool whole = note.launch == nullptr;
  if (note.judgement == Judgement::kRegression) return whole ? kProgramSlower : kSlower;
  if (note.judgement == Judgement::kSuspect) return whole ? kProgramSuspect : kSuspect;
  return whole ? kProgramNotJudged : kNotJudged;
}

// RFC 3986: what is no letter, digit or mark of a path stands as %20.
std::string Uri(std::string_view path) {
  std::string uri;
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~/+").find(c) != std::string_view::npos;
    plain ? uri += c : uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

Json LocationOf(const std::string& name, const char* kind) {
  Json location = Json::object();
  location["logicalLocations"] = {{{"name", Printable(name)}, {"kind", kind}}};
  return location;
}

Json Location(const CheckedLaunch& launch) {
  Json location = Json::object();
  if (const LineRange at = FirstLinesInProject(launch); !at.file.empty()) {
    Json& physical = location["physicalLocation"];
    physical["artifactLocation"]["uri"] = Uri(at.file);
    physical["artifactLocation"]["uriBaseId"] = "%SRCROOT%";
    if (at.first > 0) physical["region"]["startLine"] = at.first;
    if (at.last > at.first) physical["region"]["endLine"] = at.last;
  }
  location.update(LocationOf(launch.stage, "function"));
  return location;
}

void PutChange(Json& numbers, const std::optional<Shift>& change) {
  if (!change) return;
  numbers["change_pct"] = 100 * change->change;
  numbers["change_low_pct"] = 100 * change->low;
  numbers["change_high_pct"] = 100 * change->high;
}

Json Numbers(const CheckedWork& work) {
  Json numbers = {{"judgement", ToText(work.judgement)},
                  {"base_us", work.verdict.base.Us()},
                  {"candidate_us", work.verdict.candidate.Us()}};
  PutChange(numbers, work.verdict.change);
  return numbers;
}

Json Numbers(const CheckedLaunch& launch) {
  Json numbers = {
      {"stage", Printable(launch.stage)}, {"shape", Printable(launch.shape)}, {"judgement", ToText(launch.judgement)}};
  Put(numbers, "base_us", launch.base_us);
  Put(numbers, "candidate_us", launch.candidate_us);
  PutChange(numbers, launch.Change());
  if (const CausePart* first = launch.explanation ? FirstCause(*launch.explanation) : nullptr) {
    numbers["cause"] = first->cause;
    numbers["cause_us"] = first->delta_us;
  }
  return numbers;
}

Json Result(RuleIndex rule, const std::string& text) {
  return {{"ruleId", kRules[rule].id},
          {"ruleIndex", static_cast<int>(rule)},
          {"level", kRules[rule].level},
          {"message", {{"text", Printable(text)}}}};
}

Json Results(const Check& check) {
  Json results = Json::array();
  for (const CheckNote& note : CheckNotes(check)) {
    const bool whole = note.launch == nullptr;
    Json result = Result(RuleOf(note), note.text);
    result["locations"] = {whole ? LocationOf(note.name, "module") : Location(*note.launch)};
    // The same launch from run to run, whatever its numbers.
    result["partialFingerprints"]["culpritLaunch/v1"] = Printable(note.name);
    result["properties"] = whole ? Numbers(*check.work) : Numbers(*note.launch);
    results.push_back(std::move(result));
  }
  if (results.empty() && check.Status() != CheckStatus::kFine)
    results.push_back(
        Result(kNotComparable, check.not_comparable.empty() ? CheckHeadline(check) + "." : check.not_comparable));
  return results;
}

}  // namespace

void RenderCheckSarif(const Check& check, std::ostream& out) {
  Json rules = Json::array();
  for (const Rule& rule : kRules)
    rules.push_back({{"id", rule.id},
                     {"shortDescription", {{"text", rule.title}}},
                     {"fullDescription", {{"text", rule.text}}},
                     {"defaultConfiguration", {{"level", rule.level}}}});
  Json run;
  run["tool"]["driver"] = {{"name", "culprit"}, {"rules", std::move(rules)}};
  run["automationDetails"]["id"] = "culprit/check/";
  run["invocations"] = {{{"executionSuccessful", true}, {"exitCode", static_cast<int>(check.Status())}}};
  run["columnKind"] = "unicodeCodePoints";
  run["results"] = Results(check);
  run["properties"] = {{"headline", Printable(CheckHeadline(check))},
                       {"base", Printable(RunName(check.base.run))},
                       {"candidate", Printable(RunName(check.candidate.run))},
                       {"max_slowdown_pct", 100 * check.max_slowdown}};
  Json document = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                   {"version", "2.1.0"},
                   {"runs", Json::array({std::move(run)})}};
  Write(std::move(document), out);
}

}  // namespace culprit
