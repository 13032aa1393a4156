// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/why/why.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "analysis/judge/causes/cause.h"
#include "analysis/judge/why/counterfactual.h"
#include "analysis/judge/why/headline.h"
#include "analysis/judge/why/sampled_advice.h"

namespace culprit {
namespace {

void QuoteLines(const std::vector<SourceQuote>& quotes, std::vector<CauseSource>& sources) {
  for (CauseSource& source : sources) {
    const auto quote = std::ranges::find(quotes, SourceFrame{source.file, source.line}, &SourceQuote::at);
    if (quote != quotes.end()) source.text = quote->text;
  }
}

// What the code of the kernel with more of the cause shows, and that of the other does not.
bool CodeShows(const CausePart& part, const ExaminedPair& examined) {
  const bool in_base = part.delta_us < 0;
  const std::vector<ShownCode>& other = in_base ? examined.candidate : examined.base;
  return !part.to_do.empty() || std::ranges::any_of(part.code, [&](const CauseCode& code) {
    return code.of_base == in_base && std::ranges::none_of(other, [&](const ShownCode& there) {
             return there.cause == part.cause && there.text == code.text;
           });
  });
}

// The text of a cause that rests on the waiting that it explains.
void SayWhatShowsIt(CausePart& part, const ExaminedPair& examined, bool sampled) {
  if (!part.measured.empty() || !part.confirmed_by.empty() || CodeShows(part, examined)) return;
  std::string text = WaitingSentenceFor(part.cause, part.delta_us, part.share, sampled);
  part.only_waits = !text.empty();
  if (part.only_waits) part.text = std::move(text);
}

// The tails stand beside the counts of idle SMs, which do not tell when they were idle.
void AddTails(const PhaseDifference& phases, std::vector<CausePart>& causes) {
  const auto part = std::ranges::find(causes, CauseOf(Factor::kImbalance).id, &CausePart::cause);
  if (part == causes.end() || phases.text.empty()) return;
  const PhaseDifference::Side &base = phases.base, &candidate = phases.candidate;
  const auto sms = [](const PhaseDifference::Side& side) {
    return side.tail.share > 0 ? Measured(side.tail.sms) : Measured::Missing(Absence::kUndefined);
  };
  // In front of counts, because reports show the first ones.
  part->evidence.insert(part->evidence.begin(), {{"tail_us", "", "us", base.TailUs(), candidate.TailUs()},
                                                 {"tail_sms", "", "count", sms(base), sms(candidate)}});
}

}  // namespace

Explanation Why(const Neighbours& neighbours, const KernelRecord& base, const KernelRecord& candidate,
                const std::optional<SampledPair>& sampled, ExaminedPair* examined) {
  const Database& database = neighbours.database();
  Explanation e = ExplainWith(sampled ? &*sampled : nullptr, &neighbours, KernelView(base), KernelView(candidate));
  if (!IsDifference(e.verdict.speed)) return e;
  if (!e.decomposition) {
    const std::optional<KernelCosts> of_base = LoadCode(database, base), of_candidate = LoadCode(database, candidate);
    e.known = KnownWithoutCounters(KernelView(base), KernelView(candidate), of_base ? &*of_base : nullptr,
                                   of_candidate ? &*of_candidate : nullptr);
  }
  e.phases =
      ComparePhases(base, database.Profiles(base.id), candidate, database.Profiles(candidate.id), e.verdict.floor);
  if (e.phases) AddTails(*e.phases, e.causes);
  ExaminedPair pair = sampled ? ExaminePair(base, candidate, *sampled) : ExaminedPair();
  std::vector<InstructionRecord> of_base, of_candidate;
  if (!e.causes.empty()) of_base = database.Instructions(base.id), of_candidate = database.Instructions(candidate.id);
  for (CausePart& part : e.causes) {
    const bool in_base = part.delta_us < 0;
    if (sampled) part.source = SampledSources(part, *sampled, e.DeltaUs());
    if (part.source.empty())
      part.source = CountedSources(part.cause, (in_base ? base : candidate).stage, in_base ? of_base : of_candidate);
    if (const auto* kernel = !sampled ? nullptr : in_base ? &sampled->base : &sampled->candidate; kernel && *kernel)
      QuoteLines((*kernel)->quotes, part.source);
    part.code = CodeOf(part, pair, e);
    part.to_do = ToDoFor(part, pair, e.DeltaUs());
    SayWhatShowsIt(part, pair, sampled.has_value());
  }
  if (examined != nullptr) *examined = std::move(pair);
  return e;
}

Explanation Why(const Neighbours& neighbours, const KernelRecord& base, const KernelRecord& candidate) {
  return Why(neighbours, base, candidate, LoadSamples(neighbours.database(), base, candidate));
}

}  // namespace culprit
