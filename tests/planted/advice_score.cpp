// SPDX-License-Identifier: Apache-2.0
#include "tests/planted/advice_score.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include "analysis/judge/advice/advice.h"
#include "analysis/judge/why/sampled_advice.h"
#include "tests/planted/accuracy.h"
#include "tests/planted/csv.h"
#include "tests/planted/mixtures.h"
#include "tests/planted/planted_lines.h"
#include "tests/planted/sampled_launches.h"

namespace culprit::testing {
namespace {

namespace fs = std::filesystem;

// Kernels for which advice.csv has answers.
struct PlantedKernels {
  std::string planted;
  AdviceSource source = AdviceSource::kPair;
  std::vector<std::string> kernels;
};

std::vector<PlantedKernels> AllPlanted(const fs::path& tests) {
  std::vector<PlantedKernels> all;
  std::set<std::string> known;
  for (const PlantedAnswer& a : ReadAnswers(tests / "answers.csv")) {
    all.push_back({a.pair, AdviceSource::kPair, {a.base, a.candidate}});
    known.insert(a.base);
  }
  for (const MixtureAnswer& m : ReadMixtures(tests / "mixtures.csv"))
    all.push_back({m.mixture, AdviceSource::kMixture, {m.base, m.a, m.b, m.both}});
  // One of them is a pair with a cause as well.
  for (const HarmlessPair& h : ReadHarmless(tests / "harmless.csv"))
    if (!known.contains(h.base)) all.push_back({h.pair, AdviceSource::kHarmless, {h.base, h.candidate}});
  return all;
}

// Advice names one line, and others of the same file.
bool IsAt(const Advice& advice, const PlantedPlace& place) {
  if (!place.OnLine() || advice.at.file != place.source) return false;
  const auto within = [&](int line) { return line >= place.first && line <= place.last; };
  return within(advice.at.line) || std::ranges::any_of(advice.also_lines, within);
}

void Add(std::string& list, const std::string& what) { list += (list.empty() ? "" : ", ") + what; }

}  // namespace

bool IsAdviceAbout(std::string_view advice, std::string_view cause) { return IsAdviceOn(cause, advice); }

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
  const std::vector<SampledLaunch> launches = SampledLaunches(database);
  std::vector<AdviceCase> cases;
  for (const PlantedKernels& planted : AllPlanted(tests))
    for (const SampledLaunch& launch : launches) {
      const std::string& kernel = launch.record.stage.id;
      if (std::ranges::count(planted.kernels, kernel) == 0) continue;
      AdviceCase found{planted.planted, kernel, launch.record.launch.shape, planted.source};
      std::set<std::string> allowed;
      for (const RightAdvice& r : right) {
        if (r.planted != planted.planted || r.kernel != kernel) continue;
        allowed.insert(r.advice);
        if (r.must) found.wanted.push_back({r.advice});
      }
      for (const Advice& advice : AdviceOn(QuestionOf(launch.record, launch.costs, launch.counted))) {
        const std::string text = fmt::format("{} at {}", advice.id, advice.at.line);
        Add(found.said, text);
        if (!allowed.contains(std::string(advice.id))) Add(found.wrong, text);
        for (WantedAdvice& wanted : found.wanted)
          if (wanted.advice == advice.id)
            wanted.given |= std::ranges::any_of(places, [&](const PlantedPlace& place) {
              return place.planted == planted.planted && IsAdviceAbout(wanted.advice, place.cause) &&
                     IsAt(advice, place);
            });
      }
      cases.push_back(std::move(found));
    }
  return cases;
}

AdviceShares SharesOf(std::span<const AdviceCase> cases) {
  AdviceShares shares;
  for (const AdviceCase& c : cases) {
    ++shares.all;
    shares.wrong += !c.wrong.empty();
    shares.harmless += c.wanted.empty();
    shares.wrong_harmless += c.wanted.empty() && !c.wrong.empty();
    for (const WantedAdvice& wanted : c.wanted) {
      ++shares.wanted;
      shares.right += wanted.given;
    }
  }
  return shares;
}

