// SPDX-License-Identifier: Apache-2.0
#include "profiler/code/operation.h"

#include <iterator>
#include <unordered_map>

namespace culprit {
namespace {

using enum Operation;

struct Name {
  const char *key, *title;
};

// In the order of Operation.
constexpr Name kNames[] = {{"global_load", "global load"},
                           {"global_store", "global store"},
                           {"global_atomic", "global atomic"},
                           {"local_load", "local load"},
                           {"local_store", "local store"},
                           {"generic_load", "generic load"},
                           {"generic_store", "generic store"},
                           {"async_copy", "asynchronous copy"},
                           {"texture", "texture"},
                           {"shared_load", "shared load"},
                           {"shared_store", "shared store"},
                           {"shared_atomic", "shared atomic"},
                           {"constant_load", "constant load"},
                           {"barrier", "barrier"},
                           {"fence", "fence"},
                           {"shuffle", "shuffle"},
                           {"special_function", "special function"},
                           {"conversion", "conversion"},
                           {"bit_scan", "bit count or scan"},
                           {"fp32", "FP32"},
                           {"fp16", "FP16"},
                           {"fp64", "FP64"},
                           {"tensor", "tensor"},
                           {"integer", "integer"},
                           {"move", "move"},
                           {"uniform", "uniform"},
                           {"branch", "branch"},
                           {"special_register", "special register"},
                           {"other", "other"}};
static_assert(std::size(kNames) == static_cast<std::size_t>(kOther) + 1);

struct Group {
  Operation operation;
  Queue queue;
  std::string_view mnemonics;  // a blank before and after each
};

// Queues and pipes as in Nsight Compute's documentation ("Pipelines", "Warp Stall Reasons"): special functions,
// conversions, shuffles and dynamic branches use the MIO queue, as shared memory does; since sm_80 the FMA pipes also
// multiply integers and halves.
constexpr Group kGroups[] = {
    {kGlobalLoad, Queue::kLocalGlobal, " LDG "},
    {kGlobalStore, Queue::kLocalGlobal, " STG "},
    {kGlobalAtomic, Queue::kLocalGlobal, " ATOM ATOMG RED REDG "},
    {kLocalLoad, Queue::kLocalGlobal, " LDL "},
    {kLocalStore, Queue::kLocalGlobal, " STL "},
    {kGenericLoad, Queue::kLocalGlobal, " LD "},
    {kGenericStore, Queue::kLocalGlobal, " ST "},
    {kAsyncCopy, Queue::kLocalGlobal, " LDGSTS LDGDEPBAR ARRIVES "},
    {kAsyncCopy, Queue::kNone, " UBLKCP UBLKPF UBLKRED UTMALDG UTMASTG UTMAREDG UTMAPF UTMACMDFLUSH "},
    {kTexture, Queue::kTexture, " TEX TLD TLD4 TMML TXD TXQ SULD SUST SUATOM SURED SUQUERY "},
    {kSharedLoad, Queue::kMio, " LDS LDSM "},
    {kSharedStore, Queue::kMio, " STS STSM STAS "},
    {kSharedAtomic, Queue::kMio, " ATOMS REDAS "},
    {kConstantLoad, Queue::kMio, " LDC "},
    {kConstantLoad, Queue::kUniform, " ULDC LDCU "},
    {kBarrier, Queue::kMio, " BAR SYNCS "},
    {kBarrier, Queue::kNone, " UCGABAR_ARV UCGABAR_WAIT ACQBULK ELECT WARPSYNC NANOSLEEP DEPBAR B2R "},
    {kFence, Queue::kNone, " MEMBAR FENCE ERRBAR CCTL CCTLL "},
    {kShuffle, Queue::kMio, " SHFL REDUX CREDUX MATCH "},
    {kShuffle, Queue::kAlu, " VOTE "},
    {kSpecialFunction, Queue::kMio, " MUFU "},
    {kConversion, Queue::kMio, " F2F F2I I2F FRND I2I "},
    {kBitScan, Queue::kMio, " FLO POPC BREV "},
    {kConversion, Queue::kAlu, " F2FP I2FP F2IP I2IP "},
    {kFp32, Queue::kFma, " FADD FMUL FFMA FFMA32I FADD32I FMUL32I FADD2 FMUL2 FFMA2 FSWZADD "},
    {kFp32, Queue::kAlu, " FSETP FSET FSEL FMNMX FMNMX3 FCHK "},
    {kFp16, Queue::kFma, " HADD2 HMUL2 HFMA2 HADD2_32 "},
    {kFp16, Queue::kAlu, " HMNMX2 HSET2 HSETP2 VHMNMX "},
    {kFp64, Queue::kFp64, " DADD DMUL DFMA DSETP DMNMX "},
    {kTensor, Queue::kTensor,
     " HMMA IMMA DMMA BMMA QMMA OMMA HGMMA IGMMA QGMMA BGMMA WARPGROUP WARPGROUPSET UTCHMMA UTCIMMA UTCQMMA UTCOMMA "
     "UTCCP UTCBAR UTCATOMSWS UTCSHIFT LDTM STTM "},
    {kInteger, Queue::kFma, " IMAD IDP IMUL "},
    {kInteger, Queue::kAlu,
     " IADD3 IADD IADD2 LEA LOP3 SHF ISETP IABS IMNMX VIMNMX VIMNMX3 VIADD VIADDMNMX VABSDIFF VABSDIFF4 PRMT SGXT BMSK "
     "PLOP3 LOP PSETP "},
    {kMove, Queue::kAlu, " MOV SEL P2R R2P CS2R "},
    {kMove, Queue::kMio, " MOVM "},
    {kUniform, Queue::kUniform,
     " UMOV UIADD3 UIMAD ULEA ULOP3 USHF USEL UISETP UPLOP3 UPRMT USGXT UBMSK UFLO UPOPC UBREV UP2UR UR2UP R2UR VOTEU "
     "CS2UR UI2F UI2FP UF2F UF2FP UFADD UFMUL UFFMA UFSETP UFSEL UFMNMX UVIADD UVIMNMX UI2I UI2IP USETMAXREG S2UR "},
    {kBranch, Queue::kNone,
     " BRA BRX BRXU JMP JMX JMXU BREAK BSSY BSYNC BMOV CALL RET EXIT KILL YIELD RPCMOV LEPC BPT PREEXIT RTT "},
    {kSpecialRegister, Queue::kMio, " S2R "},
};

// 20,000 instructions ask for it several times.
const std::unordered_map<std::string_view, OperationOf>& ByMnemonic() {
  static const std::unordered_map<std::string_view, OperationOf> all = [] {
    std::unordered_map<std::string_view, OperationOf> found;
    for (const Group& group : kGroups) {
      std::string_view rest = group.mnemonics.substr(1);
      for (std::size_t end; (end = rest.find(' ')) != rest.npos; rest.remove_prefix(end + 1))
        found.emplace(rest.substr(0, end), OperationOf{group.operation, group.queue});
    }
    return found;
  }();
  return all;
}

const Name& NameOf(Operation operation) { return kNames[static_cast<std::size_t>(operation)]; }

}  // namespace

OperationOf FindOperation(std::string_view mnemonic) {
  const auto found = ByMnemonic().find(mnemonic);
  return found == ByMnemonic().end() ? OperationOf{} : found->second;
}

const char* KeyOf(Operation operation) { return NameOf(operation).key; }
const char* TitleOf(Operation operation) { return NameOf(operation).title; }

}  // namespace culprit
