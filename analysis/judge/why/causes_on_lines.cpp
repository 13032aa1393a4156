// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/why/causes_on_lines.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "analysis/judge/causes/cause.h"

namespace culprit {
namespace {

using Kind = std::pair<Operation, std::string>;

// Waiting for one kind of instruction of a line, for one reason, that grew in the direction of the whole.
struct Growth {
  std::size_t line = 0;
  Kind kind;
  double left_us = 0;  // not yet taken by a cause
};

// A line may wait less for one reason and more for another. So its growths are scaled to sum to the growth of the line.
std::vector<Growth> GrowthsOf(const LineDifferences& differences, double sign) {
  std::vector<Growth> growths;
  for (std::size_t i = 0; i < differences.lines.size(); ++i) {
    const DifferentLine& line = differences.lines[i];
    double grew = 0;
    for (const auto& [kind, us] : line.blamed_for) grew += std::max(0.0, sign * us);
    const double part = grew > 0 ? sign * line.DeltaUs() / grew : 0;
    if (!(part > 0)) continue;
    for (const auto& [kind, us] : line.blamed_for)
      if (sign * us > 0) growths.push_back({i, kind, part * sign * us});
  }
  return growths;
}

struct Claim {
  const Cause* cause = nullptr;
  double missing_us = 0;
  std::vector<double> taken_us = {};  // one per growth
};

bool IsOf(const Cause& cause, const Kind& kind) {
  return cause.sampled && cause.sampled->Covers(kind.first, kind.second);
}

// Several causes may claim the same growth. In each round, each cause takes a share of it in proportion to what the
// cause still lacks. The rounds end when a round takes less than kSettled of what is left.
constexpr double kSettled = 1e-3;
constexpr int kMostRounds = 100;

void Take(std::vector<Growth>& growths, std::vector<Claim>& claims) {
  for (int round = 0; round < kMostRounds; ++round) {
    std::vector<std::vector<double>> offers(claims.size(), std::vector<double>(growths.size(), 0.0));
    for (std::size_t g = 0; g < growths.size(); ++g) {
      double asked = 0;
      for (const Claim& claim : claims)
        if (IsOf(*claim.cause, growths[g].kind)) asked += claim.missing_us;
      if (!(asked > 0)) continue;
      for (std::size_t c = 0; c < claims.size(); ++c)
        if (IsOf(*claims[c].cause, growths[g].kind)) offers[c][g] = growths[g].left_us * claims[c].missing_us / asked;
    }
    double taken = 0, whole = 0;
    for (std::size_t c = 0; c < claims.size(); ++c) {
      double offered = 0;
      for (const double us : offers[c]) offered += us;
      if (!(offered > 0)) continue;
      const double part = std::min(1.0, claims[c].missing_us / offered);
      for (std::size_t g = 0; g < growths.size(); ++g) {
        claims[c].taken_us[g] += part * offers[c][g];
        growths[g].left_us -= part * offers[c][g];
      }
      claims[c].missing_us -= part * offered;
      taken += part * offered;
    }
    for (const Growth& growth : growths) whole += growth.left_us;
    if (taken <= kSettled * whole) return;
  }
}

class Mover {
 public:
  Mover(LineDifferences& differences, double sign) : all_(differences), sign_(sign) {}

  // Moves time to a line, in the direction of the change. Negative: away from the line.
  void Move(std::size_t line, const Kind& kind, double us) {
    DifferentLine& to = all_.lines[line];
    to.blamed_for[kind] += sign_ * us;
    (sign_ > 0 ? to.candidate_for : to.base_for)[kind] += us;
    (sign_ > 0 ? to.candidate_us : to.base_us) += us;
    to.moved_us += sign_ * us;
  }

  // Moves time to the lines of a cause: those where its waiting grew or, if there are none, all lines with its waiting.
  void MoveTo(const Claim& claim, const std::vector<Growth>& growths, double us) {
    double own = 0;
    for (const double taken : claim.taken_us) own += taken;
    if (own > 0) {
      for (std::size_t g = 0; g < growths.size(); ++g)
        if (claim.taken_us[g] > 0) Move(growths[g].line, growths[g].kind, us * claim.taken_us[g] / own);
      return;
    }
    const std::vector<Growth> any = WaitingFor(*claim.cause);
    double whole = 0;
    for (const Growth& of : any) whole += of.left_us;
    for (const Growth& of : any) Move(of.line, of.kind, us * of.left_us / whole);
  }

  // The waiting for the cause's instructions in the slower kernel.
  std::vector<Growth> WaitingFor(const Cause& cause) const {
    std::vector<Growth> found;
    for (std::size_t i = 0; i < all_.lines.size(); ++i)
      for (const auto& [kind, us] : sign_ > 0 ? all_.lines[i].candidate_for : all_.lines[i].base_for)
        if (us > 0 && IsOf(cause, kind)) found.push_back({i, kind, us});
    return found;
  }

 private:
  LineDifferences& all_;
  double sign_;
};

}  // namespace

void PutCausesOnLines(const CauseMicroseconds& causes, LineDifferences& differences) {
  const double delta_us = differences.DeltaUs();
  if (delta_us == 0) return;
  const double sign = delta_us > 0 ? 1 : -1;
  std::vector<Growth> growths = GrowthsOf(differences, sign);
  std::vector<Claim> claims;
  double unexplained = std::abs(delta_us);
  for (const auto& [id, us] : causes) {
    unexplained -= sign * us;
    if (const Cause* cause = FindCause(id); cause != nullptr && sign * us > 0)
      claims.push_back({cause, sign * us, std::vector<double>(growths.size(), 0.0)});
  }
  Take(growths, claims);

  Mover mover(differences, sign);
  // Skips causes without instructions in the slower kernel, because time cannot be moved to their lines.
  std::erase_if(claims, [&](const Claim& c) { return c.cause->sampled && mover.WaitingFor(*c.cause).empty(); });
  double left = 0, missing = 0;
  for (const Growth& growth : growths) left += growth.left_us;
  for (const Claim& claim : claims) missing += claim.missing_us;
  if (!(left > 0) || !(missing > 0)) return;
  const double part = std::min(1.0, left / (missing + std::max(0.0, unexplained)));
  for (const Growth& growth : growths) mover.Move(growth.line, growth.kind, -growth.left_us * part * missing / left);
  for (const Claim& claim : claims) {
    const double us = part * claim.missing_us;
    if (us > 0 && claim.cause->sampled) mover.MoveTo(claim, growths, us);
    if (us > 0 && !claim.cause->sampled) differences.on_no_line[std::string(claim.cause->id)] += sign * us;
  }
  std::ranges::stable_sort(differences.lines, std::ranges::greater{},
                           [](const DifferentLine& line) { return std::abs(line.DeltaUs()); });
}

void PutCausesOnLines(const Explanation& explanation, LineDifferences& differences) {
  CauseMicroseconds causes;
  for (const CausePart& part : explanation.causes) causes[part.cause] += part.delta_us;
  PutCausesOnLines(causes, differences);
}

}  // namespace culprit