std::string AdviceTables(std::span<const AdviceCase> cases) {
  const auto of = [](int n, int all) { return all == 0 ? "-" : fmt::format("{} ({:.0f} %)", n, 100.0 * n / all); };
  std::string text =
      "| kernels | | advice that must be given | given at the planted line | got wrong advice | of these without such "
      "a cause |\n|---|---:|---:|---:|---:|---:|\n";
  for (const auto& [source, title] :
       {std::pair(AdviceSource::kPair, "pairs of one cause"), std::pair(AdviceSource::kMixture, "mixtures of two"),
        std::pair(AdviceSource::kHarmless, "pairs that make no difference")}) {
    std::vector<AdviceCase> some;
    for (const AdviceCase& c : cases)
      if (c.source == source) some.push_back(c);
    if (some.empty()) continue;
    const AdviceShares shares = SharesOf(some);
    text += fmt::format("| {} | {} | {} | {} | {} | {} of {} |\n", title, shares.all, shares.wanted,
                        of(shares.right, shares.wanted), of(shares.wrong, shares.all), shares.wrong_harmless,
                        shares.harmless);
  }
  std::map<std::string, std::pair<int, int>> by_advice;
  for (const AdviceCase& c : cases)
    for (const WantedAdvice& wanted : c.wanted) {
      ++by_advice[wanted.advice].first;
      by_advice[wanted.advice].second += wanted.given;
    }
  text += "\n| advice | wanted | given |\n|---|---:|---:|\n";
  for (const auto& [advice, counts] : by_advice)
    text += fmt::format("| {} | {} | {} |\n", advice, counts.first, of(counts.second, counts.first));
  text +=
      "\n## Not given, or wrong\n\n| planted | kernel | size | not given | said | not right "
      "|\n|---|---|---:|---|---|---|\n";
  for (const AdviceCase& c : cases) {
    std::string missing;
    for (const WantedAdvice& wanted : c.wanted)
      if (!wanted.given) Add(missing, wanted.advice);
    if (missing.empty() && c.wrong.empty()) continue;
    text +=
        fmt::format("| {} | {} | {} | {} | {} | {} |\n", c.planted, c.kernel, c.shape, missing.empty() ? "-" : missing,
                    c.said.empty() ? "nothing" : c.said, c.wrong.empty() ? "-" : c.wrong);
  }
  return text;
}

std::string AdviceDocument(std::span<const AdviceCase> cases) {
  return "<!-- written by planted_test with CULPRIT_UPDATE_GOLDEN=1 -->\n\n"
         "# Whether advice is right\n\n"
         "`culprit annotate KERNEL` says what to do, from the machine code ([lines](../lines.md)). This page "
         "compares its advice on the planted kernels with answers, on the recordings that ship, of an H200. The "
         "answers say which advice a kernel with a planted cause must get at a line of the cause "
         "(`tests/planted/lines.csv`), and which other advice is right for any kernel. They were written down from the "
         "sources alone (`tests/planted/advice.csv`), before a kernel got its first advice. All other advice "
         "counts as wrong.\n\n"
         "At first sight, on the pairs of one cause, 48 of 64 pieces of advice (75 %) were given, and 26 of 292 "
         "kernels (9 %) got wrong advice. The misses had these reasons. A pair of registers was taken for one value, "
         "which made chains of loads and hid doubles. Waiting warps were looked for right behind a barrier, but they "
         "wait further on. Loads were taken for the limit of kernels that compute. A loop's walk through memory was "
         "not seen if it moves an index in place of an address. One answer was corrected: `linearize_264_blocks` may "
         "get advice about its loads, because stores keep them apart.\n\n"
         "Then the mixtures of two causes and the pairs that make no difference were sampled on an H200 and judged "
         "for the first time: 36 of 44 pieces of advice (82 %) were given. None of the 120 kernels of mixtures and 1 "
         "of the 116 that make no difference got wrong advice. This is the figure for kernels to which nothing was "
         "fitted. Then missing rules were added: for doubles that begin as integers, and for loads that overlap and so "
         "ask device memory for less than they load. All of these kernels were sampled again: 106 of 108 pieces of "
         "advice were given, and 4 of 528 kernels got wrong advice.\n\n"
         "Sectors and wavefronts come from the counts of single instructions, if the other recording of the "
         "same code has them. Otherwise they are computed from the addresses, and as much of the advice is right.\n\n"
         "Still wrong: two loads of four values each keep 25 KB of an SM under way, more than an idle device memory "
         "needs at its latency (700 cycles), and yet eight loads are faster. A load at the head of a long loop gets "
         "the advice to load earlier, although this gains little. A kernel that FP64 limits gets advice on scattered "
         "accesses that cost it nothing: samples show where warps wait, not what limits the kernel.\n\n"
         "To judge other recordings: `build/cpu/bin/planted_advice PLANTED.db`.\n\n" +
         AdviceTables(cases);
}

}  // namespace culprit::testing
