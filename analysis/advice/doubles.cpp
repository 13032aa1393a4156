// SPDX-License-Identifier: Apache-2.0
// Arithmetic in double precision that begins with floats or integers and ends with floats.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/advice/kinds.h"

namespace culprit::advice {
namespace {

bool Widens(const SassInstruction& i) { return i.opcode.starts_with("F2F.F64.F32"); }
bool Narrows(const SassInstruction& i) { return i.opcode.starts_with("F2F.F32.F64"); }
// An integer becomes a double: two registers.
bool ToDouble(const SassInstruction& i) {
  return i.mnemonic == "I2F" && std::ranges::any_of(i.writes, [](const RegisterRange& r) { return r.count == 2; });
}
bool IsMove(const SassInstruction& i) {
  static constexpr std::string_view kMoves[] = {"MOV", "UMOV", "CS2R", "SEL", "FSEL", "R2UR", "LDC", "ULDC", "LDCU"};
  if (std::ranges::count(kMoves, i.mnemonic) != 0) return true;
  // A number, or a register, put into another by way of a multiplication by 1 or 0.
  return (i.mnemonic == "IMAD" && i.operands.find("RZ, RZ") != std::string::npos) || i.mnemonic == "HFMA2";
}

}  // namespace

std::vector<Advice> Doubles(const AdviceCode& code) {
  std::vector<int> arithmetic, conversions;
  bool literal = false;
  for (int i = 0; i < code.Size(); ++i) {
    if (code.OperationAt(i) == Operation::kFp64) arithmetic.push_back(i);
    if (Widens(code.At(i)) || Narrows(code.At(i)) || ToDouble(code.At(i))) conversions.push_back(i);
  }
  const auto widens = [&](int i) { return Widens(code.At(i)) || ToDouble(code.At(i)); };
  const auto narrows = [&](int i) { return Narrows(code.At(i)); };
  if (arithmetic.empty() || std::ranges::none_of(conversions, widens) || std::ranges::none_of(conversions, narrows))
    return {};
  // Everything that goes in was a float or a number, and everything that comes out becomes a float.
  for (const int i : arithmetic) {
    for (const RegisterRange& r : code.At(i).reads) {
      if (r.file == RegisterFile::kPredicate || r.file == RegisterFile::kUniformPredicate) continue;
      for (const int writer : code.Writers(i, r)) {
        const SassInstruction& w = code.At(writer);
        if (code.OperationAt(writer) != Operation::kFp64 && !Widens(w) && !ToDouble(w) && !IsMove(w)) return {};
      }
    }
    literal |=
        code.At(i).operands.find("c[") != std::string::npos || code.At(i).operands.find('.') != std::string::npos;
    for (const RegisterRange& r : code.At(i).writes) {
      if (r.file != RegisterFile::kGeneral) continue;
      for (const int reader : code.Readers(i, r)) {
        const SassInstruction& use = code.At(reader);
        if (code.OperationAt(reader) != Operation::kFp64 && !Narrows(use) && !IsMove(use)) return {};
      }
    }
  }
  std::vector<int> all = arithmetic;
  all.insert(all.end(), conversions.begin(), conversions.end());
  std::ranges::sort(all);
  Advice advice = code.About("double", all);
  const SourceFrame line = code.About("double", arithmetic).at;
  if (line.line > 0 && line != advice.at) {
    std::erase(advice.also_lines, line.line);
    if (line.file == advice.at.file) advice.also_lines.push_back(advice.at.line);
    advice.at = line;
  }
  advice.finding =
      literal ? "values are converted to double, and to float in the end: a number or a variable of type double is "
                "among them"
              : "values are converted to double, and to float in the end: a variable of type double is among them";
  advice.action =
      "where single precision is enough, end the line's literals in f (0.5f) and declare its variables float";
  return {advice};
}

}  // namespace culprit::advice
