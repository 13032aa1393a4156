// SPDX-License-Identifier: Apache-2.0
#include "profiler/code/instruction.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <string_view>
#include <tuple>

#include "db/fields.h"
#include "profiler/code/sass_opcode.h"

namespace culprit {
namespace {

// What an opcode reads and writes, in the order in which it is written down:
//   d  general register written, bits 16-23       u  uniform register written, bits 16-23
//   a  source, bits 24-31                         y  source, bits 64-71
//   x  source at bit 32, of the form's kind       b c  second and third of three sources: x and y in the form's order
//   z  y where x would be a register, else x      p q  predicates written, bits 81-83 and 84-86; h: p, not in the text
//   s  predicate read, bits 87-90                 r t  predicates read, bits 77-80 and 68-71
//   L  load        S  store      A  atomic that gives a result      R  atomic that gives none      C  compare and swap
//   K  constant    #  none of these: no registers
// A number behind a letter: so many registers instead of one; w: as many as the conversion's width says. ?: the
// predicate is read only by the extended form (.X, .EX, .HI), in `extended` below. U in front: all files are uniform.
struct Layout {
  unsigned opcode;
  std::string_view operands;
};

constexpr auto kLayouts = std::to_array<Layout>({
    {0x002, "dx"},        {0x007, "daxs"},    {0x008, "daxs"},     {0x009, "daxs"},
    {0x00a, "daxs"},      {0x00b, "pqaxs"},   {0x00c, "pqaxst?"},  {0x010, "dpqabcs?r?"},
    {0x011, "dpabc?s?"},  {0x012, "dpabcs"},  {0x013, "dx"},       {0x014, "dabc"},
    {0x015, "dabc"},      {0x016, "dabc"},    {0x017, "daxs"},     {0x019, "dabc"},
    {0x01a, "dax"},       {0x01b, "dax"},     {0x01c, "pqsrt"},    {0x020, "dax"},
    {0x021, "dax"},       {0x022, "day"},     {0x023, "dabc"},     {0x024, "dpabcs?"},
    {0x025, "d2pabc2s?"}, {0x026, "dabc"},    {0x027, "dpabc2s?"}, {0x028, "d2a2x2"},
    {0x029, "d2a2z2"},    {0x02a, "pqa2z2s"}, {0x02b, "d2a2b2c2"}, {0x030, "dax"},
    {0x031, "dabc"},      {0x032, "dax"},     {0x033, "daxs"},     {0x034, "pqaxs"},
    {0x03a, "da"},        {0x040, "daxs"},    {0x045, "dx"},       {0x048, "daxs"},
    {0x082, "Uux"},       {0x087, "Uuaxs"},   {0x08c, "Upqaxst?"}, {0x090, "Uupqabcs?r?"},
    {0x091, "Uupabc?s?"}, {0x092, "Uupabcs"}, {0x096, "Uuabc"},    {0x099, "Uuabc"},
    {0x09a, "Uuax"},      {0x09c, "Upqsrt"},  {0x0a4, "Uupabcs?"}, {0x0a5, "Uu2pabc2s?"},
    {0x0b9, "K"},         {0x0bd, "Uupx"},    {0x0be, "Uux"},      {0x0bf, "Uux"},
    {0x0ca, "upa"},       {0x100, "dpx"},     {0x101, "dx"},       {0x102, "pax"},
    {0x104, "dwxw"},      {0x105, "dwxw"},    {0x106, "dwxw"},     {0x107, "dwxw"},
    {0x108, "dx"},        {0x109, "dx"},      {0x110, "dwxw"},     {0x111, "dwxw"},
    {0x112, "dwxw"},      {0x113, "dwxw"},    {0x118, "#"},        {0x119, "d"},
    {0x11a, "#"},         {0x141, "#"},       {0x142, "#"},        {0x145, "#"},
    {0x146, "#"},         {0x14d, "s"},       {0x180, "L"},        {0x181, "L"},
    {0x182, "K"},         {0x183, "L"},       {0x184, "L"},        {0x185, "S"},
    {0x186, "S"},         {0x187, "S"},       {0x188, "S"},        {0x18c, "A"},
    {0x18d, "C"},         {0x18e, "R"},       {0x192, "#"},        {0x1a8, "A"},
    {0x1a9, "C"},         {0x1a6, "R"},       {0x1af, "#"},        {0x1c2, "upa"},
    {0x1c3, "u"},         {0x1c4, "ua"},      {0x036, "dax"},      {0x046, "dabcs"},
    {0x053, "Upqaxs"},    {0x05a, "Uux"},     {0x076, "dabcs"},    {0x097, "Uu2pqa2b2c2s?r?"},
    {0x14e, "d2"},        {0x156, "x"},       {0x155, "d"},        {0x11c, "dp"},
    {0x18a, "A"},         {0x18b, "C"},       {0x1a3, "A"},        {0x1a2, "A"},
    {0x1c5, "#"},         {0x1aa, "Q"},       {0x1ab, "#"},        {0x1ac, "K"},
    {0x15c, "#"},         {0x15d, "x"},       {0x1a1, "hda"},      {0x03e, "daxy?"},
});

struct Integer {
  unsigned opcode;
  SassInteger operation;
};
using enum SassInteger;
constexpr auto kIntegers = std::to_array<Integer>({
    {0x002, kMove},        {0x082, kMove},        {0x0ca, kMove},        {0x035, kMove},        {0x013, kAbsolute},
    {0x007, kSelect},      {0x087, kSelect},      {0x010, kAdd},         {0x090, kAdd},         {0x036, kAdd},
    {0x024, kMultiplyAdd}, {0x0a4, kMultiplyAdd}, {0x025, kMultiplyAdd}, {0x0a5, kMultiplyAdd}, {0x011, kShiftAdd},
    {0x091, kShiftAdd},    {0x012, kLogic},       {0x092, kLogic},       {0x019, kShift},       {0x099, kShift},
    {0x005, kSpecial},     {0x119, kSpecial},     {0x1c3, kSpecial},     {0x182, kConstant},    {0x0b9, kConstant},
    {0x1ac, kConstant},
});

// Names that the opcode alone does not decide, so that SassOpcode() gives none.
std::string_view NameByFormOrArchitecture(unsigned opcode, std::uint64_t form, int architecture) {
  switch (opcode) {
    case 0x035:
      return architecture >= 100 ? "IADD" : architecture != 0 ? "HFMA2" : "";
    case 0x036:
      return architecture >= 90 && architecture < 120 ? "VIADD" : "";
    case 0x046:
      return architecture >= 90 && architecture < 120 ? "VIADDMNMX" : "";
    case 0x18e:
      return architecture >= 90 ? "REDG" : "RED";
    case 0x1ab:
      return form == 4 ? "ERRBAR" : form == 2 ? "CGAERRBAR" : "";
    case 0x1c7:
      return architecture != 90 ? "" : form == 4 ? "UCGABAR_ARV" : form == 6 ? "UCGABAR_WAIT" : "";
    default:
      return "";
  }
}

class Decoder {
 public:
  Decoder(std::uint64_t low, std::uint64_t high, int architecture, SassInstruction& out)
      : low_(low),
        high_(high),
        opcode_(low & 0x1ff),
        form_(Bits(9, 3)),
        architecture_(architecture),
        blackwell_(architecture >= 100),
        out_(out) {}

