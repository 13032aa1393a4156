// SPDX-License-Identifier: Apache-2.0
#include "profiler/code/sass_opcode.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>

namespace culprit {
namespace {

struct Entry {
  unsigned opcode;
  std::string_view mnemonic;
};

// script/check-opcodes reads these lines.
constexpr auto kTable = std::to_array<Entry>({
    {0x002, "MOV"},        {0x003, "P2R"},          {0x004, "R2P"},        {0x005, "CS2R"},    {0x006, "VOTE"},
    {0x007, "SEL"},        {0x008, "FSEL"},         {0x009, "FMNMX"},      {0x00a, "FSET"},    {0x00b, "FSETP"},
    {0x00c, "ISETP"},      {0x010, "IADD3"},        {0x011, "LEA"},        {0x012, "LOP3"},    {0x013, "IABS"},
    {0x014, "VABSDIFF"},   {0x015, "VABSDIFF4"},    {0x016, "PRMT"},       {0x017, "IMNMX"},   {0x019, "SHF"},
    {0x01a, "SGXT"},       {0x01b, "BMSK"},         {0x01c, "PLOP3"},      {0x020, "FMUL"},    {0x021, "FADD"},
    {0x022, "FSWZADD"},    {0x023, "FFMA"},         {0x024, "IMAD"},       {0x025, "IMAD"},    {0x026, "IDP"},
    {0x027, "IMAD"},       {0x028, "DMUL"},         {0x029, "DADD"},       {0x02a, "DSETP"},   {0x02b, "DFMA"},
    {0x02d, "PREEXIT"},    {0x02e, "ACQBULK"},      {0x02f, "ELECT"},      {0x030, "HADD2"},   {0x031, "HFMA2"},
    {0x032, "HMUL2"},      {0x033, "HSET2"},        {0x034, "HSETP2"},     {0x037, "IMMA"},    {0x038, "I2I"},
    {0x039, "I2IP"},       {0x03a, "MOVM"},         {0x03b, "LDSM"},       {0x03c, "HMMA"},    {0x03d, "BMMA"},
    {0x03e, "F2FP"},       {0x03f, "DMMA"},         {0x040, "HMNMX2"},     {0x043, "F2IP"},    {0x044, "STSM"},
    {0x045, "I2FP"},       {0x048, "VIMNMX"},       {0x04c, "UVIRTCOUNT"}, {0x053, "UFSETP"},  {0x05a, "UI2F"},
    {0x05e, "UI2FP"},      {0x076, "FMNMX3"},       {0x07a, "QMMA"},       {0x082, "UMOV"},    {0x083, "UP2UR"},
    {0x086, "VOTEU"},      {0x087, "USEL"},         {0x08c, "UISETP"},     {0x090, "UIADD3"},  {0x091, "ULEA"},
    {0x092, "ULOP3"},      {0x096, "UPRMT"},        {0x097, "UIADD3"},     {0x099, "USHF"},    {0x09a, "USGXT"},
    {0x09c, "UPLOP3"},     {0x0a4, "UIMAD"},        {0x0a5, "UIMAD"},      {0x0b9, "ULDC"},    {0x0bb, "ULDC"},
    {0x0bd, "UFLO"},       {0x0be, "UBREV"},        {0x0bf, "UPOPC"},      {0x0ca, "R2UR"},    {0x0cb, "CS2UR"},
    {0x100, "FLO"},        {0x101, "BREV"},         {0x102, "FCHK"},       {0x104, "F2F"},     {0x105, "F2I"},
    {0x106, "I2F"},        {0x107, "FRND"},         {0x108, "MUFU"},       {0x109, "POPC"},    {0x110, "F2F"},
    {0x111, "F2I"},        {0x112, "I2F"},          {0x113, "FRND"},       {0x118, "NOP"},     {0x119, "S2R"},
    {0x11a, "DEPBAR"},     {0x11c, "B2R"},          {0x11d, "BAR"},        {0x141, "BSYNC"},   {0x142, "BREAK"},
    {0x143, "CALL"},       {0x144, "CALL"},         {0x145, "BSSY"},       {0x146, "YIELD"},   {0x147, "BRA"},
    {0x148, "WARPSYNC"},   {0x149, "BRX"},          {0x14a, "JMP"},        {0x14c, "JMX"},     {0x14d, "EXIT"},
    {0x14e, "LEPC"},       {0x150, "RET"},          {0x155, "BMOV"},       {0x156, "BMOV"},    {0x158, "BRXU"},
    {0x15c, "BPT"},        {0x15d, "NANOSLEEP"},    {0x160, "TEX"},        {0x161, "TEX"},     {0x163, "TLD4"},
    {0x164, "TLD4"},       {0x166, "TLD"},          {0x167, "TLD"},        {0x16c, "TXD"},     {0x16d, "TXD"},
    {0x16f, "TXQ"},        {0x170, "TXQ"},          {0x180, "LD"},         {0x181, "LDG"},     {0x182, "LDC"},
    {0x183, "LDL"},        {0x184, "LDS"},          {0x185, "ST"},         {0x186, "STG"},     {0x187, "STL"},
    {0x188, "STS"},        {0x189, "SHFL"},         {0x18a, "ATOM"},       {0x18b, "ATOM"},    {0x18c, "ATOMS"},
    {0x18d, "ATOMS"},      {0x18f, "CCTL"},         {0x192, "MEMBAR"},     {0x199, "SULD"},    {0x19a, "SULD"},
    {0x19b, "SUST"},       {0x19c, "SUST"},         {0x19d, "SUST"},       {0x19e, "SUST"},    {0x1a1, "MATCH"},
    {0x1a2, "ATOM"},       {0x1a3, "ATOMG"},        {0x1a6, "REDG"},       {0x1a7, "SYNCS"},   {0x1a8, "ATOMG"},
    {0x1a9, "ATOMG"},      {0x1aa, "QSPC"},         {0x1ac, "LDCU"},       {0x1ae, "LDGSTS"},  {0x1af, "LDGDEPBAR"},
    {0x1b0, "ARRIVES"},    {0x1b1, "SYNCS"},        {0x1b2, "SYNCS"},      {0x1b4, "UTMALDG"}, {0x1b5, "UTMASTG"},
    {0x1b6, "UTMAREDG"},   {0x1b7, "UTMACMDFLUSH"}, {0x1b8, "UTMAPF"},     {0x1ba, "UBLKCP"},  {0x1c2, "R2UR"},
    {0x1c3, "S2UR"},       {0x1c4, "REDUX"},        {0x1c5, "WARPGROUP"},  {0x1c6, "FENCE"},   {0x1c8, "USETMAXREG"},
    {0x1e3, "UTCATOMSWS"}, {0x1e6, "UTCSHIFT"},     {0x1ed, "STTM"},       {0x1ee, "LDTM"},    {0x1f0, "HGMMA"},
});
static_assert(std::ranges::adjacent_find(kTable, std::ranges::greater_equal(), &Entry::opcode) == kTable.end(),
              "ascending, each opcode once");

}  // namespace

std::string_view SassOpcode(std::uint64_t first_word) {
  const unsigned opcode = first_word & 0x1ff;
  const auto found = std::ranges::lower_bound(kTable, opcode, {}, &Entry::opcode);
  return found != kTable.end() && found->opcode == opcode ? found->mnemonic : std::string_view();
}

std::string_view SassOpcodeAt(std::span<const unsigned char> code, std::int64_t pc_offset) {
  std::uint64_t first_word = 0;
  const auto offset = static_cast<std::uint64_t>(pc_offset);  // a negative one lies beyond every end
  if (offset > code.size() || code.size() - offset < sizeof first_word) return {};
  std::memcpy(&first_word, code.data() + offset, sizeof first_word);
  return SassOpcode(first_word);
}

}  // namespace culprit
