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
  for (const PlantedAnswer& a : ReadAnswers(tests / "answers.csv"))
    pairs.push_back({a.pair, a.base, a.candidate, a.cause});
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
  text +=
      "\n## Not given, or wrong\n\n| planted | kernel | size | wanted | said | not right "
      "|\n|---|---|---:|---|---|---|\n";
  for (const AdviceCase& c : cases)
    if ((!c.wanted.empty() && !c.right) || !c.wrong.empty())
      text += fmt::format("| {} | {} | {} | {} | {} | {} |\n", c.planted, c.kernel, c.shape,
                          c.wanted.empty() ? "-" : c.wanted, c.said.empty() ? "nothing" : c.said,
                          c.wrong.empty() ? "-" : c.wrong);
  return text;
}

std::string AdviceDocument(std::span<const AdviceCase> cases) {
  return "<!-- written by planted_test with CULPRIT_UPDATE_GOLDEN=1 -->\n\n# Whether advice is right\n\n"
         "`culprit show STAGE --lines` says what to do, from the machine code (`docs/lines.md`). On the recordings "
         "that "
         "ship, of an H200, it is held against what is right for each planted kernel: for the slower kernel of a pair "
         "whose cause advice is about, which advice must be given at the line where the cause stands "
         "(`tests/planted/lines.csv`), and for all kernels, which more may be. That was written down from the sources "
         "alone (`tests/planted/advice.csv`) before the first advice was given. All other advice counts as wrong, "
         "whoever is given it: the faster kernels and those with a cause that no advice is about are the unrelated "
         "ones. The pairs that make no difference (`tests/planted/harmless.csv`) were not sampled, but for one.\n\n"
         "At first sight 48 of 64 (75 %) were right, and 26 of 292 (9 %) were given wrong advice, 20 of the 228 "
         "unrelated ones. What was wrong was looked into, so this is no test on unseen kernels: a pair of registers "
         "was taken for one value, which made chains of loads and hid doubles; warps were looked for right behind a "
         "barrier, and wait further on; loads were taken for the limit of kernels that compute; the walk of a loop "
         "through memory was not seen where an index is moved in place of an address. One answer was mended: "
         "`linearize_264_blocks` may be told of its loads, which stores keep apart, which reading its source had not "
         "shown.\n\n"
         "Where the counts of single instructions are known, from the other recording of the same code, sectors and "
         "wavefronts are taken from there; without them they follow from the addresses, and as much is right.\n\n"
         "What is still wrong: two loads of four values each keep 25 KB of an SM under way, which is more than device "
         "memory takes at its latency when it is idle (700 cycles), and eight are faster all the same. And a load at "
         "the head of a long loop is told to go ahead although little is gained.\n\n"
         "To judge other recordings: `build/cpu/bin/planted_advice PLANTED.db`.\n\n" +
         AdviceTables(cases);
}

}  // namespace culprit::testing
