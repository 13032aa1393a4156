// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/advice/code.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "db/source_place.h"

namespace culprit {
namespace {

void SortOnce(std::vector<int>& instructions) {
  std::ranges::sort(instructions);
  instructions.erase(std::unique(instructions.begin(), instructions.end()), instructions.end());
}

// Calls `find` for each register of a range and joins the results, because different instructions may write or read the
// registers.
template <class Find>
std::vector<int> OfEach(const RegisterRange& registers, Find find) {
  std::vector<int> found;
  for (int n = 0; n < registers.count; ++n)
    for (const int i : find(RegisterRange{registers.file, registers.first + n, 1})) found.push_back(i);
  SortOnce(found);
  return found;
}

// At most this many instructions are followed backwards from an address or a value.
constexpr std::size_t kMostMadeOf = 500;

bool Overlap(const RegisterRange& a, const RegisterRange& b) {
  return a.file == b.file && a.first < b.first + b.count && b.first < a.first + a.count;
}
bool AnyOverlap(const std::vector<RegisterRange>& list, const RegisterRange& with) {
  return std::ranges::any_of(list, [&](const RegisterRange& r) { return Overlap(r, with); });
}
bool Covers(const std::vector<RegisterRange>& list, const RegisterRange& all) {
  return std::ranges::any_of(list, [&](const RegisterRange& r) {
    return r.file == all.file && r.first <= all.first && r.first + r.count >= all.first + all.count;
  });
}

}  // namespace

AdviceCode::AdviceCode(const AdviceQuestion& question, int function)
    : question_(question), number_(function), function_(question.costs.functions[function]) {
  for (const SassInstruction& i : function_.decoded) operations_.push_back(FindOperation(i.mnemonic).operation);
  std::map<std::int64_t, const InstructionRecord*> counted;
  for (const InstructionRecord& i : question.counted)
    if (i.function == function_.code.function) counted[i.pc_offset] = &i;
  for (const MachineInstruction& i : function_.code.instructions) {
    const auto found = counted.find(i.pc_offset);
    counted_.push_back(found == counted.end() ? nullptr : found->second);
  }
  addresses_ = LaneAddresses(function_.decoded, function_.graph, question.block);
}

bool AdviceCode::IsIn(int i, int loop) const {
  for (int l = LoopOf(i); l >= 0; l = function_.graph.loops[l].parent)
    if (l == loop) return true;
  return false;
}

std::vector<int> AdviceCode::InstructionsOf(int loop) const {
  std::vector<int> all;
  for (const int b : function_.graph.loops[loop].blocks)
    for (int i = function_.graph.blocks[b].first; i <= function_.graph.blocks[b].last; ++i) all.push_back(i);
  return all;
}

SourceFrame AdviceCode::LineOf(int i) const {
  const auto& frames = function_.code.instructions[i].frames;
  const auto own = FindOwnLine(frames);
  return own == frames.end() ? SourceFrame{} : *own;
}

int AdviceCode::LineOfLoop(int loop) const {
  const CodeLoop& l = function_.graph.loops[loop];
  // The branch back to the header has the line of the loop's statement.
  for (auto b = l.blocks.rbegin(); b != l.blocks.rend(); ++b)
    if (std::ranges::count(function_.graph.blocks[*b].successors, l.header) != 0) {
      const int line = LineOf(function_.graph.blocks[*b].last).line;
      if (line > 0) return line;
    }
  return LineOf(function_.graph.blocks[l.header].first).line;
}

int AdviceCode::Lanes() const {
  const BlockShape& block = question_.block;
  const int threads = block.x * block.y * block.z;
  return threads > 0 ? std::min(threads, kWarpLanes) : kWarpLanes;
}

AdviceCode::Findings AdviceCode::ByFinding(const std::function<std::optional<std::string>(int)>& finding) const {
  Findings found;
  for (int i = 0; i < Size(); ++i)
    if (std::optional<std::string> text = finding(i)) found[{LineOf(i).file, *std::move(text)}].push_back(i);
  return found;
}

int AdviceCode::Heaviest(const std::vector<int>& instructions) const {
  return *std::ranges::max_element(instructions, {}, [&](int i) { return BlamedUs(i); });
}

double AdviceCode::BlamedUs(int i) const { return function_.costs[i].Blamed(); }

double AdviceCode::BlamedUs(int i, std::string_view reason) const {
  const auto found = function_.costs[i].blamed_us.find(std::string(reason));
  return found == function_.costs[i].blamed_us.end() ? 0 : found->second;
}

std::vector<int> AdviceCode::Writers(int i, const RegisterRange& registers) const {
  if (registers.count > 1) return OfEach(registers, [&](const RegisterRange& one) { return Writers(i, one); });
  std::vector<int> found;
  std::set<int> seen;  // blocks that were entered at their end
  std::vector<std::pair<int, int>> open = {{BlockOf(i), i - 1}};
  while (!open.empty()) {
    const auto [block, last] = open.back();
    open.pop_back();
    bool ended = false;
    for (int n = last; n >= function_.graph.blocks[block].first && !ended; --n) {
      if (!budget_.Take()) return found;
      if (!AnyOverlap(At(n).writes, registers)) continue;
      found.push_back(n);
      ended = !At(n).guarded && Covers(At(n).writes, registers);
    }
    if (ended) continue;
    for (const int before : function_.graph.blocks[block].predecessors)
      if (seen.insert(before).second) open.emplace_back(before, function_.graph.blocks[before].last);
  }
  SortOnce(found);
  return found;
}

std::vector<int> AdviceCode::Readers(int i, const RegisterRange& registers) const {
  if (registers.count > 1) return OfEach(registers, [&](const RegisterRange& one) { return Readers(i, one); });
  std::vector<int> found;
  std::set<int> seen;
  std::vector<std::pair<int, int>> open = {{BlockOf(i), i + 1}};
  while (!open.empty()) {
    const auto [block, first] = open.back();
    open.pop_back();
    bool ended = false;
    for (int n = first; n <= function_.graph.blocks[block].last && !ended; ++n) {
      if (!budget_.Take()) return found;
      if (AnyOverlap(At(n).reads, registers)) found.push_back(n);
      ended = !At(n).guarded && Covers(At(n).writes, registers);
    }
    if (ended) continue;
    for (const int next : function_.graph.blocks[block].successors)
      if (seen.insert(next).second) open.emplace_back(next, function_.graph.blocks[next].first);
  }
  SortOnce(found);
  return found;
}

std::vector<RegisterRange> AdviceCode::AddressRegisters(int i) const {
  std::vector<RegisterRange> registers;
  if (!At(i).address) return registers;
  const SassAddress& address = *At(i).address;
  for (const RegisterRange& r : At(i).reads) {
    if (r.file == RegisterFile::kGeneral && r.first == address.base) registers.push_back(r);
    if (r.file == RegisterFile::kUniform && r.first == address.uniform_base) registers.push_back(r);
  }
  return registers;
}

std::vector<int> AdviceCode::MadeOf(int i, const std::vector<RegisterRange>& registers,
                                    const std::function<bool(int)>& stop) const {
  std::set<int> made;
  std::deque<std::pair<int, RegisterRange>> open;
  for (const RegisterRange& r : registers) open.emplace_back(i, r);
  while (!open.empty() && made.size() < kMostMadeOf) {
    const auto [at, range] = open.front();
    open.pop_front();
    for (const int writer : Writers(at, range)) {
      if (!made.insert(writer).second || stop(writer)) continue;
      for (const RegisterRange& r : At(writer).reads) open.emplace_back(writer, r);
    }
  }
  return {made.begin(), made.end()};
}

bool AdviceCode::FeedsItself(int i) const {
  std::vector<RegisterRange> registers;
  for (const RegisterRange& r : At(i).reads)
    if (r.file == RegisterFile::kGeneral || r.file == RegisterFile::kUniform) registers.push_back(r);
  const int loop = LoopOf(i);
  if (loop < 0) return false;
  const std::vector<int> made = MadeOf(i, registers, [&](int n) { return At(n).access_bytes > 0 || !IsIn(n, loop); });
  return std::ranges::binary_search(made, i);
}

std::string AdviceCode::Describe(const std::vector<int>& instructions) const {
  std::map<int, double> us;  // by loop
  for (const int i : instructions) us[LoopOf(i)] += BlamedUs(i) + 1e-9;
  const auto most = std::ranges::max_element(us, {}, [](const auto& of) { return of.second; });
  if (most == us.end()) return "";
  const int loop = most->first;
  std::map<std::string, int> counts;
  bool always = true;
  for (const int i : instructions) {
    if (LoopOf(i) != loop) continue;
    ++counts[At(i).mnemonic];
    if (loop < 0) continue;
    always &= !At(i).guarded;
    const auto& blocks = function_.graph.blocks;
    for (const int b : function_.graph.loops[loop].blocks)
      if (std::ranges::count(blocks[b].successors, function_.graph.loops[loop].header) != 0)
        always &= function_.graph.Dominates(BlockOf(i), b);
  }
  std::vector<std::pair<int, std::string>> sorted;
  for (const auto& [mnemonic, n] : counts) sorted.emplace_back(-n, mnemonic);
  std::ranges::sort(sorted);
  std::string text;
  for (const auto& [n, mnemonic] : sorted) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", -n, mnemonic);
  if (loop < 0) return text;
  const int line = LineOfLoop(loop);
  return fmt::format("{}{} a trip of the loop{}", always ? "" : "up to ", text,
                     line > 0 ? fmt::format(" at line {}", line) : "");
}

Advice AdviceCode::About(const std::vector<int>& instructions) const {
  Advice advice;
  std::map<std::pair<std::string, int>, double> by_line;
  for (const int i : instructions) {
    advice.about.push_back({number_, i});
    const SourceFrame line = LineOf(i);
    by_line[{line.file, line.line}] += BlamedUs(i) + 1e-9;
    advice.waited_us += BlamedUs(i);
    if (std::ranges::count(advice.operations, operations_[i]) == 0) advice.operations.push_back(operations_[i]);
  }
  std::ranges::sort(advice.about);
  const auto most = std::ranges::max_element(by_line, {}, [](const auto& of) { return of.second; });
  if (most != by_line.end()) {
    advice.at = {most->first.first, most->first.second};
    // Lines with less than a tenth of the first line's time are left out.
    for (const auto& [line, us] : by_line)
      if (line != most->first && line.first == advice.at.file && line.second > 0 && us >= 0.1 * most->second)
        advice.also_lines.push_back(line.second);
  }
  advice.instructions = Describe(instructions);
  return advice;
}

}  // namespace culprit