  void Run() {
    Control();
    out_.mnemonic = SassOpcode(low_);
    if (out_.mnemonic.empty()) out_.mnemonic = NameByFormOrArchitecture(opcode_, form_, architecture_);
    if (out_.mnemonic.empty()) return;
    out_.opcode = out_.mnemonic;
    const auto found = std::ranges::find(kLayouts, opcode_, &Layout::opcode);
    std::string_view layout = found == kLayouts.end() ? std::string_view() : found->operands;
    if (opcode_ == 0x035) layout = blackwell_ ? "d2a2x2" : "dabc";
    if (blackwell_ && opcode_ == 0x048) layout = "dpqaxs";
    if (blackwell_ && opcode_ == 0x082 && (form_ == 2 || Bit(80))) layout = "Uu2x2";  // UMOV.64
    if (blackwell_ && opcode_ == 0x087 && form_ == 6) layout = "Uu2a2x2s";            // USEL.64
    if (layout.starts_with('U')) {
      uniform_ = true;
      layout.remove_prefix(1);
    } else if (opcode_ == 0x0b9 || opcode_ == 0x1ac) {
      uniform_ = true;
    }
    Guard();
    Flow();
    if (!layout.empty()) {
      out_.registers_known = true;
      Operands(layout);
    } else {
      Others();
    }
    Finish();
    Arithmetic();
  }

 private:
  std::uint64_t Bits(int first, int count) const {
    std::uint64_t value = first >= 64 ? high_ >> (first - 64) : low_ >> first;
    if (first < 64 && first + count > 64) value |= high_ << (64 - first);
    return count >= 64 ? value : value & ((std::uint64_t{1} << count) - 1);
  }
  std::int64_t Signed(int first, int count) const {
    const std::uint64_t value = Bits(first, count), sign = std::uint64_t{1} << (count - 1);
    return static_cast<std::int64_t>((value ^ sign) - sign);
  }
  bool Bit(int n) const { return Bits(n, 1) != 0; }

  void Control() {
    out_.stall_cycles = static_cast<int>(Bits(105, 4));
    out_.yield = !Bit(109);
    if (const auto board = static_cast<int>(Bits(110, 3)); board < 6) out_.write_scoreboard = board;
    if (const auto board = static_cast<int>(Bits(113, 3)); board < 6) out_.read_scoreboard = board;
    out_.wait_mask = static_cast<unsigned>(Bits(116, 6));
  }

  void Guard() {
    const auto guard = static_cast<int>(Bits(12, 3));
    out_.guarded = guard != 7 || Bit(15);
    if (guard != 7)
      out_.reads.push_back({uniform_ ? RegisterFile::kUniformPredicate : RegisterFile::kPredicate, guard});
  }

  // Adds text of an operand.
  void Text(const std::string& text) {
    if (!out_.operands.empty()) out_.operands += ", ";
    out_.operands += text;
  }
  static std::string Hex(std::int64_t value) { return fmt::format("{:#x}", value); }

  // A register and its name. Beyond the end of the file there is nothing: such an encoding is not an instruction.
  std::string Register(std::vector<RegisterRange>& list, bool uniform, std::uint64_t number, int count) {
    const int last = uniform && !blackwell_ ? 63 : 255;
    const auto first = static_cast<int>(number) & last;
    if (first == last) return uniform ? "URZ" : "RZ";
    list.push_back({uniform ? RegisterFile::kUniform : RegisterFile::kGeneral, first, std::min(count, last - first)});
    return (uniform ? "UR" : "R") + std::to_string(first);
  }
  std::string Predicate(std::vector<RegisterRange>& list, int bit, bool source, bool uniform) {
    const auto number = static_cast<int>(Bits(bit, 3));
    std::string text = source && Bit(bit + 3) ? "!" : "";
    text += uniform ? "UP" : "P";
    if (number == 7) return text + "T";
    list.push_back({uniform ? RegisterFile::kUniformPredicate : RegisterFile::kPredicate, number});
    return text + std::to_string(number);
  }

