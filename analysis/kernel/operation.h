// SPDX-License-Identifier: Apache-2.0
// Machine instructions by what they do and by the queue or pipe that they go through: what people call them, and who
// holds whom up.
#pragma once
#include <string_view>

namespace culprit {

enum class Operation {
  kGlobalLoad,
  kGlobalStore,
  kGlobalAtomic,
  kLocalLoad,
  kLocalStore,
  kGenericLoad,  // which memory it is, the address says
  kGenericStore,
  kAsyncCopy,  // into shared memory, past the registers
  kTexture,    // and surfaces
  kSharedLoad,
  kSharedStore,
  kSharedAtomic,
  kConstantLoad,
  kBarrier,
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
  kUniform,  // computed once for a warp
  kBranch,
  kSpecialRegister,
  kOther,
};

// Where an instruction queues, or the pipe that computes it.
enum class Queue { kNone, kLocalGlobal, kTexture, kMio, kFma, kAlu, kFp64, kTensor, kUniform };

struct OperationOf {
  Operation operation = Operation::kOther;
  Queue queue = Queue::kNone;
};

// By mnemonic, "LDG"; kOther and kNone for one that is not in the table.
OperationOf FindOperation(std::string_view mnemonic);

// "global_load", and for people "global load".
const char* KeyOf(Operation operation);
const char* TitleOf(Operation operation);

// Whether what it fetches comes through L1TEX, which `long_scoreboard` means; other results with a scoreboard are those
// of `short_scoreboard`.
inline bool IsL1Tex(Queue queue) { return queue == Queue::kLocalGlobal || queue == Queue::kTexture; }
inline bool IsMathPipe(Queue queue) { return queue >= Queue::kFma; }

}  // namespace culprit
