// SPDX-License-Identifier: Apache-2.0
// Why one kernel is slower than another: verdict, exact decomposition, causes. `culprit why`, `study`, `check` and
// `calibrate` all show this one value.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/judge/difference/decompose.h"
#include "analysis/judge/difference/verdict.h"
#include "analysis/judge/why/known_without_counters.h"
#include "analysis/judge/why/phase_difference.h"
#include "analysis/judge/why/to_measure.h"
#include "analysis/launch/kernel_view.h"

namespace culprit {

class Neighbours;    // counterfactual.h
struct SampledPair;  // sampled_pair.h

// The range of a part in 95 of 100 random draws from this recording (its samples and repetitions of counters), in which
// each kernel also takes longer or less long by the noise floor. It does not include errors of the model, so the truth can lie outside. A second recording can,
// too; docs/evidence/noise.md says how often. CausePart::interval includes the model's error.
struct Scatter {
  double low = 0, high = 0;
  bool Excludes0() const { return low > 0 || high < 0; }
};

struct CauseEvidence {
  std::string metric;  // id of KernelView
  std::string name;    // CUPTI's name if the id is a counter, else empty
  std::string unit;
  Measured base, candidate;
};

// A machine instruction that warps waited for, in the kernel that has more of the cause.
struct CauseInstruction {
  std::string function;
  std::int64_t pc_offset = 0;
  std::string text;    // "LDL R28, [R1+0x64]"
  double samples = 0;  // samples of warps that waited for it or at it; several instructions can share a sample
};

struct CauseSource {
  std::string file;
  int line = 0;
  std::string what;  // for people, the count at this line: "local stores: 268,435,456"; empty if not counted
  // Not empty: the line to blame is not known, and `line` is the first line of this kernel.
  std::string kernel = {};
  // The line as it was compiled. Empty: the recording does not quote it.
  std::string text = {};
  // The increase of waiting for the cause's instructions at this line, base to candidate. None: not sampled.
  std::optional<double> waited_us = {};
  // The line's instructions, most samples first. Empty: not sampled. `samples` is the sum over all instructions of the
  // line.
  std::vector<CauseInstruction> instructions = {};
  double samples = 0;
  // The operations of its instructions ("global atomic"); empty: not sampled.
  std::string operations = {};
  // Counts and samples cannot distinguish this line from the first line of the cause. If a line is tied, the first line
  // is tied, too.
  bool tied = false;
};

// A fact about a cause that the machine code of one kernel shows (ShownCode).
struct CauseCode {
  bool of_base = false;
  std::string file;
  int line = 0;
  std::string text;
  double waited_us = 0;
};

// Advice from the slower kernel's machine code (analysis/judge/advice/).
struct CauseAdvice {
  std::string file;
  int line = 0;
  std::string advice, finding, action;
};

// What a third kernel proves about a cause.
enum class Proof {
  kConfirmed,     // the third kernel removes a part of the cause that lies within the cause's interval
  kPartly,        // it removes a part outside the interval
  kRefuted,       // the cause went away, but the time stayed the same
  kInconclusive,  // the cause did not go away, or this is not known
};
std::string_view ToText(Proof proof);  // "confirmed" | "partly" | "refuted" | "inconclusive"

// A stage that differs in one factor from the base or the candidate.
struct Counterfactual {
  std::string stage;
  std::string differs_from;  // the base or the candidate: "v1_6"
  std::string change;        // "accumulator storage: local => shared"
  double time_us = 0;
  // The share of the difference in time that its change accounts for: (candidate - this) / (candidate - base) for a
  // stage near the candidate, (this - base) / (candidate - base) for a stage near the base.
  double recovers = 0;
  // Whether the cause's symptom (Symptom in cause.h) moved with the change. If it did not, the stage proves little.
  // None when the symptom was not measured or the cause has none.
  std::optional<bool> symptom_moved;
  std::string note;         // why the proof is weak; empty: no reason known
  double recovered_us = 0;  // `recovers` times the difference
  Proof proof = Proof::kInconclusive;
  // If it confirms the cause: the cause's part of the step to this stage, with the sign of CausePart::delta_us, to
  // compare with the cause's interval.
  std::optional<double> part_us = {};
  bool of_several = false;  // the step also removes other causes, so recovered_us belongs to all of them
};

struct CausePart {
  std::string cause;  // an id of Causes()
  double delta_us = 0;
  double share = 0;  // of the whole difference; negative: the part reduces the difference
  std::optional<Scatter> scatter;
  std::optional<Scatter> interval;  // holds the truth in nine of ten parts of this size: IntervalOf
  std::string text;                 // one sentence with its numbers
  std::vector<CauseEvidence> evidence;
  std::vector<CauseSource> source;
  std::vector<Counterfactual> confirmed_by, refuted_by;
  // One sentence: how the part was measured. Empty: it was computed from counters by the model.
  std::string measured = {};
  std::vector<CauseAdvice> to_do = {};
  std::vector<CauseCode> code = {};
  bool only_waits = false;  // nothing shows it but that warps wait longer; the text says so
};

// A cause that could not be judged because something was not measured.
struct CauseNotJudged {
  std::string cause;
  std::vector<std::string> missing;      // ids of KernelView
  std::vector<std::string> to_ask = {};  // ToAsk
  double could_us = 0;                   // the largest size of its part; 0: not known
};

// A part that is not attributed to a cause. These and the parts within noise together sum to unexplained_us.
struct UnexplainedRest {
  std::string in;  // a warp state, or another key of Attribution::rest
  double us = 0;
  // The operations ("shared load") that warps in this state waited longer for, with the growth in microseconds, largest
  // first. Only growth in the part's direction. Empty: not sampled, or `in` is no state.
  std::vector<std::pair<std::string, double>> operations = {};
};

struct Explanation {
  Verdict verdict;
  Measured base_us, candidate_us;  // medians
  double DeltaUs() const { return candidate_us.value_or(0) - base_us.value_or(0); }