  // General registers written and read.
  void Writes(int at, int count = 1) { Text(Register(out_.writes, false, Bits(at, 8), count)); }
  void Reads(int at, int count = 1) { Text(Register(out_.reads, false, Bits(at, 8), count)); }

  // A source that is a register.
  void Source(int at, int count, bool uniform) {
    const std::string name = Register(out_.reads, uniform, Bits(at, 8), count);
    SassSource source{.negated = Negates(at)};
    if (!name.ends_with('Z')) {
      source.kind = uniform ? SassSource::Kind::kUniform : SassSource::Kind::kRegister;
      source.number = out_.reads.back().first;
    } else {
      source.kind = SassSource::Kind::kNumber;
    }
    out_.arithmetic.sources.push_back(source);
    Text(name);
  }
  void Source(int at, int count) { Source(at, count, uniform_); }

  // Whether the sign of an integer source at this bit is turned.
  bool Negates(int at) const {
    const unsigned opcode = opcode_ & ~kUniform;
    const bool adds = opcode == 0x010 || opcode == 0x024 || opcode == 0x025;
    if (!adds && opcode != 0x011 && opcode_ != 0x036) return false;
    return at == 24 ? Bit(72) : at == 64 ? adds && Bit(75) : Bit(63);
  }

  // The source at bit 32: bits 9 to 11 say what it is.
  void SlotX(int count) {
    switch (form_) {
      case 1:
        Source(32, count);
        return;
      case 6:
      case 7:
        Source(32, count, true);
        return;
      default:
        break;
    }
    SassSource source;
    switch (form_) {
      case 2:
      case 4:
        source = {.kind = SassSource::Kind::kNumber, .number = static_cast<std::int32_t>(Bits(32, 32))};
        Text(Immediate(count));
        break;
      case 3:
      case 5:
        source = {.kind = SassSource::Kind::kConstant,
                  .number = static_cast<std::int64_t>(Bits(38, 16)),
                  .bank = Bit(91) ? -1 : static_cast<int>(Bits(54, 5)),
                  .negated = Negates(32)};
        if (Bit(91)) {
          const std::uint64_t number = Bits(32, 6);  // 63 is none on all architectures
          Text("cx[" + Register(out_.reads, true, blackwell_ && number == 63 ? 255 : number, 2) + "][" +
               Hex(Bits(38, 16)) + "]");
        } else {
          Text("c[" + Hex(Bits(54, 5)) + "][" + Hex(Bits(38, 16)) + "]");
        }
        break;
      default:
        out_.registers_known = false;
    }
    out_.arithmetic.sources.push_back(source);
  }
  std::string Immediate(int count) const {
    const auto bits = static_cast<std::uint32_t>(Bits(32, 32));
    const bool single = opcode_ >= 0x020 && opcode_ <= 0x023, compare = opcode_ >= 0x008 && opcode_ <= 0x00b;
    if (single || compare) return fmt::format("{:.9g}", std::bit_cast<float>(bits));
    if (count == 2) return fmt::format("{:.17g}", std::bit_cast<double>(std::uint64_t{bits} << 32));
    return Hex(bits);
  }

  bool Extended(char letter) const {
    if (letter == 'c') return Bit(80);  // LEA.HI
    if (letter == 't') return Bit(72);  // ISETP.EX
    if (letter == 'y') return Bit(78);  // F2FP that merges
    return Bit(74);                     // .X
  }

  void Operands(std::string_view layout) {
    const bool swapped = form_ == 2 || form_ == 3 || form_ == 7;
    bool written = false;
    for (std::size_t i = 0; i < layout.size(); ++i) {
      const char letter = layout[i];
      int count = 1;
      bool only_extended = false;
      for (; i + 1 < layout.size() && (layout[i + 1] == '?' || layout[i + 1] == 'w' || std::isdigit(layout[i + 1]));
           ++i) {
        const char suffix = layout[i + 1];
        if (suffix == '?')
          only_extended = true;
        else if (suffix == 'w')
          count = Bits(written ? 84 : 75, 2) == 3 ? 2 : 1;
        else
          count = suffix - '0';
      }
      if (only_extended && !Extended(letter)) continue;
      switch (letter) {
        case 'd':
        case 'u':
          Text(Register(out_.writes, letter == 'u', Bits(16, 8), count));
          written = true;
          break;
        case 'a':
          Source(24, count);
          break;
        case 'b':
        case 'c':
          if ((letter == 'b') == swapped)
            Source(64, count);
          else
            SlotX(count);
          break;
        case 'x':
          SlotX(count);
          break;
        case 'y':
          Source(64, count);
          break;
        case 'z':
          if (form_ == 1)
            Source(64, count);
          else
            SlotX(count);
          break;
        case 'p':
        case 'q': {
          const std::string text = Predicate(out_.writes, letter == 'p' ? 81 : 84, false, uniform_);
          if (!text.ends_with('T') || layout.starts_with("p")) Text(text);
          break;
        }
        case 's':
        case 'r':
        case 't': {
          const bool from_uniform = uniform_ || (opcode_ == 0x01c && letter == 't' && Bit(67));
          const std::string text = Predicate(out_.reads,
                                             letter == 's'   ? 87
                                             : letter == 'r' ? 77
                                                             : 68,
                                             true, from_uniform);
          if (opcode_ != 0x14d || text != "PT") Text(text);
          break;
        }
        case 'L':
        case 'S':
        case 'A':
        case 'R':
        case 'C':
          Memory(letter);
          break;
        case 'K':
          Constant();
          break;
        case 'h':
          Predicate(out_.writes, 81, false, false);
          break;
        case 'Q':  // QSPC: in which memory a generic address lies
          Predicate(out_.writes, 81, false, false);
          Writes(16);
          Reads(24, Bit(72) ? 2 : 1);
          break;
        default:
          break;
      }
    }
  }

