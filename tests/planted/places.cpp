// SPDX-License-Identifier: Apache-2.0
#include "tests/planted/places.h"

#include <fmt/format.h>

#include <stdexcept>

#include "analysis/judge/why/headline.h"
#include "analysis/judge/why/sampled_pair.h"
#include "analysis/judge/why/why.h"
#include "analysis/launch/timing_caveats.h"
#include "tests/planted/csv.h"
#include "tests/planted/mixtures.h"
#include "tests/planted/pairs.h"

namespace culprit::testing {

std::vector<Place> JudgePlaces(const Database& database, const std::filesystem::path& folder) {
  const auto launches = LaunchesByKernel(database);
  std::vector<Place> judged;
  for (const auto& line : ReadCsv(folder / "answers.csv", 2)) {
    const auto of = [&](const char* which) { return launches.find(fmt::format("place_{}_{}", line[0], which)); };
    const auto good = of("good"), bad = of("bad");
    if (good == launches.end() || bad == launches.end()) continue;
    const auto sampled = LoadSamples(database, good->second, bad->second);
    const Explanation why =
        ExplainWith(sampled ? &*sampled : nullptr, nullptr, KernelView(good->second), KernelView(bad->second));
    judged.push_back({line[0], line[1], IsDifference(why.verdict.speed), PartsOf(why), Headline(why),
                      !TimingCaveats(KernelView(bad->second), "").empty()});
  }
  if (judged.empty()) throw std::runtime_error("the database has no pair of tests/planted/places");
  return judged;
}

bool Place::IsRight() const {
  return told_apart && (planted.empty() ? headline.starts_with("not in the code") : said.First() == planted);
}

std::string PlacesReport(const std::vector<Place>& judged) {
  std::string text = "| kind | us | answer | said | right |\n|---|---|---|---|---|\n";
  for (const Place& place : judged)
    text += fmt::format("| {} | {:.2f} -> {:.2f} | {} | {} | {} |\n", place.kind, place.said.base_us,
                        place.said.candidate_us, place.planted.empty() ? "cannot be told" : place.planted,
                        SaidOf(place.said), place.IsRight() ? "yes" : "no");
  return text;
}

std::string PlacesDocument(const std::vector<Place>& judged) {
  return R"(<!-- written by planted_test with CULPRIT_UPDATE_GOLDEN=1 -->

# Where the data lies

`tests/planted/places` has pairs of kernels with the same machine code. One is slow because of where its data lies. One H200 recorded them on 28 November 2026 (driver 580.159.04,
CUDA 13.0, `script/record-places`). "Cannot be told" means that no counter of this GPU tells it. Then `why` must not name a cause in the code.

- `table`: all threads look up one table of 128 bytes past L1, or each block has a copy of it.
- `weights`: a product of a matrix and a vector reads the matrix from pinned memory of the host, or from device memory.
- `flag`: each block looks in each round whether it shall stop. The flag is on the host, or in device memory.
- `records`: random records of 72 GiB, or of 4 GiB. The TLBs of an H200 reach 64 GiB, and CUPTI lists no counter of TLBs. `culprit machine` has the cost of random loads by footprint.
- `pages`: managed memory that the host wrote before each launch, or that the GPU had. Only the first of repeated launches waits for pages, so that counters do not see it. `why` says that the timed launches waited
  for something that the counted ones did not, and `record` warns that the program allocates managed memory. CUPTI's records of page faults make this kernel 1.3 to 2.3 times slower, so they are not used.

)" + PlacesReport(judged) +
         R"(
Two more places were looked for ([cupti](cupti.md)). No stride of 32 bytes to 64 KiB uses the channels of device memory unevenly (`dram__bytes.max`); larger powers of two hit L2. A line in the far
half of L2 takes 30 to 40 cycles longer, about 300 instead of 265. Neither has a cause of its own.
)";
}

}  // namespace culprit::testing
