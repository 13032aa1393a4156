// SPDX-License-Identifier: Apache-2.0
#include "tests/planted/advice_score.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include "analysis/advice/advice.h"
#include "analysis/kernel/kernel_view.h"
#include "tests/planted/accuracy.h"
#include "tests/planted/csv.h"
#include "tests/planted/planted_lines.h"
#include "tests/planted/sampled_launches.h"

namespace culprit::testing {
namespace {

namespace fs = std::filesystem;

// Which kernels belong to a pair.
struct PairOfKernels {
  std::string planted, base, candidate, cause;
};

std::vector<PairOfKernels> PlantedPairs(const fs::path& tests) {
  std::vector<PairOfKernels> pairs;
  for (const PlantedAnswer& a : ReadAnswers(tests / "answers.csv")) pairs.push_back({a.pair, a.base, a.candidate, a.cause});
  std::set<std::string> known;
  for (const PairOfKernels& pair : pairs) known.insert(pair.base), known.insert(pair.candidate);
  for (const auto& f : ReadCsv(tests / "harmless.csv", 5))
    if (!known.contains(f[1])) pairs.push_back({f[0], f[1], f[2], ""});
  return pairs;
}

// Advice names one line, and others of the same file.
bool IsAt(const Advice& advice, const PlantedPlace& place) {
  if (!place.OnLine() || advice.at.file != PlantedSource(place.planted)) return false;
  const auto within = [&](int line) { return line >= place.first && line <= place.last; };
  return within(advice.at.line) || std::ranges::any_of(advice.also_lines, within);
}

void Add(std::string& list, const std::string& what) { list += (list.empty() ? "" : ", ") + what; }

}  // namespace

std::vector<RightAdvice> ReadRightAdvice(const fs::path& csv) {
  std::vector<RightAdvice> all;
  for (const auto& f : ReadCsv(csv, 4)) {
    if (f[3] != "must" && f[3] != "may") throw std::runtime_error("advice.csv: '" + f[3] + "' is neither must nor may");
    if (std::ranges::find(AdviceKinds(), f[2], &AdviceKind::id) == AdviceKinds().end())
      throw std::runtime_error("advice.csv: no advice is called '" + f[2] + "'");
    all.push_back({f[0], f[1], f[2], f[3] == "must"});
  }
  return all;
}

std::vector<AdviceCase> JudgeAdvice(const Database& database, const fs::path& tests, const fs::path& root) {
  const std::vector<RightAdvice> right = ReadRightAdvice(tests / "advice.csv");
  const std::vector<PlantedPlace> places = ReadPlantedPlaces(tests / "lines.csv", root);
  std::vector<AdviceCase> cases;
  const std::vector<SampledLaunch> launches = SampledLaunches(database);
  for (const PairOfKernels& pair : PlantedPairs(tests))
    for (const SampledLaunch& launch : launches) {
      const std::string& kernel = launch.record.stage.id;
      if (kernel != pair.base && kernel != pair.candidate) continue;
      AdviceCase found{pair.planted, kernel, launch.record.launch.shape};
      const auto of_kernel = [&](const RightAdvice& r) { return r.planted == pair.planted && r.kernel == kernel; };
      found.harmless = std::ranges::none_of(right, [&](const RightAdvice& r) { return r.must && of_kernel(r); });
      for (const Advice& advice : AdviceOn(QuestionOf(launch.record, launch.costs, launch.counted))) {
        const std::string text = fmt::format("{} at {}", advice.id, advice.at.line);
        Add(found.said, text);
        bool allowed = false;
        for (const RightAdvice& r : right) {
          if (!of_kernel(r) || r.advice != advice.id) continue;
          allowed = true;
          if (r.must)
            for (const PlantedPlace& place : places)
              found.right |= place.planted == pair.planted && place.cause == pair.cause && IsAt(advice, place);
        }
        if (!allowed) Add(found.wrong, text);
      }
      for (const RightAdvice& r : right)
        if (r.must && of_kernel(r)) found.wanted = r.advice;
      cases.push_back(std::move(found));
    }
  return cases;
}

AdviceShares SharesOf(std::span<const AdviceCase> cases) {
  AdviceShares shares;
  for (const AdviceCase& c : cases) {
    ++shares.all;
    shares.wrong += !c.wrong.empty();
    shares.harmless += c.harmless;
    shares.wrong_harmless += c.harmless && !c.wrong.empty();
    shares.wanted += !c.wanted.empty();
    shares.right += !c.wanted.empty() && c.right;
  }
  return shares;
}

std::string AdviceTables(std::span<const AdviceCase> cases) {
  const AdviceShares shares = SharesOf(cases);
  const auto of = [](int n, int all) { return all == 0 ? "-" : fmt::format("{} ({:.0f} %)", n, 100.0 * n / all); };
  std::string text = "| | kernels | |\n|---|---:|---:|\n";
  text += fmt::format("| with a planted cause that advice is about: it is given, at the planted line | {} | {} |\n",
                      shares.wanted, of(shares.right, shares.wanted));
  text += fmt::format("| all: given advice that is not right for them | {} | {} |\n", shares.all,
                      of(shares.wrong, shares.all));
  text += fmt::format("| of those without such a cause | {} | {} |\n", shares.harmless,
                      of(shares.wrong_harmless, shares.harmless));
  std::map<std::string, std::pair<int, int>> by_advice;
  for (const AdviceCase& c : cases)
    if (!c.wanted.empty()) {
      ++by_advice[c.wanted].first;
      by_advice[c.wanted].second += c.right;
    }
  text += "\n| advice | wanted | given |\n|---|---:|---:|\n";
  for (const auto& [advice, counts] : by_advice)
    text += fmt::format("| {} | {} | {} |\n", advice, counts.first, of(counts.second, counts.first));
  text += "\n## Not given, or wrong\n\n| planted | kernel | size | wanted | said | not right |\n|---|---|---:|---|---|---|\n";
  for (const AdviceCase& c : cases)
    if ((!c.wanted.empty() && !c.right) || !c.wrong.empty())
      text += fmt::format("| {} | {} | {} | {} | {} | {} |\n", c.planted, c.kernel, c.shape,
                          c.wanted.empty() ? "-" : c.wanted, c.said.empty() ? "nothing" : c.said,
                          c.wrong.empty() ? "-" : c.wrong);
  return text;
}

}  // namespace culprit::testing