  // Widths of loads and stores, bits 73 to 75.
  int Width() {
    static constexpr std::array<int, 8> kAccess{1, 1, 2, 2, 4, 8, 16, 0};
    static constexpr std::array<std::string_view, 8> kNames{".U8", ".S8", ".U16", ".S16", "", ".64", ".128", ""};
    const auto type = Bits(73, 3);
    out_.opcode += kNames[type];
    return out_.access_bytes = kAccess[type];
  }

  // What an atomic does and on what: sm_90 gave sums of floating-point numbers opcodes of their own.
  int AtomicWidth(bool swap, bool reduction) {
    struct Type {
      int bytes;
      std::string_view name;
    };
    static constexpr std::array<Type, 8> kBefore{
        {{4, ""}, {4, ".S32"}, {8, ".64"}, {4, ".F32.FTZ.RN"}, {4, ".F16x2.RN"}, {8, ".S64"}, {8, ".F64.RN"}, {0, ""}}};
    static constexpr std::array<Type, 8> kSince{
        {{4, ""}, {4, ".S32"}, {8, ".64"}, {8, ".S64"}, {16, ".128"}, {0, ""}, {0, ""}, {0, ""}}};
    static constexpr std::array<Type, 8> kFloats{{{4, ""},
                                                  {4, ".F32.FTZ.RN"},
                                                  {8, ".F32x2.FTZ.RN"},
                                                  {16, ".F32x4.FTZ.RN"},
                                                  {0, ""},
                                                  {0, ""},
                                                  {0, ""},
                                                  {8, ".F64.RN"}}};
    static constexpr std::array<std::string_view, 9> kOperations{".ADD", ".MIN", ".MAX", ".INC", ".DEC",
                                                                 ".AND", ".OR",  ".XOR", ".EXCH"};
    const bool floats = (opcode_ >= 0x1a2 && opcode_ <= 0x1a3) || opcode_ == 0x1a6;
    if (swap) {
      out_.opcode += Bits(87, 2) == 0 ? ".CAS" : opcode_ == 0x18d ? ".CAST" : "";
    } else if (const auto operation = floats ? 0 : Bits(87, reduction ? 3 : 4); operation < kOperations.size()) {
      out_.opcode += kOperations[operation];
    }
    const Type& type = (floats ? kFloats : architecture_ >= 90 ? kSince : kBefore)[Bits(73, 3)];
    if (architecture_ != 0 || floats || Bits(73, 3) < 3) out_.opcode += type.name;
    if (type.bytes == 0) out_.registers_known = false;
    return out_.access_bytes = type.bytes;
  }

  // Who sees an access of global memory in order, and what the caches are told about it.
  void Scope(bool load_or_store) {
    const auto eviction = Bits(84, 3), scope = Bits(77, 4);
    if (load_or_store) out_.opcode += eviction == 0 ? ".EF" : eviction == 2 ? ".EL" : eviction == 5 ? ".NA" : "";
    out_.opcode += scope == 4    ? ".CONSTANT"
                   : scope == 5  ? ".STRONG.SM"
                   : scope == 7  ? ".STRONG.GPU"
                   : scope == 10 ? ".STRONG.SYS"
                                 : "";
  }
  static int RegistersFor(int bytes) { return std::max(1, bytes / 4); }

  // Where bit 91 says that a uniform register takes part: where it stands, which bit says that it is a descriptor, and
  // which that the general register is the first of a pair.
  struct UniformPart {
    int at, described, pair;
  };
  UniformPart UniformPartOf(char kind) const {
    if (kind == 'L') return {32, 76, 90};
    if (kind == 'A') return blackwell_ ? UniformPart{64, 76, 63} : UniformPart{64, 71, 70};
    if (kind == 'R') return {64, blackwell_ ? 81 : 71, 90};
    return {64, 76, 90};
  }

