// SPDX-License-Identifier: Apache-2.0
// Classifies machine instructions by operation, for names, and by queue or pipe, to find the instructions that delay
// each other.
#pragma once
#include <string_view>

namespace culprit {

enum class Operation {
  kGlobalLoad,
  kGlobalStore,
  kGlobalAtomic,
  kLocalLoad,
  kLocalStore,
  kGenericLoad,  // the memory depends on the address
  kGenericStore,
  kAsyncCopy,  // into shared memory, past the registers
  kTexture,    // and surfaces
  kSharedLoad,
  kSharedStore,
  kSharedAtomic,
  kConstantLoad,
  kBarrier,  // all that synchronizes; IsBarrier() of asynchronous.h is true where warps wait for each other
  kFence,
  kShuffle,  // between the lanes of a warp
  kSpecialFunction,
  kConversion,
  kBitScan,  // counts and finds bits
  kFp32,
  kFp16,
  kFp64,
  kTensor,
  kInteger,  // logic and comparisons too
  kMove,
  kUniform,  // computed once per warp
  kBranch,
  kSpecialRegister,
  kOther,
};

// The queue or the pipe of an instruction.
enum class Queue { kNone, kLocalGlobal, kTexture, kMio, kFma, kAlu, kFp64, kTensor, kUniform };

struct OperationOf {
  Operation operation = Operation::kOther;
  Queue queue = Queue::kNone;
};

// Looks up a mnemonic, such as "LDG". kOther and kNone if it is not in the table.
OperationOf FindOperation(std::string_view mnemonic);

// "global_load". TitleOf, for people: "global load".
const char* KeyOf(Operation operation);
const char* TitleOf(Operation operation);

// Whether results come through L1TEX. Waiting for these is `long_scoreboard`; for all others it is `short_scoreboard`.
inline bool IsL1Tex(Queue queue) { return queue == Queue::kLocalGlobal || queue == Queue::kTexture; }
inline bool IsMathPipe(Queue queue) { return queue >= Queue::kFma; }

}  // namespace culprit
