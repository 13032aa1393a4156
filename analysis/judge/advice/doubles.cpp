// SPDX-License-Identifier: Apache-2.0
// Arithmetic in double precision that begins with floats or integers and ends with floats.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "analysis/judge/advice/kinds.h"

namespace culprit::advice {
namespace {

bool Widens(const SassInstruction& i) { return i.opcode.starts_with("F2F.F64.F32"); }
bool Narrows(const SassInstruction& i) { return i.opcode.starts_with("F2F.F32.F64"); }
// Converts an integer to a double, which has two registers.
bool ToDouble(const SassInstruction& i) {
  return i.mnemonic == "I2F" && std::ranges::any_of(i.writes, [](const RegisterRange& r) { return r.count == 2; });
}
bool IsMove(const SassInstruction& i) {
  static constexpr std::string_view kMoves[] = {"MOV", "UMOV", "CS2R", "SEL", "FSEL", "R2UR", "LDC", "ULDC", "LDCU"};
  if (std::ranges::count(kMoves, i.mnemonic) != 0) return true;
  // Moves a number or a register by a multiplication by 1 or 0.
  return (i.mnemonic == "IMAD" && i.operands.find("RZ, RZ") != std::string::npos) || i.mnemonic == "HFMA2";
}

// The last operand of a move, if it is a number: "UR6, 0x3fd33333".
std::optional<std::uint32_t> MovedNumber(const SassInstruction& i) {
  if (!IsMove(i)) return std::nullopt;
  const auto at = i.operands.rfind("0x");
  if (at == std::string::npos || i.operands.find('[') != std::string::npos) return std::nullopt;
  std::uint32_t number = 0;
  const char *first = i.operands.data() + at + 2, *last = i.operands.data() + i.operands.size();
  const auto [end, error] = std::from_chars(first, last, number, 16);
  return error == std::errc() && end == last ? std::optional(number) : std::nullopt;
}

// The number in two registers of `i`, if one move writes each register.
std::optional<double> NumberIn(const AdviceCode& code, int i, const RegisterRange& pair) {
  std::uint64_t bits = 0;
  for (int half = 0; half < 2; ++half) {
    const std::vector<int> writers = code.Writers(i, {pair.file, pair.first + half, 1});
    const std::optional<std::uint32_t> number =
        writers.size() == 1 ? MovedNumber(code.At(writers.front())) : std::nullopt;
    if (!number) return std::nullopt;
    bits |= std::uint64_t{*number} << 32 * half;
  }
  return std::bit_cast<double>(bits);
}

// A number in the operands: "R4, R4, 0.5".
std::optional<double> NumberAmong(const SassInstruction& i) {
  const auto comma = i.operands.rfind(", ");
  const std::string last = comma == std::string::npos ? "" : i.operands.substr(comma + 2);
  if (last.find('.') == std::string::npos || last.find('[') != std::string::npos) return std::nullopt;
  double number = 0;
  const auto [end, error] = std::from_chars(last.data(), last.data() + last.size(), number);
  return error == std::errc() && end == last.data() + last.size() ? std::optional(number) : std::nullopt;
}

constexpr std::size_t kMostLiterals = 3;

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
  // All inputs must be floats, integers or numbers, and all results must become floats.
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
  Advice advice = code.About(all);
  const SourceFrame line = code.About(arithmetic).at;
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

std::vector<ShownCode> WhereDoublesBegin(const AdviceCode& code) {
  struct Line {
    std::vector<int> arithmetic;
    int widened = 0, narrowed = 0;
    std::set<double> literals;
    double us = 0;
  };
  std::map<std::pair<std::string, int>, Line> lines;
  for (int i = 0; i < code.Size(); ++i) {
    const bool widens = Widens(code.At(i)) || ToDouble(code.At(i)), narrows = Narrows(code.At(i));
    const bool computes = code.OperationAt(i) == Operation::kFp64;
    if (!widens && !narrows && !computes) continue;
    Line& line = lines[{code.LineOf(i).file, code.LineOf(i).line}];
    line.us += code.BlamedUs(i);
    line.widened += widens;
    line.narrowed += narrows;
    if (!computes) continue;
    line.arithmetic.push_back(i);
    if (const auto number = NumberAmong(code.At(i))) line.literals.insert(*number);
    for (const RegisterRange& r : code.At(i).reads)
      if (const auto number = r.count == 2 ? NumberIn(code, i, r) : std::nullopt) line.literals.insert(*number);
  }
  std::vector<ShownCode> all;
  for (const auto& [place, line] : lines) {
    std::string text = line.arithmetic.empty() ? "" : code.Describe(line.arithmetic);
    const auto add = [&](const std::string& more) { text += (text.empty() ? "" : "; ") + more; };
    if (!line.literals.empty()) {
      std::string numbers;
      for (const double number : line.literals) {
        if (std::ranges::count(numbers, ',') + 1 == kMostLiterals && line.literals.size() > kMostLiterals) {
          numbers += ", ...";
          break;
        }
        numbers += fmt::format("{}{}", numbers.empty() ? "" : ", ", number);
      }
      add(fmt::format("the line holds {} of type double: {}", line.literals.size() == 1 ? "a number" : "numbers",
                      numbers));
    }
    if (line.widened > 0) add(fmt::format("{} conversion{} to double", line.widened, line.widened == 1 ? "" : "s"));
    if (line.narrowed > 0)
      add(fmt::format("{} conversion{} from double to float", line.narrowed, line.narrowed == 1 ? "" : "s"));
    all.push_back({"fp64_pipe", {place.first, place.second}, std::move(text), line.us});
  }
  return all;
}

}  // namespace culprit::advice