  // [R2.64+UR4+0x10]
  std::string Address(char kind, bool global, bool wide) {
    SassAddress address;
    std::string text, descriptor;
    const bool has_uniform = Bit(91);
    const UniformPart uniform = UniformPartOf(kind);
    if (!has_uniform && (opcode_ == 0x180 || (opcode_ == 0x185 && form_ == 1)))
      address.offset = Signed(32, 32);  // no register stands there
    else
      address.offset = Signed(40, has_uniform && global && uniform.pair == 63 ? 23 : 24);
    bool pair = wide;
    if (has_uniform) {
      const auto number = Bits(uniform.at, blackwell_ ? 8 : 6);
      if (global && Bit(uniform.described)) {
        descriptor = "desc[" + Register(out_.reads, true, number, 2) + "]";
      } else {
        const std::string name = Register(out_.reads, true, number, wide ? 2 : 1);
        if (name != "URZ") {
          address.uniform_base = static_cast<int>(number);
          text = name;
        }
      }
      pair = wide && Bit(uniform.pair);
    }
    const auto base = static_cast<int>(Bits(24, 8));
    const std::string name = Register(out_.reads, false, base, pair ? 2 : 1);
    if (base != 255) {
      address.base = base;
      text = name + (pair ? ".64" : "") + (text.empty() ? "" : "+" + text);
    }
    if (address.offset != 0 || text.empty()) {
      text += (address.offset >= 0 && !text.empty() ? "+" : "") + Hex(address.offset);
    }
    out_.address = address;
    return descriptor + "[" + text + "]";
  }

  void Memory(char kind) {
    const bool atomic = kind == 'A' || kind == 'R' || kind == 'C';
    const bool global = opcode_ == 0x180 || opcode_ == 0x181 || opcode_ == 0x185 || opcode_ == 0x186 ||
                        (atomic && opcode_ != 0x18c && opcode_ != 0x18d);
    const bool counts = opcode_ == 0x18c && form_ == 7;  // ATOMS.POPC.INC: counts threads, no data
    const bool wide = global && Bit(72);
    if (wide) out_.opcode += ".E";
    const int count = RegistersFor(!atomic ? Width() : counts ? 4 : AtomicWidth(kind == 'C', kind == 'R'));
    if (counts) out_.access_bytes = 4;
    if (global) Scope(!atomic);
    if (kind == 'L') {
      Writes(16, count);
      Text(Address(kind, global, wide));
      return;
    }
    if (kind == 'A' || kind == 'C') {
      if (global) Predicate(out_.writes, 81, false, false);
      Writes(16, count);
    }
    Text(Address(kind, global, wide));
    if (counts) return;
    Text(Register(out_.reads, false, Bits(opcode_ == 0x185 && form_ == 1 ? 64 : 32, 8), count));
    if (kind == 'C') Reads(64, count);
  }

  void Constant() {
    const int count = RegistersFor(Width());
    Text(Register(out_.writes, uniform_, Bits(16, 8), count));
    std::string index = Register(out_.reads, uniform_, uniform_ && opcode_ != 0x1ac ? 255 : Bits(24, 8), 1);
    const bool indexed = !index.ends_with('Z');
    index = indexed ? index + "+" : "";
    const auto offset = opcode_ == 0x1ac ? Bits(37, 17) : Bits(38, 16);
    out_.arithmetic.sources.push_back({.kind = SassSource::Kind::kConstant,
                                       .number = static_cast<std::int64_t>(offset),
                                       .bank = static_cast<int>(Bits(54, 5))});
    if (indexed)
      out_.arithmetic.sources.push_back({.kind = uniform_ ? SassSource::Kind::kUniform : SassSource::Kind::kRegister,
                                         .number = out_.reads.back().first});
    Text("c[" + Hex(Bits(54, 5)) + "][" + index + Hex(static_cast<std::int64_t>(offset)) + "]");
  }

  void Flow() {
    const bool choice = Bits(87, 3) != 7 || Bit(90);
    // Distances are in units of four bytes. sm_90 and later keep their lowest eight bits at bit 16.
    const auto target = [&] {
      const std::int64_t high = Signed(34, 48), low = static_cast<std::int64_t>(Bits(16, 8));
      const bool split = architecture_ != 0 ? architecture_ >= 90 : low != 0 || high % 4 != 0;
      return out_.pc_offset + 16 + (split ? high * 256 + low : high) * 4;
    };
    switch (opcode_) {
      case 0x147:
        out_.flow = SassFlow::kBranch;
        out_.target = target();
        if (choice || form_ != 4) out_.guarded = true;
        out_.registers_known = form_ == 4 || form_ == 2;
        if (form_ == 2) {
          out_.opcode += ".U";
          Text(Predicate(out_.reads, 24, true, true));
        }
        if (form_ == 4 && choice) Text(Predicate(out_.reads, 87, true, false));
        Text(Hex(*out_.target));
        break;
      case 0x144:
        out_.flow = SassFlow::kCall;
        out_.registers_known = true;
        out_.target = target();
        Text(Hex(*out_.target));
        break;
      case 0x143:
        out_.flow = SassFlow::kCall;
        out_.registers_known = form_ == 1 || form_ == 4;
        if (form_ == 1) Reads(24, 2);
        break;
      case 0x145:
        out_.target = out_.pc_offset + 16 + Signed(34, 30) * 4;
        Text("B" + std::to_string(Bits(16, 4)));
        Text(Hex(*out_.target));
        break;
      case 0x141:
      case 0x142:
        Text("B" + std::to_string(Bits(16, 4)));
        break;
      case 0x11a:  // DEPBAR.LE: of those that set the scoreboard last so many need not be done
        if (!Bit(47)) break;
        out_.opcode += ".LE";
        Text("SB" + std::to_string(Bits(44, 3)));
        Text(Hex(static_cast<std::int64_t>(Bits(38, 6))));
        break;
      case 0x149:  // BRX
      case 0x14c:  // JMX
        out_.registers_known = form_ == 4;
        Reads(24, 2);
        [[fallthrough]];
      case 0x14a:  // JMP: to an absolute address, which only the loader knows
      case 0x158:
        out_.flow = SassFlow::kIndirect;
        break;
      case 0x14d:
        out_.flow = SassFlow::kExit;
        if (choice) out_.guarded = true;
        break;
      case 0x150:
        out_.flow = SassFlow::kReturn;
        out_.registers_known = true;
        Reads(24, 2);
        break;
      default:
        break;
    }
  }