  std::optional<Decomposition> decomposition;  // none when a counter is missing
  std::string no_decomposition;                // why, in a sentence or two
  std::vector<KnownDifference> known = {};     // without a decomposition, of a difference
  std::map<Factor, Scatter, std::less<>> factor_scatter;
  std::map<std::string, Scatter, std::less<>> stall_scatter;

  // Causes in the direction of the change come first, the largest first. Causes against it follow. Empty unless the
  // verdict is slower or faster, because else there is nothing to explain.
  std::vector<CausePart> causes;
  // DeltaUs() minus the causes. Without a decomposition, the whole difference.
  double unexplained_us = 0;
  // The parts of unexplained_us that belong to causes within noise, largest first.
  std::vector<std::pair<std::string, double>> within_noise = {};
  std::vector<UnexplainedRest> rest = {};    // largest first
  std::vector<CauseNotJudged> not_judged;    // those that may have most of the change first
  std::optional<ToMeasure> to_measure = {};  // ToMeasureOf
  // The largest part, in the direction of the change, that a cause may have that was not judged. No cause is named
  // first while this is larger.
  double open_us = 0;
  bool same_code = false;  // IsSameCode: no cause can lie in the code
  // What the ends of the two launches make of the difference. None: not a difference, or not known (ComparePhases).
  std::optional<PhaseDifference> phases = {};
  std::vector<std::string> caveats;  // differences other than the kernels, and reasons to doubt the counters
};

// Verdict, decomposition and causes from the counters of the two launches, what samples of both show, and which stages
// confirm a cause. Null: they were not sampled; no other stages are asked. Why (why.h) also says on which lines a cause
// is.
Explanation ExplainWith(const SampledPair* sampled, const Neighbours* neighbours, const KernelView& base,
                        const KernelView& candidate);
// From the counters alone.
Explanation Explain(const KernelView& base, const KernelView& candidate);

// How a pair of kernels is explained: by samples and stages, by counters alone, or what a test has invented.
using Explainer = std::function<Explanation(const KernelView& base, const KernelView& candidate)>;

// Only the parts of Explain's causes, by id, with the noise floor as their scatter. For tables of hundreds of pairs,
// which need neither the evidence nor 200 random draws of the recording. Empty if the verdict is not slower or faster,
// or if a counter is missing.
std::map<std::string, double, std::less<>> PartsBeyondFloor(const KernelView& base, const KernelView& candidate,
                                                            const SampledPair* sampled = nullptr);

}  // namespace culprit
