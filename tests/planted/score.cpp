// SPDX-License-Identifier: Apache-2.0
#include "tests/planted/score.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <span>

#include "analysis/judge/blame/costs.h"
#include "analysis/judge/causes/cause.h"
#include "analysis/judge/causes/demand.h"
#include "analysis/judge/difference/decompose.h"
#include "analysis/judge/difference/verdict.h"
#include "analysis/judge/why/attribute.h"
#include "analysis/judge/why/explain.h"
#include "analysis/judge/why/sampled_pair.h"
#include "analysis/number/statistics.h"
#include "tests/planted/as_sampled.h"
#include "tests/planted/pairs.h"
#include "tests/planted/range_name.h"

namespace culprit::testing {
namespace {

// A part of a harmless change is no false claim if it is below this share of the time.
constexpr double kClaim = 0.03;
// Stages whose times are nearer than this are not compared.
constexpr double kApart = 1.1;
constexpr double kLargely = 0.3;

// All launches of a database that can be compared, by shape and stage, each read once.
class Launches {
 public:
  Launches(const Database& database, Evidence evidence) {
    const auto rows = database.Query(
        "SELECT launch.id, run_id, stage.key, shape, nvtx FROM launch JOIN stage ON stage.id = stage_id "
        "LEFT JOIN program_launch ON launch_id = launch.id WHERE state = 'ok' "
        "ORDER BY run_id, CAST(shape AS INTEGER), stage.key");
    std::vector<KernelRecord> records = LoadKernels(database, rows);
    std::map<std::array<std::string, 3>, SamplingRecord> sampled;
    if (evidence != Evidence::kCounters)
      for (const KernelRecord& record : records)
        if (auto sampling = database.Sampling(record.id)) sampled.emplace(CodeOf(record), *std::move(sampling));
    std::set<std::pair<std::string, std::string>> of_several;  // kernels, so that none stands for the pair's
    for (std::size_t i = 0; i < records.size(); ++i) {
      const auto& row = rows.rows[i];
      auto launch = std::make_unique<Launch>(std::move(records[i]));
      if (launch->record.program)
        if (const auto own = database.Sampling(launch->record.id))
          launch = std::make_unique<Launch>(DerivedAnew(launch->record, *own));
      if (!CountersOf(launch->view).counters) continue;
      const bool is_cheap = evidence == Evidence::kSampledCounters, is_both = evidence == Evidence::kBoth;
      if ((is_cheap || is_both) && !launch->record.program) {
        const auto found = sampled.find(CodeOf(launch->record));
        if (found == sampled.end() || found->first[2].empty()) continue;
        const std::int64_t id = launch->record.id;
        launch = std::make_unique<Launch>((is_cheap ? AsSampled : AsBoth)(launch->record, found->second));
        launch->Show(found->second, is_cheap ? std::vector<InstructionRecord>() : database.Instructions(id));
      } else if (const auto own = evidence == Evidence::kSamples ? database.Sampling(launch->record.id) : std::nullopt)
        launch->Show(*own, database.Instructions(launch->record.id));
      else if (const auto found = sampled.find(CodeOf(launch->record));
               found != sampled.end() && !found->first[2].empty())
        launch->Show(found->second, database.Instructions(launch->record.id));
      if (const auto* const range = std::get_if<std::string>(&row[4])) {  // planted_loop's
        const std::string kernel = KernelOf(*range);
        const std::size_t blank = kernel.find(' ');
        if (blank == kernel.npos) continue;
        launch->record.stage.id = kernel.substr(0, blank);
        launch->record.launch.shape = kernel.substr(blank + 1);
      }
      const std::string where = std::to_string(std::get<std::int64_t>(row[1])) + " " + launch->record.launch.shape;
      const std::string id = launch->record.stage.id;
      if (!by_shape_[where].try_emplace(id, std::move(launch)).second) of_several.emplace(where, id);
    }
    for (const auto& [where, id] : of_several) by_shape_[where].erase(id);
  }

  struct Launch {
    KernelRecord record;
    KernelView view;
    std::shared_ptr<const SampledKernel> sampled;  // null: not sampled
    explicit Launch(KernelRecord r) : record(std::move(r)), view(record) {}
    void Show(const SamplingRecord& sampling, std::vector<InstructionRecord> counted) {
      KernelCosts costs = CostsOf(*view.Get("time_us"), sampling, counted);
      sampled = std::make_shared<const SampledKernel>(SampledKernel{std::move(costs), std::move(counted)});
    }
  };
  using Stages = std::map<std::string, std::unique_ptr<Launch>>;
  const std::map<std::string, Stages>& ByShape() const { return by_shape_; }