  // Opcodes whose registers depend on more than a letter can say.
  void Others() {
    switch (opcode_) {
      case 0x003:  // P2R: any of the predicates
      case 0x004:
        out_.registers_known = true;
        if (opcode_ == 0x003) Writes(16);
        (opcode_ == 0x003 ? out_.reads : out_.writes).push_back({RegisterFile::kPredicate, 0, 7});
        Text("PR");
        Reads(24);
        SlotX(1);
        break;
      case 0x005:  // CS2R
        out_.registers_known = true;
        Writes(16, Bit(80) ? 2 : 1);
        break;
      case 0x006:
      case 0x086:
        out_.registers_known = true;
        Text(Register(out_.writes, opcode_ == 0x086, Bits(16, 8), 1));
        Text(Predicate(out_.writes, 81, false, opcode_ == 0x086));
        Text(Predicate(out_.reads, 87, true, false));
        break;
      case 0x03b:    // LDSM: one, two or four matrices
      case 0x044: {  // STSM
        const bool is_load = opcode_ == 0x03b;
        out_.registers_known = Bits(72, 2) < 3;
        const int matrices = 1 << Bits(72, 2);
        out_.access_bytes = 4 * matrices;
        if (is_load) Writes(16, matrices);
        out_.opcode += Matrices();
        Text(Address(is_load ? 'L' : 'S', false, false));
        if (!is_load) Reads(32, matrices);
        break;
      }
      case 0x037:
        IntegerMatrix();
        break;
      case 0x03c:
        HalfMatrix();
        break;
      case 0x03d:
        if (const auto shape = Bits(75, 2); shape == 1 || shape == 2)
          Fragments(shape == 1 ? ".168128" : ".168256", {4, static_cast<int>(2 * shape), static_cast<int>(shape), 4});
        break;
      case 0x03f: {  // DMMA: depth 4, 4, 8, 16 and, but for the first, 16 rows
        static constexpr std::array<std::string_view, 4> kShapes{".8x8x4", ".16x8x4", ".16x8x8", ".16x8x16"};
        const auto shape = Bits(76, 2);
        const int b = 1 << std::max(1, static_cast<int>(shape));
        Fragments(shape == 0 && architecture_ < 90 ? ".884" : kShapes[shape],
                  {shape == 0 ? 4 : 8, shape == 0 ? 2 : 2 * b, b, shape == 0 ? 4 : 8});
        break;
      }
      case 0x1f0:
        GroupMatrix();
        break;
      case 0x148:  // WARPSYNC: which lanes
        out_.registers_known = form_ == 1 || form_ == 4;
        if (form_ == 1) Reads(32);
        break;
      case 0x18f:  // CCTL
        out_.registers_known = !Bit(91) || Bits(24, 8) == 255;
        Reads(24, Bit(72) ? 2 : 1);
        break;
      case 0x11d:
        Barrier();
        break;
      case 0x189:  // SHFL
        out_.registers_known = true;
        Predicate(out_.writes, 81, false, false);
        Writes(16);
        Reads(24);
        Text(form_ == 1 || form_ == 2 ? Register(out_.reads, false, Bits(32, 8), 1) : Hex(Bits(53, 5)));
        Text(form_ == 1 || form_ == 4 ? Register(out_.reads, false, Bits(64, 8), 1) : Hex(Bits(40, 13)));
        break;
      case 0x1ae:
        GlobalToShared();
        break;
      default:
        break;
    }
  }

  std::string Matrices() const {
    static constexpr std::array<std::string_view, 4> kCounts{"", ".2", ".4", ""};
    return (Bit(78) ? ".16.MT88" : ".16.M88") + std::string(kCounts[Bits(72, 2)]);
  }

  // Registers of a thread's part of a product of matrices. What 11.8 prints is the first of each; the counts follow
  // from the shape: rows times columns over 32 threads.
  struct Counts {
    int result, a, b, sum;
  };
  void Fragments(std::string_view modifiers, Counts counts) {
    out_.registers_known = form_ == 1;
    out_.opcode += modifiers;
    Writes(16, counts.result);
    Reads(24, counts.a);
    Reads(32, counts.b);
    Reads(64, counts.sum);
  }
  void Metadata() { Text(Register(out_.reads, false, Bits(40, 8), 1)); }  // which of a sparse matrix are there

  void HalfMatrix() {
    const auto type = Bits(82, 2), shape = Bits(78, 1) * 2 + Bits(75, 1);  // F16, BF16, TF32
    const bool sparse = Bit(73);
    const int sums = Bit(76) ? 4 : 2;
    const auto with = [&](std::string_view dims, int a, int b) {
      const std::string sum = Bit(76) ? ".F32" : ".F16", kind = type == 1 ? ".BF16" : type == 2 ? ".TF32" : "";
      Fragments((sparse ? ".SP" : "") + std::string(dims) + sum + kind, {sums, a, b, sums});
      if (sparse) Metadata();
    };
    if (!sparse && type < 2 && shape == 0) return with(".1688", 2, 1);
    if (!sparse && type < 2 && shape == 1) return with(".16816", 4, 2);
    if (!sparse && type == 2 && shape == 2) return with(".1684", 2, 1);
    if (!sparse && type == 2 && shape == 0) return with(".1688", 4, 2);
    if (sparse && type < 2 && shape == 1) return with(".16816", 2, 2);
    if (sparse && type < 2 && shape == 3) return with(".16832", 4, 4);
  }

