// SPDX-License-Identifier: Apache-2.0
#include "tests/planted/published.h"

#include <fmt/format.h>

#include <iterator>
#include <string_view>

#include "tests/planted/csv.h"

namespace culprit::testing {
namespace {

constexpr std::string_view kHead =
    "<!-- written by planted_test with CULPRIT_UPDATE_GOLDEN=1 -->\n\n"
    "# Published speed-ups beside ours\n\n"
    "Others changed their kernels and published the speed-ups. We made the same changes in similar kernels "
    "(`tests/planted/kernels/`). Our speed-ups are from the recording that ships, of an H200, at each of a pair's "
    "sizes. Cards, kernels and sizes differ, so only the cause can be compared, and whether it matters, not how much. "
    "The cause is the first that `culprit why` names, with its share of the change at the largest size. "
    "`tests/planted/published.csv` has the published figures.\n\n"
    "| pair | what was changed | published by | published | ours | first cause | its share | planted |\n"
    "|---|---|---|---:|---:|---|---:|---|\n";

}  // namespace

std::vector<PublishedEffect> ReadPublished(const std::filesystem::path& csv) {
  std::vector<PublishedEffect> published;
  for (const auto& f : ReadCsv(csv, 5))
    published.push_back({f[0], f[1], f[2], f[3].empty() ? std::nullopt : std::optional(std::stod(f[3])), f[4]});
  return published;
}

std::string PublishedDocument(std::span<const PublishedEffect> published, std::span<const JudgedPair> judged) {
  std::string text(kHead);
  for (const PublishedEffect& effect : published) {
    std::string ours;
    const JudgedPair* largest = nullptr;
    for (const JudgedPair& j : judged)
      if (j.answer.pair == effect.pair) {
        ours += fmt::format("{}{:.2f}", ours.empty() ? "" : ", ", j.candidate_us / j.base_us);
        if (largest == nullptr || j.base_us > largest->base_us) largest = &j;
      }
    std::string cause = "-", share = "-";
    if (largest != nullptr && !largest->causes.empty()) {
      cause = largest->causes.front();
      share = fmt::format("{:.0f} %", 100 * largest->shares.at(cause));
    }
    fmt::format_to(std::back_inserter(text), "| {} | {} | [{}]({}) | {} | {} | {} | {} | {} |\n", effect.pair,
                   effect.what, effect.source, effect.url,
                   effect.speed_up ? fmt::format("{:g}", *effect.speed_up) : "-", ours.empty() ? "-" : ours, cause,
                   share, largest == nullptr ? "-" : largest->answer.cause);
  }
  return text;
}

}  // namespace culprit::testing
