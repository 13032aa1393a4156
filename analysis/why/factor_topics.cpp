// SPDX-License-Identifier: Apache-2.0
#include "analysis/why/factor_topics.h"

#include <cctype>
#include <string>

namespace culprit {
namespace {

bool Has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }
bool IsNone(std::string_view v) { return v == "none" || v == "no" || v == "false" || v == "-" || v == "0"; }
bool IsSet(std::string_view v) { return !IsNone(v); }
bool IsNotPadded(std::string_view v) { return !Has(v, "pad"); }
bool IsRowMajor(std::string_view v) { return v == "row-major"; }
// An array of a thread, unless it says that it lives in shared memory or registers.
bool MayBeLocal(std::string_view v) { return !IsNone(v) && !Has(v, "shared") && !Has(v, "register"); }
bool IsNotUnrolled(std::string_view v) { return IsNone(v) || v == "no pragma"; }
bool IsNarrow(std::string_view v) {
  return Has(v, "single") || Has(v, "consecutive") || v.starts_with("32 bit") || v == "float";
}
bool IsAcross(std::string_view v) { return Has(v, "column") || Has(v, "x along m"); }
bool IsOneBuffer(std::string_view v) { return v.starts_with('1') || IsNone(v); }

struct Topic {
  std::string_view factor;  // in lower case
  std::string_view cause;
  bool (*suspect)(std::string_view value);  // with this value the cause can be there; value in lower case
  bool made_for_it;
};

constexpr bool kMadeForIt = true, kTouchesMore = false;

// THE list. Names as the stages that ship write them; other names of a user's own can join. `bank conflict handling`
// and `intermediate results` are the words of the V-study.
constexpr Topic kTopics[] = {
    {"accumulator storage", "local_memory_array", MayBeLocal, kMadeForIt},
    {"intermediate results", "local_memory_array", MayBeLocal, kMadeForIt},
    {"bank conflict handling", "shared_bank_conflicts", IsNone, kMadeForIt},
    {"smem padding", "shared_bank_conflicts", IsNone, kMadeForIt},
    {"a padding", "shared_bank_conflicts", IsNone, kMadeForIt},
    {"b padding", "shared_bank_conflicts", IsNone, kMadeForIt},
    {"padding", "shared_bank_conflicts", IsNone, kMadeForIt},
    {"smem permutation", "shared_bank_conflicts", IsNone, kMadeForIt},
    {"swizzle", "shared_bank_conflicts", IsNone, kMadeForIt},
    {"a tile layout", "shared_bank_conflicts", IsNotPadded, kMadeForIt},
    {"lane map", "shared_bank_conflicts", IsRowMajor, kTouchesMore},
    {"fragments", "shared_traffic", IsNone, kTouchesMore},
    {"volatile smem", "shared_traffic", IsSet, kTouchesMore},
    {"load width", "global_access_width", IsNarrow, kTouchesMore},
    {"thread-level gmem<->smem", "global_access_width", IsNarrow, kTouchesMore},
    {"copy mapping", "global_uncoalesced", IsAcross, kTouchesMore},
    {"thread mapping", "global_uncoalesced", IsAcross, kTouchesMore},
    {"global prefetch", "exposed_latency", IsNone, kMadeForIt},
    {"shared buffers", "exposed_latency", IsOneBuffer, kMadeForIt},
    {"unroll", "instruction_count", IsNotUnrolled, kTouchesMore},
    {"bounds checks", "instruction_count", IsSet, kTouchesMore},
};

std::string Lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::vector<FactorTopic> Between(const FactorChange& change, const std::string& with, const std::string& without) {
  const std::string factor = Lower(change.factor), a = Lower(with), b = Lower(without);
  std::vector<FactorTopic> topics;
  for (const Topic& topic : kTopics)
    if (topic.factor == factor && topic.suspect(a) && !topic.suspect(b))
      topics.push_back({topic.cause, topic.made_for_it});
  return topics;
}

}  // namespace

std::vector<FactorTopic> CausesRemovedBy(const FactorChange& change) {
  return Between(change, change.base, change.candidate);
}

std::vector<FactorTopic> CausesAddedBy(const FactorChange& change) {
  return Between(change, change.candidate, change.base);
}

}  // namespace culprit