  void IntegerMatrix() {
    const bool sparse = Bit(72), four_bits = Bits(83, 2) == 3;
    const auto shape = Bits(85, 2) * 2 + Bits(75, 1);
    const auto with = [&](std::string_view dims, int a, int b, int sums) {
      const std::string bits = four_bits ? "4" : "8";
      Fragments((sparse ? ".SP" : "") + std::string(dims) + (Bit(76) ? ".S" : ".U") + bits + (Bit(78) ? ".S" : ".U") +
                    bits + (Bit(82) ? ".SAT" : ""),
                {sums, a, b, sums});
      if (sparse) Metadata();
    };
    if (Bits(83, 2) != 0 && !four_bits) return;
    if (!sparse && !four_bits && shape == 0) return with(".8816", 1, 1, 2);
    if (!sparse && !four_bits && shape == 4) return with(".16816", 2, 1, 4);
    if (!sparse && !four_bits && shape == 5) return with(".16832", 4, 2, 4);
    if (!sparse && four_bits && shape == 5) return with(".16832", 2, 1, 4);
    if (!sparse && four_bits && shape == 6) return with(".16864", 4, 2, 4);
    if (sparse && !four_bits && shape == 6) return with(".16864", 4, 4, 4);
  }

  // HGMMA: 64 rows over 128 threads. B, and A unless it is in registers, are descriptors of shared memory.
  void GroupMatrix() {
    const auto columns = static_cast<int>(8 * (Bits(53, 5) + 1)), type = static_cast<int>(Bits(76, 2));
    if (type > 2 || (form_ != 4 && form_ != 6)) return;
    const int sums = Bit(75) ? columns / 2 : columns / 4;
    static constexpr std::array<std::string_view, 3> kTypes{"", ".BF16", ".TF32"};
    out_.opcode += ".64x" + std::to_string(columns) + (type == 2 ? "x8" : "x16") + (Bit(75) ? ".F32" : ".F16");
    out_.opcode += kTypes[type];
    Writes(16, sums);
    if (form_ == 6) Reads(24, 4);
    Text("gdesc[" + Register(out_.reads, true, Bits(form_ == 6 ? 32 : 24, 8), form_ == 6 ? 2 : 4) + "]");
    Reads(64, sums);
    out_.registers_known = Bits(87, 3) == 0;  // else a uniform predicate says whether the sums are read
  }

  // Name and number of threads are numbers or registers, by the form.
  void Barrier() {
    static constexpr std::array<std::string_view, 3> kModes{".SYNC", ".ARV", ".RED"};
    static constexpr std::array<std::string_view, 3> kReductions{".POPC", ".AND", ".OR"};
    const auto mode = Bits(77, 3), reduction = Bits(74, 2);
    if (mode > 2) return;
    out_.opcode += kModes[mode];
    if (mode == 2 && reduction < 3) out_.opcode += kReductions[reduction];
    if (Bit(80)) out_.opcode += ".DEFER_BLOCKING";
    const auto threads = static_cast<std::int64_t>(Bits(42, 12));
    out_.registers_known = form_ == 1 || form_ == 2 || form_ == 4 || form_ == 5;
    if (form_ == 1)
      Reads(24);
    else if (form_ == 2)
      Reads(32);
    else
      Text(Hex(static_cast<std::int64_t>(Bits(54, 4))));
    if (form_ == 1 || form_ == 4)
      Reads(32);
    else if (threads != 0)
      Text(Hex(threads));
    if (mode == 2) Text(Predicate(out_.reads, 87, true, false));
  }

  // LDGSTS: both addresses are read. `address` is that in global memory.
  void GlobalToShared() {
    if (form_ != 7) return;
    out_.registers_known = true;
    if (blackwell_) {
      out_.access_bytes = Bits(74, 2) < 3 ? 4 << Bits(74, 2) : 0;
      out_.opcode += Bits(74, 2) == 1 ? ".64" : Bits(74, 2) == 2 ? ".128" : "";
    } else {
      Width();
    }
    if (!Bit(81)) out_.opcode += ".BYPASS";
    if (Bit(82)) out_.opcode += ".ZFILL";
    const std::int64_t to = Signed(44, 20);
    Text("[" + Register(out_.reads, false, Bits(16, 8), 1) + (to < 0 ? "" : "+") + Hex(to) + "]");
    SassAddress address;
    address.offset = Signed(32, 12);
    const auto base = static_cast<int>(Bits(24, 8));
    if (base != 255) address.base = base;
    std::string from;
    if (Bit(91)) from = "desc[" + Register(out_.reads, true, Bits(64, blackwell_ ? 8 : 6), 2) + "]";
    Text(from + "[" + Register(out_.reads, false, base, 2) + (address.offset < 0 ? "" : "+") + Hex(address.offset) +
         "]");
    out_.address = address;
    if (Bits(87, 3) != 7 || Bit(90)) Text(Predicate(out_.reads, 87, true, false));
  }

