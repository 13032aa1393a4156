// SPDX-License-Identifier: Apache-2.0
// A claim of one of the documents, and the measurements that it needs.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tests/evidence/seeds/evidence.h"
#include "tests/evidence/seeds/threshold.h"

namespace culprit::claims {

// Always reads everything that it needs, so that a run without data shows what is needed.
using Expression = std::function<Measured(Evidence&)>;

enum class Role {
  kClaim,   // what the document says
  kReason,  // why, as the document says
  kShown,   // not part of the decision: further values that a reader will ask for
};

struct Criterion {
  Role role = Role::kClaim;
  std::string what;  // "throughput of v1_9 against v2"
  Expression value;
  Threshold threshold;
};

struct Claim {
  std::string id;         // never renamed
  std::string text;       // one sentence
  std::string document;   // "seeds/002"
  std::string section;    // the heading or line above it, in English
  std::string published;  // the figure of the document; empty: it gives none
  std::string gpu;        // of the document
  std::vector<Criterion> criteria;
  std::string note = {};  // further remarks for a reader of the result; the last part of every reason
};

// A claim of a document that no recording of this program could show.
struct Untestable {
  const char *document, *text, *why;
};

std::span<const Untestable> AllUntestable();

// All of them, by document and in its order.
std::span<const Claim> AllClaims();

// One function per document, each in its own file.
std::vector<Claim> LadderClaims();    // seeds/000
std::vector<Claim> PingpongClaims();  // seeds/001
std::vector<Claim> VStudyClaims();    // seeds/002
std::vector<Claim> SizeClaims();      // seeds/003
std::vector<Claim> PaddingClaims();   // seeds/004

}  // namespace culprit::claims
