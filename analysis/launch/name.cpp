// SPDX-License-Identifier: Apache-2.0
#include "analysis/launch/name.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <memory>
#include <vector>

#include "db/fnv.h"

namespace culprit {
namespace {

constexpr std::string_view kAnonymous = "(anonymous namespace)";

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsWord(char c) { return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// --- demangling ---

// A substitution may stand for all of the preceding text, so r of them make a text at most e^(r/e) times longer. 24 of
// them make it at most 6,800 times longer. A pack is repeated for each member and counts as 12.
constexpr int kMostReferences = 24, kPackReferences = 12;

bool ExpandsTooFar(std::string_view symbol) {
  int references = 0;
  for (std::size_t i = 0; i + 1 < symbol.size(); ++i) {
    const bool is_pack = (symbol[i] == 'D' || symbol[i] == 's') && symbol[i + 1] == 'p';
    const bool is_reference =
        (symbol[i] == 'S' || symbol[i] == 'T') &&
        (IsDigit(symbol[i + 1]) || symbol[i + 1] == '_' || (symbol[i + 1] >= 'A' && symbol[i + 1] <= 'Z'));
    references += is_pack ? kPackReferences : int{is_reference};
  }
  return references > kMostReferences;
}

// Reads the names in a mangled symbol without their template arguments and parameters.
class MangledNames {
 public:
  explicit MangledNames(std::string_view symbol) : rest_(symbol) {}

  // "cutlass::device_kernel<...>", with `arguments` between the brackets; empty when it cannot read a name.
  std::string Read(std::string_view arguments) {
    if (!Take("_Z")) return {};
    Take("L");
    const bool nested = Take("N");
    std::string name;
    while (!rest_.empty()) {
      if (Take("St")) {
        Append(name, "std");
      } else if (IsDigit(rest_.front())) {
        const std::string_view word = Word();
        if (word.empty()) break;
        Append(name, word.starts_with("_GLOBAL_") ? kAnonymous : word);
      } else if (rest_.front() == 'I') {
        ((name += '<') += arguments) += '>';
        if (!nested || !SkipArguments()) break;
      } else {
        break;
      }
    }
    return name;
  }

 private:
  static void Append(std::string& name, std::string_view word) {
    if (!name.empty()) name += "::";
    name += word;
  }

  bool Take(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  // "5array"; empty when it is truncated.
  std::string_view Word() {
    std::size_t size = 0;
    while (!rest_.empty() && IsDigit(rest_.front()) && size < rest_.size()) {
      size = size * 10 + static_cast<std::size_t>(rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    if (size > rest_.size()) return {};
    const std::string_view word = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return word;
  }

  // From an 'I' to after its 'E'. Digits of a literal follow its type and are not a length.
  bool SkipArguments() {
    std::size_t open = 0;
    std::vector<std::size_t> literals;  // how many were open when a literal of a named type began
    do {
      if (rest_.empty()) return false;
      const char c = rest_.front();
      if (IsDigit(c)) {
        if (Word().empty()) return false;
      } else {
        rest_.remove_prefix(1);
      }
      if (c == 'L' && !rest_.empty() && rest_.front() >= 'a' && rest_.front() <= 'z') {
        if (!SkipToEnd()) return false;
      } else if (c == 'L') {
        literals.push_back(++open);
        continue;
      } else if (c == 'I' || c == 'N' || c == 'X' || c == 'J' || c == 'F') {
        ++open;
      } else if (c == 'E') {
        --open;
      }
      // The value of a literal, after its type.
      if (!literals.empty() && open == literals.back() && (c == 'E' || IsDigit(c))) {
        if (!SkipToEnd()) return false;
        literals.pop_back();
        --open;
      }
    } while (open > 0);
    return true;
  }

  bool SkipToEnd() {
    const std::size_t end = rest_.find('E');
    if (end == rest_.npos) return false;
    rest_.remove_prefix(end + 1);
    return true;
  }

  std::string_view rest_;
};

// --- readable names ---

// The parts of a name, within its text.
struct Parts {
  std::string_view whole;      // without result and parameters
  std::string_view base;       // without namespaces and template arguments
  std::string_view arguments;  // between the outermost brackets
};

std::size_t SkipOperator(std::string_view text, std::size_t i) {
  constexpr std::string_view kOperator = "operator";
  if (!text.substr(i).starts_with(kOperator) || (i > 0 && IsWord(text[i - 1]))) return i;
  std::size_t end = i + kOperator.size();
  if (text.substr(end).starts_with("()")) return end + 2;
  while (end < text.size() && std::string_view("<>=-!+*/%&|^~[],").find(text[end]) != std::string_view::npos) ++end;
  return end;
}

// Calls visit(position, depth) for every character that is not a bracket, with the bracket depth there; `visit` returns
// whether to go on. Characters after an opening bracket are one deeper.
template <class Visit>
void Walk(std::string_view text, Visit visit) {
  std::vector<char> open;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with(kAnonymous)) {
      i += kAnonymous.size() - 1;
      continue;
    }
    if (const std::size_t end = SkipOperator(text, i); end > i) {
      i = end - 1;
      continue;
    }
    const char c = text[i];
    if (!visit(i, open.size())) return;
    // "(1)<(2)" is a comparison, "1<<2" a shift.
    const bool compares = c == '<' && i > 0 && (text[i - 1] == ')' || text[i - 1] == '<' || text.substr(i, 2) == "<<");
    if (compares) continue;
    if (c == '<' || c == '(' || c == '{' || c == '[') open.push_back(c);
    const char opens = c == '>' ? '<' : c == ')' ? '(' : c == '}' ? '{' : c == ']' ? '[' : '\0';
    const bool is_arrow = c == '>' && i > 0 && text[i - 1] == '-';
    if (opens != '\0' && !is_arrow && !open.empty() && open.back() == opens) open.pop_back();
  }
}

Parts PartsOf(std::string_view readable) {
  std::size_t begin = 0, base = 0, end = readable.size();
  std::size_t arguments = readable.npos, arguments_end = readable.npos;
  Walk(readable, [&](std::size_t i, std::size_t depth) {
    const char c = readable[i];
    if (depth == 1 && c == '>' && arguments_end == readable.npos) arguments_end = i;
    if (depth > 0) return true;
    if (c == '(') {
      end = i;
      return false;
    }
    const bool is_scope = c == ':' && i + 1 < readable.size() && readable[i + 1] == ':';
    if (c == ' ') begin = i + 1;
    if (c == ' ' || is_scope) {
      base = i + (is_scope ? 2 : 1);
      arguments = arguments_end = readable.npos;
    }
    if (c == '<' && arguments == readable.npos) arguments = i;
    return true;
  });
  begin = std::min(begin, end), base = std::min(base, end);
  Parts parts{readable.substr(begin, end - begin), readable.substr(base, end - base), {}};
  if (arguments < end && arguments > base) {
    parts.base = readable.substr(base, arguments - base);
    const std::size_t last = std::min(arguments_end, end);
    parts.arguments = readable.substr(arguments + 1, last - arguments - 1);
    while (parts.arguments.ends_with(' ')) parts.arguments.remove_suffix(1);
  }
  return parts;
}

// --- suffixes of compilers ---

// "_0d1d2de3": Triton's note of arguments that are divisible, 1, or of a certain size.
std::string_view WithoutTritonSuffix(std::string_view word) {
  const std::size_t begin = word.rfind('_');
  if (begin == word.npos || !word.substr(begin + 1).starts_with("0")) return word;
  const std::string_view suffix = word.substr(begin + 1);
  const bool fits = suffix.find_first_not_of("0123456789cde") == suffix.npos;
  return fits && suffix.find_first_of("cde") == 1 ? word.substr(0, begin) : word;
}

std::string_view WithoutNumber(std::string_view word) {
  const std::size_t end = word.find_last_not_of("0123456789");
  return end != word.npos && end + 1 < word.size() && word[end] == '_' ? word.substr(0, end) : word;
}

// True for 8 or more hexadecimal digits with both letters and digits.
bool IsHash(std::string_view token) {
  constexpr std::size_t kLeast = 8;
  return token.size() >= kLeast && token.find_first_not_of("0123456789abcdef") == token.npos &&
         token.find_first_of("0123456789") != token.npos && token.find_first_of("abcdef") != token.npos;
}

// An identifier without what differs from build to build.
std::string NormalWord(std::string_view word) {
  // nvcc's namespace for a file, with a hash of its path.
  if (word.starts_with("_GLOBAL__N_") || word.starts_with("_INTERNAL_")) return std::string(kAnonymous);
  // rustc appends a hash of 17 characters to every name.
  constexpr std::size_t kRustHash = 17;
  if (word.size() == kRustHash && word[0] == 'h' && IsHash(word.substr(1))) return "#";
  word = WithoutTritonSuffix(word);
  if (word.starts_with("triton_")) word = WithoutNumber(word);
  // CUB_200200_900_NS: a namespace per version and architecture.
  const bool is_version = word.ends_with("_NS");
  std::string normal;
  bool first = true;
  for (std::size_t begin = 0, end = 0; begin <= word.size(); begin = end + 1) {
    end = std::min(word.find('_', begin), word.size());
    const std::string_view token = word.substr(begin, end - begin);
    if (is_version && !token.empty() && std::ranges::all_of(token, IsDigit)) continue;
    if (!first) normal += '_';
    first = false;
    normal += IsHash(token) ? "#" : token;
  }
  return normal;
}

// Replaces every identifier in `text` by the result of `word_of`.
template <class WordOf>
std::string WithWords(std::string_view text, WordOf word_of) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    if (!IsWord(text[i])) {
      result += text[i++];
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && IsWord(text[end])) ++end;
    result += word_of(text.substr(i, end - i));
    i = end;
  }
  return result;
}

// --- for people ---

// "3ul" becomes 3.
std::string_view WithoutLiteralSuffix(std::string_view word) {
  if (word.empty() || !IsDigit(word.front())) return word;
  const std::size_t end = word.find_last_not_of("ul");
  return end == word.npos ? word : word.substr(0, end + 1);
}

// Template arguments without the parameters of functions that contain lambdas, and without what follows those:
// "at::gelu(at::Tensor&)::{lambda()#2}::operator()() const::{lambda(float)#1}" becomes "at::gelu".
std::string WithoutLambdas(std::string_view arguments) {
  std::string text;
  for (std::size_t i = 0; i < arguments.size();) {
    if (arguments.substr(i).starts_with(kAnonymous)) {
      i += kAnonymous.size();
      continue;
    }
    const std::size_t end = SkipOperator(arguments, i);
    const bool is_call = end > i && arguments[end - 1] == ')';
    if (end > i) text += arguments.substr(i, is_call ? 0 : end - i);
    if (is_call)
      while (text.ends_with(':')) text.pop_back();
    i = end;
    if (i >= arguments.size()) break;
    const bool has_parameters = arguments[i] == '(' && !text.empty() && (IsWord(text.back()) || text.back() == '>');
    if (!has_parameters) {
      if (end == i || !is_call) text += arguments[i++];
      continue;
    }
    for (int open = 0; i < arguments.size(); ++i) {
      const char c = arguments[i];
      if (open == 0 && std::string_view(",>)}]").find(c) != std::string_view::npos) break;
      if (c == '(' || c == '<' || c == '{' || c == '[') ++open;
      if (c == ')' || c == '>' || c == '}' || c == ']') --open;
    }
  }
  return text;
}

// Template arguments without namespaces, casts, and anything deeper than `most_depth`.
std::string ShortArguments(std::string_view arguments, std::size_t most_depth) {
  std::string text;
  std::size_t word = 0;  // start of the identifier in `text` that a "::" would remove
  bool hidden = false;
  Walk(arguments, [&](std::size_t i, std::size_t depth) {
    const char c = arguments[i];
    const bool closes = c == '>' || c == ')' || c == '}' || c == ']';
    if (depth > most_depth + (closes ? 1 : 0)) {
      if (!hidden) text += "...";
      hidden = true;
      return true;
    }
    hidden = false;
    if (c == ':') {
      text.resize(word);
      return true;
    }
    if (c == ' ' && (text.empty() || (i + 1 < arguments.size() && arguments[i + 1] == '>'))) return true;
    text += c;
    if (!IsWord(c)) word = text.size();
    return true;
  });
  return WithWords(text, WithoutLiteralSuffix);
}

// Characters of an identifier that can be typed.
std::string Typeable(std::string_view base) {
  constexpr std::size_t kMostTypeable = 64;
  std::string id;
  for (const char c : base.substr(0, kMostTypeable)) id += IsWord(c) ? c : '_';
  while (id.size() > 1 && id.back() == '_' && !IsWord(base[id.size() - 1])) id.pop_back();
  return id.empty() || IsDigit(id.front()) ? "kernel" + id : id;
}

}  // namespace

std::string ReadableName(std::string_view symbol) {
  if (!symbol.starts_with("_Z") || symbol.find('\0') != symbol.npos) return std::string(symbol);
  constexpr std::size_t kMostMangled = 1024;  // A longer name might overflow the stack of libstdc++'s demangler.
  if (symbol.size() <= kMostMangled && !ExpandsTooFar(symbol)) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> name(
        abi::__cxa_demangle(std::string(symbol).c_str(), nullptr, nullptr, &status), &std::free);
    return name && status == 0 ? std::string(name.get()) : std::string(symbol);
  }
  std::string name = MangledNames(symbol).Read(fmt::format("...x{:016x}", Fnv1a(symbol)));
  return name.empty() ? std::string(symbol) : name;
}