  void Finish() {
    static constexpr std::array<std::string_view, 4> kFloats{"", ".F16", ".F32", ".F64"};
    if (opcode_ == 0x104 || opcode_ == 0x110) {
      if (Bits(75, 2) != 0 && Bits(84, 2) != 0) {
        out_.opcode += kFloats[Bits(75, 2)];
        out_.opcode += kFloats[Bits(84, 2)];
      }
    }
    if (opcode_ == 0x192) {
      static constexpr std::array<std::string_view, 4> kScopes{".CTA", "", ".GPU", ".SYS"};
      if (Bits(79, 2) < 2) out_.opcode += Bit(79) ? ".ALL" : ".SC";
      out_.opcode += kScopes[Bits(76, 2)];
    }
    if (architecture_ == 90) Asynchronous();
    if (opcode_ == 0x035) out_.opcode += blackwell_ ? ".64" : ".MMA";
    if (opcode_ == 0x097 ||
        (blackwell_ && ((opcode_ == 0x082 && (form_ == 2 || Bit(80))) || (opcode_ == 0x087 && form_ == 6))))
      out_.opcode += ".64";
    if (opcode_ == 0x108) {
      static constexpr std::array<std::string_view, 10> kFunctions{".COS", ".SIN",    ".EX2",    ".LG2",  ".RCP",
                                                                   ".RSQ", ".RCP64H", ".RSQ64H", ".SQRT", ".TANH"};
      if (const auto function = Bits(74, 6); function < kFunctions.size()) out_.opcode += kFunctions[function];
    }
    if (opcode_ == 0x025 || opcode_ == 0x0a5) out_.opcode += ".WIDE";
    if (opcode_ == 0x027) out_.opcode += ".HI";
  }

  // Where ptxas of CUDA 13.0 puts what PTX asks for one by one: of mbarriers test_wait, try_wait, arrive, expect_tx and
  // init; wgmma.fence and wait_group.
  void Asynchronous() {
    if (opcode_ == 0x1a7 && form_ == 2) out_.opcode += Bit(72) ? ".PHASECHK.TRYWAIT" : ".PHASECHK";
    if (opcode_ == 0x1a7 && form_ == 4) out_.opcode += Bit(84) ? ".ARRIVE.A1T0" : ".ARRIVE";
    if (opcode_ == 0x1b2) out_.opcode += ".EXCH";
    if (opcode_ != 0x1c5) return;
    out_.opcode += Bit(80) ? ".DEPBAR" : ".ARRIVE";
    if (Bit(80)) Text("gsb0, " + Hex(static_cast<std::int64_t>(Bits(72, 3))));
  }

  void Arithmetic() {
    SassArithmetic& it = out_.arithmetic;
    const auto found = std::ranges::find(kIntegers, opcode_, &Integer::opcode);
    if (found == kIntegers.end()) return;
    it.operation = found->operation;
    it.extended = opcode_ != 0x036 && Bit(74);
    it.shift = static_cast<int>(Bits(75, 5));
    it.high = Bit(80);
    it.right = Bit(76);
    it.of_words = Bit(74);  // S64, U64, S32, U32
    it.truth_table = static_cast<unsigned>(Bits(72, 8));
    it.special = static_cast<int>(Bits(72, 8));
    if (opcode_ != 0x035) return;
    // HFMA2.MMA and IADD.64 of RZ and a number put that into a register.
    const bool puts = it.sources.size() > 1 && it.sources[0].kind == SassSource::Kind::kNumber;
    if (!puts || (form_ != 2 && form_ != 4)) it.operation = SassInteger::kNone;
    it.sources = {{.kind = SassSource::Kind::kNumber, .number = static_cast<std::int32_t>(Bits(32, 32))}};
  }

  // Uniform integer instructions have the opcodes of the others and this bit.
  static constexpr unsigned kUniform = 0x080;

  std::uint64_t low_, high_;
  unsigned opcode_;
  std::uint64_t form_;
  int architecture_;
  bool blackwell_;  // uniform registers have eight bits
  SassInstruction& out_;
  bool uniform_ = false;
};

}  // namespace

std::set<int> NumbersOf(RegisterFile file, std::span<const RegisterRange> ranges) {
  std::set<int> numbers;
  for (const RegisterRange& range : ranges)
    for (int i = 0; i < range.count && range.file == file; ++i) numbers.insert(range.first + i);
  return numbers;
}

SassInstruction DecodeSass(std::uint64_t low, std::uint64_t high, std::int64_t pc_offset, int architecture) {
  SassInstruction instruction;
  instruction.pc_offset = pc_offset;
  Decoder(low, high, architecture, instruction).Run();
  return instruction;
}

int ArchitectureOf(std::span<const MachineInstruction> code) {
  int architecture = 0;
  for (const MachineInstruction& instruction : code) {
    const auto opcode = instruction.low & 0x1ff;
    if (opcode == 0x1ac) return 100;  // LDCU, with which all code since sm_100 reads its parameters
    // The branch to itself behind the end of every function.
    if (opcode != 0x147) continue;
    if (instruction.low >> 16 == 0xfffffffc00fc) architecture = 90;
    if (instruction.low >> 16 == 0xfffffff00000) architecture = 80;
  }
  return architecture;
}

void Describe(MachineInstruction& instruction, int architecture) {
  const SassInstruction decoded = DecodeSass(instruction.low, instruction.high, instruction.pc_offset, architecture);
  Fields(instruction) = std::tie(decoded.opcode, decoded.operands, decoded.stall_cycles, decoded.yield,
                                 decoded.write_scoreboard, decoded.read_scoreboard, decoded.wait_mask);
}

}  // namespace culprit
