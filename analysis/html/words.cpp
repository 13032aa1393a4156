// SPDX-License-Identifier: Apache-2.0
#include "analysis/html/words.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace culprit {
namespace {

struct Word {
  std::string_view word, meaning;
  std::vector<std::string_view> kinds;  // of reports that use it
};

const std::vector<Word>& Words() {
  static const std::vector<Word> words = {
      {"base, candidate",
       "The two that are compared: the candidate is held against the base, so a difference with + is time that the "
       "candidate takes more.",
       {"why", "why_program", "check", "compare"}},
      {"cause",
       "What made a part of the difference, told by hardware counters of both. The parts of all causes and what is "
       "unexplained add up to the difference.",
       {"why", "why_program", "check", "study"}},
      {"unexplained", "What no cause claims. It is said rather than shared out.", {"why", "why_program", "study"}},
      {"90 % interval",
       "Where the true part of a cause lies in nine of ten cases, as tried on kernels whose causes are known.",
       {"why", "why_program"}},
      {"factor",
       "The same difference, cut another way: instructions x waiting of each / warps that hide it, and so on. What "
       "moved, not yet why.",
       {"why"}},
      {"warp state",
       "A warp is 32 threads that run together; in each cycle it is in one state, working or waiting for something. "
       "Its states share the kernel's time out.",
       {"why", "show"}},
      {"noise",
       "How far two recordings of one and the same kernel differ. A smaller difference is none.",
       {"why", "why_program", "check", "study"}},
      {"finding",
       "Something that the counters say of this kernel, with the time that it relates to. These times overlap; they "
       "are no gain that could be had.",
       {"show", "report"}},
      {"roofline",
       "How many operations a second a GPU can do at most: what its memory feeds, times the operations done on each "
       "byte; and never more than its units compute. A kernel far below both roofs is held up by something else.",
       {"why", "show", "report"}},
      {"bank",
       "Shared memory has 32 banks, each of which serves 4 bytes at a time. Lanes of a warp that want different words "
       "of one bank wait for each other: a bank conflict, and one more wavefront.",
       {"banks", "show"}},
      {"us", "Microseconds, the median of many launches unless it says otherwise.", {}},
      {"-", "Has no meaning here. What was not measured says so; neither is ever written as 0.", {}}};
  return words;
}

}  // namespace

void RenderWords(const Report& report, std::ostream& out) {
  out << "<details class=\"section\"><summary><h2>Words on this page</h2></summary>\n<dl>\n";
  for (const Word& word : Words())
    if (word.kinds.empty() || std::ranges::find(word.kinds, report.kind) != word.kinds.end())
      out << "<div><dt>" << word.word << "</dt><dd>" << word.meaning << "</dd></div>\n";
  out << "</dl></details>\n<p class=\"note\">One file, complete in itself: it loads nothing and sends nothing. A "
         "number's "
         "title, where the cursor rests on it, has all its digits and what it rests on.</p>\n";
}

}  // namespace culprit
