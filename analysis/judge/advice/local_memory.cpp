// SPDX-License-Identifier: Apache-2.0
// Arrays in local memory, by the origin of their index, and spilled registers.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "analysis/judge/advice/kinds.h"
#include "profiler/code/local_access.h"

namespace culprit::advice {
namespace {

std::vector<int> AccessesTo(const AdviceCode& code, std::initializer_list<LocalPlace> places) {
  std::vector<SassInstruction> all;
  for (int i = 0; i < code.Size(); ++i) all.push_back(code.At(i));
  std::vector<int> found;
  for (const LocalAccess& access : LocalAccesses(all))
    if (std::ranges::count(places, access.place) != 0) found.push_back(access.instruction);
  return found;
}

// The origin of an index.
struct Index {
  int counted_by = -1;  // the loop around the access that counts the index; -1: none
  bool from_memory = false, from_launch = false, from_thread = false;
};

bool IsLoad(const AdviceCode& code, int i) {
  switch (code.OperationAt(i)) {
    case Operation::kGlobalLoad:
    case Operation::kSharedLoad:
    case Operation::kLocalLoad:
    case Operation::kGenericLoad:
      return true;
    default:
      return false;
  }
}

Index IndexOf(const AdviceCode& code, int access) {
  Index index;
  const std::vector<int> made =
      code.MadeOf(access, code.AddressRegisters(access), [&](int i) { return IsLoad(code, i); });
  for (const int i : made) {
    // The stack pointer also comes from the constant bank.
    const bool stack = std::ranges::any_of(code.At(i).writes, [](const RegisterRange& r) {
      return r.file == RegisterFile::kGeneral && r.first <= 1 && r.first + r.count > 1;
    });
    if (IsLoad(code, i)) index.from_memory = true;
    if (code.At(i).operands.find("c[") != std::string::npos && !stack) index.from_launch = true;
    if (code.OperationAt(i) == Operation::kSpecialRegister) index.from_thread = true;
    const int loop = code.LoopOf(i);
    if (loop >= 0 && code.IsIn(access, loop) && index.counted_by < 0 && code.FeedsItself(i)) index.counted_by = loop;
  }
  return index;
}

}  // namespace

std::vector<Advice> LocalArrays(const AdviceCode& code) {
  const std::vector<int> accesses = AccessesTo(code, {LocalPlace::kComputed, LocalPlace::kElement});
  std::vector<int> computed;
  for (const int i : AccessesTo(code, {LocalPlace::kComputed})) computed.push_back(i);
  if (computed.empty()) return {};
  Advice advice = code.About(accesses);
  const int heaviest = code.Heaviest(computed);
  const Index index = IndexOf(code, heaviest);
  if (index.counted_by >= 0) {
    const int line = code.LineOfLoop(index.counted_by);
    advice.finding = fmt::format("an array lies in local memory because its index comes from {}",
                                 line > 0 ? fmt::format("the loop at line {}", line) : "a loop that is not unrolled");
    advice.action =
        "unroll that loop fully (#pragma unroll, with bounds known when compiling), so that each index is a constant "
        "and the elements fit into registers";
  } else {
    advice.finding = fmt::format("an array lies in local memory because its index is {}",
                                 index.from_memory   ? "read from memory"
                                 : index.from_launch ? "made of a value that only the launch knows"
                                 : index.from_thread ? "made of the thread's index"
                                                     : "computed when the kernel runs");
    advice.action =
        "make the index a constant (a template argument, or elements chosen by comparisons in an unrolled loop), or "
        "keep the array in shared memory";
  }
  return {advice};
}

std::vector<Advice> Spills(const AdviceCode& code) {
  const std::vector<int> accesses = AccessesTo(code, {LocalPlace::kSpill});
  if (accesses.empty()) return {};
  std::set<std::int64_t> places;
  for (const int i : accesses)
    for (int byte = 0; byte < std::max(4, code.At(i).access_bytes); byte += 4)
      places.insert(code.At(i).address->offset + byte);
  Advice advice = code.About(accesses);
  const auto& registers = code.question().registers;
  const std::string its = registers ? fmt::format("its {:.0f} registers", *registers) : "its registers";
  advice.finding =
      places.size() == 1
          ? fmt::format("a value of each thread did not fit into {} and goes through local memory", its)
          : fmt::format("{} values a thread did not fit into {} and go through local memory", places.size(), its);
  advice.action =
      "let a thread have more registers (__launch_bounds__ with fewer threads or blocks, --maxrregcount), or keep "
      "fewer "
      "values at once: a smaller tile a thread, or computed again where they are used";
  return {advice};
}

}  // namespace culprit::advice