 private:
  static std::array<std::string, 3> CodeOf(const KernelRecord& kernel) {
    return {kernel.stage.id, kernel.launch.shape, kernel.cubin_digest};
  }

  std::map<std::string, Stages> by_shape_;
};

// Attribution regardless of the verdict, so that small differences count, too.
Parts Attributed(const KernelView& base, const KernelView& candidate) {
  const Decomposition d = Decompose(*CountersOf(base).counters, *CountersOf(candidate).counters);
  const Attribution attribution = Attributor(base, candidate).Attribute(d);
  Parts parts{d.base_us, d.candidate_us, {}};
  for (const auto& [cause, us] : attribution.parts) parts.us[cause] = us;
  return parts;
}

// The parts that `why` would print.
Parts Printed(const Launches::Launch& base, const Launches::Launch& candidate, Score& score) {
  std::optional<SampledPair> sampled;
  if (base.sampled && candidate.sampled) {
    sampled = CompareSamples(base.sampled->costs, candidate.sampled->costs, true);
    sampled->base = base.sampled, sampled->candidate = candidate.sampled;
  }
  ++score.asked;
  score.asked_with_samples += sampled.has_value();
  return PartsOf(ExplainWith(sampled ? &*sampled : nullptr, nullptr, base.view, candidate.view));
}

Score::Case JudgeSingle(const std::string& name, const std::string& cause, bool held_out, const Parts& parts) {
  return {name,    cause, SaidOf(parts), std::abs(parts.Of(cause) / parts.DeltaUs() - 1), parts.First() == cause,
          held_out};
}

void AddResiduals(const std::string& pair, const Parts& parts, const std::map<std::string, double>& truth,
                  Score& score) {
  for (const auto& [cause, scatter] : parts.scatter) {
    const auto found = truth.find(cause);
    score.residuals.push_back(
        ResidualOf(pair, cause, parts, found == truth.end() ? 0 : found->second * parts.DeltaUs()));
    score.residuals.back().of_mixture = truth.size() > 1;
  }
}

void JudgeSingles(const Launches& launches, const std::filesystem::path& csv, Score& score) {
  for (const PlantedAnswer& answer : ReadAnswers(csv))
    for (const auto& [where, stages] : launches.ByShape()) {
      const auto base = stages.find(answer.base), candidate = stages.find(answer.candidate);
      if (base == stages.end() || candidate == stages.end()) continue;
      const Parts parts = Printed(*base->second, *candidate->second, score);
      // In a program, on another card, a change may cost nothing.
      if (base->second->record.program && parts.DeltaUs() < kClaim * parts.base_us) continue;
      score.singles.push_back(
          JudgeSingle(answer.pair + " " + base->second->record.launch.shape, answer.cause, answer.IsHeldOut(), parts));
      AddResiduals(answer.pair, parts, {{answer.cause, 1}}, score);
    }
}

void JudgeMixtures(const Launches& launches, const std::filesystem::path& csv, Score& score) {
  for (const MixtureAnswer& m : ReadMixtures(csv))
    for (const auto& [where, stages] : launches.ByShape()) {
      std::map<std::string, const Launches::Launch*> kernels;
      for (const std::string* id : {&m.base, &m.a, &m.b, &m.both})
        if (const auto found = stages.find(*id); found != stages.end()) kernels[*id] = found->second.get();
      if (kernels.size() < 4) continue;
      const auto us = [&](const std::string& id) { return *kernels.at(id)->view.Get("time_us"); };
      const bool held_out = IsHeldOut(m.mixture);
      const double share_a = ShareOfA(us(m.base), us(m.a), us(m.b), us(m.both));
      const double interaction = us(m.both) - us(m.a) - us(m.b) + us(m.base);
      const std::string shape = kernels.at(m.base)->record.launch.shape;
      const Parts parts = Printed(*kernels.at(m.base), *kernels.at(m.both), score);
      const double whole = parts.DeltaUs();
      AddResiduals(m.mixture, parts, {{m.cause_a, share_a}, {m.cause_b, 1 - share_a}}, score);
      for (const auto& [cause, share] : {std::pair(m.cause_a, share_a), std::pair(m.cause_b, 1 - share_a)})
        score.mixtures.push_back(
            {m.mixture + " " + shape,
             fmt::format("{} {:.0f} %, interaction {:.0f} %", cause, 100 * share, 100 * interaction / whole),
             SaidOf(parts), std::abs(parts.Of(cause) / whole - share), true, held_out});
      // Each cause planted on top of the other.
      for (const auto& [from, to, cause] : {std::tuple(m.base, m.a, m.cause_a), std::tuple(m.base, m.b, m.cause_b),
                                            std::tuple(m.b, m.both, m.cause_a), std::tuple(m.a, m.both, m.cause_b)}) {
        const Parts edge = Printed(*kernels.at(from), *kernels.at(to), score);
        if (edge.DeltaUs() < kClaim * edge.base_us) continue;  // here it costs nothing
        score.on_top.push_back(JudgeSingle(fmt::format("{} {} -> {}", shape, from, to), cause, held_out, edge));
        AddResiduals(m.mixture, edge, {{cause, 1}}, score);
      }
    }
}

// A pair with a harmless change and a planted cause has an answer and is judged by that.
void JudgeHarmless(const Launches& launches, const std::filesystem::path& answers, Score& score) {
  std::set<std::string> answered;
  for (const PlantedAnswer& answer : ReadAnswers(answers / "answers.csv")) answered.insert(answer.pair);
  for (const HarmlessPair& h : ReadHarmless(answers / "harmless.csv")) {
    if (answered.contains(h.pair)) continue;
    for (const auto& [where, stages] : launches.ByShape()) {
      const auto base = stages.find(h.base), candidate = stages.find(h.candidate);
      if (base == stages.end() || candidate == stages.end()) continue;
      const KernelView& from = base->second->view;
      const Parts parts = Printed(*base->second, *candidate->second, score);
      double claimed = 0;
      for (const auto& [cause, us] : parts.us) claimed = std::max(claimed, std::abs(us) / parts.base_us);
      const bool null = h.kind == "null";
      score.harmless.push_back({h.pair + " " + from.record().launch.shape,
                                fmt::format("{}, {:+.1f} %", h.kind, 100 * parts.DeltaUs() / parts.base_us),
                                SaidOf(parts), claimed, null ? parts.us.empty() : claimed <= kClaim, false});
    }
  }
}

void JudgeStages(const Launches& launches, Score& score) {
  for (const auto& [where, stages] : launches.ByShape()) {
    std::vector<const KernelView*> views;
    for (const auto& [id, launch] : stages) views.push_back(&launch->view);
    std::map<std::pair<std::size_t, std::size_t>, Parts> said;
    for (std::size_t i = 0; i < views.size(); ++i)
      for (std::size_t j = i + 1; j < views.size(); ++j) {
        const Parts& parts = said[{i, j}] = Attributed(*views[i], *views[j]);
        for (const auto& [cause, us] : parts.us) {
          const KernelView& has_it = us > 0 ? *views[j] : *views[i];
          const Range most = MostShare(*FindCause(cause), has_it, Demand(has_it));
          ++score.parts;
          score.beyond_limit += std::abs(us) > *has_it.Get("time_us") * most.high * (1 + 1e-9);
        }
        const double ratio = parts.candidate_us / parts.base_us;
        if (std::max(ratio, 1 / ratio) < kApart) continue;
        ++score.pairs;
        score.largely_unexplained += std::abs(parts.UnexplainedUs()) > kLargely * std::abs(parts.DeltaUs());
      }
    for (std::size_t i = 0; i < views.size(); ++i)
      for (std::size_t j = i + 1; j < views.size(); ++j)
        for (std::size_t k = j + 1; k < views.size(); ++k)
          score.inconsistency.push_back(InconsistencyOf(said[{i, j}], said[{j, k}], said[{i, k}]));
  }
}

std::vector<double> ErrorsOf(const std::vector<Score::Case>& cases) {
  std::vector<double> errors;
  for (const Score::Case& c : cases) errors.push_back(c.error);
  return errors;
}

double At(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values.empty() ? NAN : Quantile(values, q);
}

std::string Row(std::string_view what, const std::string& value) { return fmt::format("| {} | {} |\n", what, value); }

std::string Rights(const std::vector<Score::Case>& cases) {
  const auto count = [&](bool held_out) {
    const auto right =
        std::count_if(cases.begin(), cases.end(), [&](const auto& c) { return c.held_out == held_out && c.right; });
    const auto all = std::count_if(cases.begin(), cases.end(), [&](const auto& c) { return c.held_out == held_out; });
    return fmt::format("{} of {}", right, all);
  };
  return fmt::format("{}; held out {}", count(false), count(true));
}

std::string Points(const std::vector<double>& errors) {
  return fmt::format("median {:.1f}, p90 {:.1f} points", 100 * At(errors, 0.5), 100 * At(errors, 0.9));
}

void AddWrong(std::string_view title, const std::vector<Score::Case>& cases, double beyond, std::string& text) {
  text += fmt::format("\n## {}\n\n| case | truth | said | error |\n|---|---|---|---:|\n", title);
  for (const Score::Case& c : cases)
    if (!c.right || c.error > beyond)
      text += fmt::format("| {}{} | {} | {} | {:.0f} |\n", c.name, c.held_out ? " (held out)" : "", c.expected, c.said,
                          100 * c.error);
}

}  // namespace

double Parts::Of(std::string_view cause) const {
  const auto found = us.find(cause);
  return found == us.end() ? 0 : found->second;
}

double Parts::UnexplainedUs() const {
  double rest = DeltaUs();
  for (const auto& [cause, part] : us) rest -= part;
  return rest;
}

std::string SaidOf(const Parts& parts) {
  std::vector<std::pair<double, std::string>> largest;
  for (const auto& [cause, us] : parts.us) largest.emplace_back(-std::abs(us), cause);
  std::sort(largest.begin(), largest.end());
  std::string text;
  for (const auto& [size, cause] : largest)
    if (text.size() < 120)
      text += fmt::format("{}{} {:.0f} %", text.empty() ? "" : ", ", cause, 100 * parts.Of(cause) / parts.DeltaUs());
  return text +
         fmt::format("{}unexplained {:.0f} %", text.empty() ? "" : ", ", 100 * parts.UnexplainedUs() / parts.DeltaUs());
}

Parts PartsOf(const Explanation& why) {
  Parts parts{*why.base_us, *why.candidate_us, {}, {}};
  for (const CausePart& part : why.causes) {
    parts.us[part.cause] = part.delta_us;
    parts.scatter[part.cause] = *part.scatter;
  }
  return parts;
}

Residual ResidualOf(const std::string& pair, const std::string& cause, const Parts& parts, double true_us) {
  const double us = parts.Of(cause);
  const Scatter& scatter = parts.scatter.find(cause)->second;
  return {pair,
          cause,
          us / parts.DeltaUs(),
          true_us / parts.DeltaUs(),
          PartSize(us, parts.UnexplainedUs(), parts.base_us, parts.candidate_us),
          false,
          k90Of95 * std::abs((true_us > us ? scatter.high - us : us - scatter.low) / parts.DeltaUs())};
}

std::string Parts::First() const {
  const double sign = DeltaUs() < 0 ? -1 : 1;
  std::string first;
  double most = 0;
  for (const auto& [cause, part] : us)
    if (sign * part > most) std::tie(most, first) = std::pair(sign * part, cause);
  return first;
}

double InconsistencyOf(const Parts& ab, const Parts& bc, const Parts& ac) {
  std::set<std::string, std::less<>> causes;
  for (const Parts* parts : {&ab, &bc, &ac})
    for (const auto& [cause, us] : parts->us) causes.insert(cause);
  double apart = std::abs(ac.UnexplainedUs() - ab.UnexplainedUs() - bc.UnexplainedUs());
  for (const std::string& cause : causes) apart += std::abs(ac.Of(cause) - ab.Of(cause) - bc.Of(cause));
  const double largest = std::max({std::abs(ab.DeltaUs()), std::abs(bc.DeltaUs()), std::abs(ac.DeltaUs())});
  return largest > 0 ? apart / 2 / largest : 0;
}

Score ScoreOf(const Database& planted, const Database& ladder, const std::filesystem::path& answers,
              Evidence evidence) {
  Score score;
  const Launches kernels(planted, evidence);
  JudgeSingles(kernels, answers / "answers.csv", score);
  JudgeMixtures(kernels, answers / "mixtures.csv", score);
  JudgeHarmless(kernels, answers, score);
  if (evidence == Evidence::kCounters) JudgeStages(Launches(ladder, evidence), score);
  return score;
}

std::vector<std::pair<std::string, std::string>> FiguresOf(const Score& score) {
  return {
      {"single causes first", Rights(score.singles)},
      {"error of their share (100 % of the change)", Points(ErrorsOf(score.singles))},
      {"one cause of a mixture alone, or on top of the other, first", Rights(score.on_top)},
      {"error of the shares of two causes in a mixture", Points(ErrorsOf(score.mixtures))},
      {"harmless changes without a false claim", fmt::format("{} of {}", Right(score.harmless), score.harmless.size())},
      {"difference of A -> C and A -> B -> C", fmt::format("median {:.3f}, p90 {:.3f} of the change",
                                                           At(score.inconsistency, 0.5), At(score.inconsistency, 0.9))},
      {"parts beyond their limit", fmt::format("{} of {}", score.beyond_limit, score.parts)},
      {"more than 30 % unexplained", fmt::format("{} of {} pairs", score.largely_unexplained, score.pairs)}};
}

std::string SamplesReport(const Score& counters, const Score& sampled) {
  if (sampled.asked_with_samples == 0) return "";
  constexpr double kChanged = 0.02;
  std::string text = fmt::format(
      "\n## With samples of instructions\n\nBoth kernels were sampled in {} of the {} pairs.\n\n"
      "| figure | counters alone | with samples |\n|---|---|---|\n",
      sampled.asked_with_samples, sampled.asked);
  const auto row = [&](std::string_view what, const std::string& without, const std::string& with) {
    text += fmt::format("| {} | {} | {} |\n", what, without, with);
  };
  const auto of_counters = FiguresOf(counters), of_samples = FiguresOf(sampled);
  constexpr std::size_t kOfPlanted = 5;  // the others belong to the ladder, which is judged without samples
  for (std::size_t i = 0; i < kOfPlanted; ++i) row(of_counters[i].first, of_counters[i].second, of_samples[i].second);
  const std::tuple<std::string_view, std::vector<Score::Case> Score::*> kinds[] = {
      {"mean error: single causes", &Score::singles},
      {"one cause alone, or on top of the other", &Score::on_top},
      {"shares in mixtures", &Score::mixtures}};
  const auto mean = [](const std::vector<Score::Case>& cases, bool held_out) {
    double sum = 0, n = 0;
    for (const Score::Case& c : cases)
      if (c.held_out == held_out) sum += c.error, ++n;
    return n > 0 ? 100 * sum / n : NAN;
  };
  const auto means = [&](const std::vector<Score::Case>& cases) {
    return fmt::format("{:.2f} points; held out {:.2f}", mean(cases, false), mean(cases, true));
  };
  for (const auto& [what, cases] : kinds) row(what, means(counters.*cases), means(sampled.*cases));
  text += fmt::format(
      "\n| error changed by {:.0f} points or more by samples | truth | counters alone | with samples |\n"
      "|---|---|---|---|\n",
      100 * kChanged);
  for (const auto& [what, cases] : kinds)
    for (std::size_t i = 0; i < (counters.*cases).size(); ++i) {
      const Score::Case &without = (counters.*cases)[i], &with = (sampled.*cases)[i];
      if (std::abs(without.error - with.error) < kChanged) continue;
      text += fmt::format("| {}{}: {:.0f} -> {:.0f} | {} | {} | {} |\n", with.name, with.held_out ? " (held out)" : "",
                          100 * without.error, 100 * with.error, with.expected, without.said, with.said);
    }
  return text;
}

namespace {

// The cases of `all` that are in `some`, by name: as many of a name, the first ones.
std::vector<Score::Case> Among(const std::vector<Score::Case>& all, const std::vector<Score::Case>& some) {
  std::multiset<std::string> names;
  for (const Score::Case& c : some) names.insert(c.name);
  std::vector<Score::Case> among;
  for (const Score::Case& c : all) {
    const auto found = names.find(c.name);
    if (found == names.end()) continue;
    names.erase(found);
    among.push_back(c);
  }
  return among;
}

constexpr std::pair<std::string_view, std::vector<Score::Case> Score::*> kKinds[] = {{"single", &Score::singles},
                                                                                     {"on top", &Score::on_top},
                                                                                     {"mixture", &Score::mixtures},
                                                                                     {"harmless", &Score::harmless}};

}  // namespace

Score AmongThoseOf(const Score& counters, const Score& cheap) {
  Score among;
  for (const auto& [what, cases] : kKinds) among.*cases = Among(counters.*cases, cheap.*cases);
  return among;
}

namespace {

// A way to measure, its heading, and the score of the same cases as of the other ways.
struct Way {
  std::string_view heading;
  Score score;
};

std::string Compared(std::span<const Way> ways) {
  std::string text = "| figure |", rule = "\n|---|";
  for (const Way& way : ways) text += fmt::format(" {} |", way.heading), rule += "---|";
  text += rule + "\n";
  std::vector<std::vector<std::pair<std::string, std::string>>> figures;
  for (const Way& way : ways) figures.push_back(FiguresOf(way.score));
  constexpr std::size_t kOfPlanted = 5;
  for (std::size_t i = 0; i < kOfPlanted; ++i) {
    text += fmt::format("| {} |", figures.front()[i].first);
    for (const auto& of : figures) text += fmt::format(" {} |", of[i].second);
    text += "\n";
  }
  text += "\nPairs of which one way is right and another is not:\n\n| kind | case | truth |";
  rule = "\n|---|---|---|";
  for (const Way& way : ways) text += fmt::format(" {} |", way.heading), rule += "---|";
  text += rule + "\n";
  // Recordings may have the sizes of a pair in another order.
  for (const auto& [what, cases] : kKinds)
    for (const Score::Case& last : ways.back().score.*cases) {
      std::vector<const Score::Case*> same;
      for (const Way& way : ways)
        if (const auto found = std::ranges::find(way.score.*cases, last.name, &Score::Case::name);
            found != (way.score.*cases).end())
          same.push_back(&*found);
      if (std::ranges::all_of(same, [&](const Score::Case* one) { return one->right == last.right; })) continue;
      text += fmt::format("| {} | {}{} | {} |", what, last.name, last.held_out ? " (held out)" : "", last.expected);
      for (const Score::Case* one : same) text += fmt::format(" {} |", one->said);
      text += "\n";
    }
  return text;
}

constexpr std::string_view kReplayed = "replayed counters", kSampledWay = "sampled counters and instructions";

}  // namespace

std::string CheapReport(const Score& counters, const Score& cheap, const Score& both) {
  return "\n## With sampled counters\n\n"
         "What `culprit record --profile sampled` would have stored: totals that a GPU samples are those of the "
         "recordings, "
         "each with an error of 0.5 %, and everything else comes from samples of instructions "
         "(`tests/planted/as_sampled.h`). Neither exact counts nor the compiler's report are used. Only kernels with "
         "samples are here. Real totals of short kernels have larger errors. *Both* is what `culprit record -k` stores "
         "of the kernels that it names: exact and replayed counters, sampled totals beside them, and samples of "
         "instructions.\n\n" +
         Compared(std::vector<Way>{{kReplayed, AmongThoseOf(counters, cheap)}, {kSampledWay, cheap}, {"both", both}});
}

std::string LoopReport(const Score& counters, const Score& loop) {
  const Score replayed = AmongThoseOf(counters, loop);
  return "\n## Really sampled\n\n"
         "`planted_loop` launches all planted kernels in turns, four times in a row. `culprit record` sampled it in "
         "two "
         "executions. The replayed counters are those of the recordings above, of another machine and another "
         "day.\n\n" +
         Compared(std::vector<Way>{{kReplayed, replayed}, {kSampledWay, AmongThoseOf(loop, replayed)}});
}

double MedianError(const std::vector<Score::Case>& cases) { return At(ErrorsOf(cases), 0.5); }

double MeanError(const std::vector<Score::Case>& cases) {
  double sum = 0;
  for (const Score::Case& c : cases) sum += c.error;
  return cases.empty() ? 0 : sum / static_cast<double>(cases.size());
}

int Right(const std::vector<Score::Case>& cases) {
  return static_cast<int>(std::ranges::count_if(cases, [](const Score::Case& c) { return c.right; }));
}

std::string ScoreReport(const Score& score) {
  std::string text = "| figure | value |\n|---|---|\n";
  for (const auto& [figure, value] : FiguresOf(score)) text += Row(figure, value);
  AddWrong("Single causes that are not first, or off by more than 30 points", score.singles, 0.3, text);
  AddWrong("Alone, or on top of the other", score.on_top, 0.3, text);
  AddWrong("Shares in mixtures, off by more than 8 points", score.mixtures, 0.08, text);
  AddWrong("False claims of harmless changes", score.harmless, kClaim, text);
  return text;
}

}  // namespace culprit::testing