std::string NormalName(std::string_view readable) {
  const std::string words = WithWords(PartsOf(readable).whole, NormalWord);
  std::string normal;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const char before = normal.empty() ? '\0' : normal.back();
    if (words[i] == ' ' && before == '>' && i + 1 < words.size() && words[i + 1] == '>') continue;
    // "{lambda(int)#2}", "{unnamed type#1}"
    if (words[i] == '#') {
      std::size_t end = i + 1;
      while (end < words.size() && IsDigit(words[end])) ++end;
      if (end > i + 1 && end < words.size() && words[end] == '}') {
        i = end - 1;
        continue;
      }
    }
    normal += words[i];
  }
  return normal;
}

std::string ShortName(std::string_view readable) {
  constexpr std::size_t kMostReadable = 80;
  const Parts parts = PartsOf(readable);
  std::string base(parts.base);
  if (base.size() > kMostReadable) base = base.substr(0, kMostReadable - 3) + "...";
  if (parts.arguments.empty()) return base;
  // Longer arguments give no readable name and are left out.
  constexpr std::size_t kWorthReading = 4096;
  if (parts.arguments.size() > kWorthReading) return base + "<...>";
  const std::string arguments = WithoutLambdas(parts.arguments);
  for (std::size_t depth = 3; depth-- > 0;)
    if (std::string name = base + "<" + ShortArguments(arguments, depth) + ">"; name.size() <= kMostReadable)
      return name;
  // The first of them, as many as fit.
  constexpr std::string_view kRest = ", ...>";
  const std::string shallow = ShortArguments(arguments, 0);
  const std::size_t room = kMostReadable - std::min(kMostReadable, base.size() + 1 + kRest.size());
  const std::size_t end = shallow.rfind(", ", room);
  if (end == shallow.npos) return base + "<...>";
  return base + "<" + shallow.substr(0, end) + std::string(kRest);
}

std::string StageIdOf(std::string_view readable) {
  const std::string normal = NormalName(readable);
  const std::string_view base = PartsOf(normal).base;
  std::string id = Typeable(base);
  // Six digits, folded, because the last characters hardly affect the upper bits of FNV-1a.
  constexpr unsigned kDigits = 24;
  const std::uint64_t hash = Fnv1a(normal);
  if (id != normal) id += fmt::format("~{:06x}", (hash ^ (hash >> kDigits)) & ((1u << kDigits) - 1));
  return id;
}

}  // namespace culprit
