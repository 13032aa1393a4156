// SPDX-License-Identifier: Apache-2.0
// Why one kernel is slower than another: verdict, exact decomposition, causes. One value, which `culprit why`, `study`,
// `check` and `calibrate` show in their ways.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/kernel/kernel_view.h"
#include "analysis/split/decompose.h"
#include "analysis/verdict/verdict.h"

namespace culprit {

struct SampledPair;  // sampled_pair.h

// Between which values a part lies in 95 of 100 draws from this very recording, its samples and the repetitions of its
// counters, widened by the noise floor. How wrong the model is that made the part is not in it, so neither the truth
// nor a second recording need lie inside: docs/noise.md has how often the latter does. CausePart::interval has it in.
struct Scatter {
  double low = 0, high = 0;
  bool Excludes0() const { return low > 0 || high < 0; }
};

struct CauseEvidence {
  std::string metric;  // id of KernelView
  std::string name;    // CUPTI's name where the id is a counter, else empty
  std::string unit;
  Measured base, candidate;
};

// A machine instruction for which warps waited, of the kernel that has more of the cause.
struct CauseInstruction {
  std::string function;
  std::int64_t pc_offset = 0;
  std::string text;    // "LDL R28, [R1+0x64]"
  double samples = 0;  // of warps that waited for it, or stood at it; a sample can be shared by several
};

struct CauseSource {
  std::string file;
  int line = 0;
  std::string what;  // "local stores: 268,435,456": what was counted there, for people; empty where nothing was
  // Not empty: the line is where this kernel begins and stands for all of it; which line is to blame is not known.
  std::string kernel = {};
  // By how much longer the candidate's warps waited because of this line, of the cause's own; none: not sampled.
  std::optional<double> waited_us = {};
  // Of the line, the most samples first; empty: not sampled. `samples` are those of all of the line's instructions.
  std::vector<CauseInstruction> instructions = {};
  double samples = 0;
  // What its instructions do ("global atomic"); empty: not sampled.
  std::string operations = {};
  // Counts or samples do not tell it apart from the first line of its cause. The first is tied where another is.
  bool tied = false;
};

// What the machine code of one of the two shows of a cause (ShownCode).
struct CauseCode {
  bool of_base = false;
  std::string file;
  int line = 0;
  std::string text;
  double waited_us = 0;
};

// What the slower kernel's machine code asks for (analysis/advice/).
struct CauseAdvice {
  std::string file;
  int line = 0;
  std::string advice, finding, action;
};

// What a third kernel says of a cause.
enum class Proof {
  kConfirmed,     // its change takes away as much of the cause as the cause's interval allows
  kPartly,        // some of the cause, but less or more than that
  kRefuted,       // the cause went, and the time stayed
  kInconclusive,  // the cause did not go, or nobody knows whether it did
};
std::string_view ToText(Proof proof);  // "confirmed" | "partly" | "refuted" | "inconclusive"

// A stage that differs from one of the two in one factor.
struct Counterfactual {
  std::string stage;
  std::string differs_from;  // "v1_6": the candidate or the base, in one factor
  std::string change;        // "accumulator storage: local => shared"
  double time_us = 0;
  // Share of the difference that its one change accounts for, from its time: what a stage near the candidate takes
  // back, (candidate - it) / (candidate - base); what a stage near the base brings about, (it - base) / (candidate -
  // base).
  double recovers = 0;
  // Whether the quantity by which the cause shows itself (symptom.h) moved with the change: a stage that moved nothing
  // proves little. None when it was not measured or the cause has none.
  std::optional<bool> symptom_moved;
  std::string note;         // what weakens it as a proof; empty: nothing known
  double recovered_us = 0;  // `recovers` of the difference
  Proof proof = Proof::kInconclusive;
  // Of what confirms: the cause's part of the step to that stage, which is held against the cause's interval, with the
  // sign of CausePart::delta_us; and whether the step takes other causes along, so that recovered_us is of all of them.
  std::optional<double> part_us = {};
  bool of_several = false;
};

struct CausePart {
  std::string cause;  // an id of Causes()
  double delta_us = 0;
  double share = 0;  // of the whole difference, signed: negative parts work against the change
  std::optional<Scatter> scatter;
  std::optional<Scatter> interval;  // holds the truth in nine of ten parts of this size: model_error.h
  std::string text;                 // one sentence with its numbers
  std::vector<CauseEvidence> evidence;
  std::vector<CauseSource> source;
  std::vector<Counterfactual> confirmed_by, refuted_by;
  // How its part was measured, one sentence; empty: it is modelled, from counters.
  std::string measured = {};
  std::vector<CauseAdvice> to_do = {};
  std::vector<CauseCode> code = {};
};

// A cause that could not be judged because something was not measured.
struct CauseNotJudged {
  std::string cause;
  std::vector<std::string> missing;  // ids of KernelView
};

// A part of what no cause claims. All of them and the parts within noise are unexplained_us.
struct UnexplainedRest {
  std::string in;  // a warp state, or another key of Attribution::rest
  double us = 0;
  // By how much longer warps waited in the state because of which instructions ("shared load"); in the part's
  // direction, largest first. Empty: not sampled, or no state.
  std::vector<std::pair<std::string, double>> operations = {};
};

struct Explanation {
  Verdict verdict;
  Measured base_us, candidate_us;  // medians
  double DeltaUs() const { return candidate_us.value_or(0) - base_us.value_or(0); }

  std::optional<Decomposition> decomposition;  // none when a counter is missing
  std::string no_decomposition;                // why, one sentence
  std::map<Factor, Scatter, std::less<>> factor_scatter;
  std::map<std::string, Scatter, std::less<>> stall_scatter;

  // Those in the direction of the change first, largest first; then those that work against it. Empty when the verdict
  // is not slower or faster: there is nothing to explain.
  std::vector<CausePart> causes;
  // DeltaUs() minus the causes; the whole difference without a decomposition.
  double unexplained_us = 0;
  // Of that, what causes have of which each could be noise alone: by cause, largest first.
  std::vector<std::pair<std::string, double>> within_noise = {};
  std::vector<UnexplainedRest> rest = {};  // largest first
  std::vector<CauseNotJudged> not_judged;
  // The most that one of those could have done of the change, in its direction: with a larger one open, none leads.
  double open_us = 0;
  std::vector<std::string> caveats;  // what differs besides the kernels, and what makes counters doubtful here
};

// Verdict, decomposition and causes; no counterfactuals, which need other launches (counterfactual.h), and sources only
// where the views' records have them (AddSources).
Explanation Explain(const KernelView& base, const KernelView& candidate);
// The same, with what samples of both show; null: they were not sampled.
Explanation ExplainSampled(const KernelView& base, const KernelView& candidate, const SampledPair* sampled);

// The parts of Explain's causes alone, by id, with the noise floor for their scatter: for tables over hundreds of
// pairs, which need neither each one's evidence nor the recording drawn again 200 times. Empty when the verdict is not
// slower or faster, or a counter is missing.
std::map<std::string, double, std::less<>> PartsBeyondFloor(const KernelView& base, const KernelView& candidate,
                                                            const SampledPair* sampled = nullptr);

}  // namespace culprit
