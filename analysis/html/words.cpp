// SPDX-License-Identifier: Apache-2.0
#include "analysis/html/words.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "analysis/html/html_text.h"
#include "db/metric_catalogue.h"

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
       {"why", "why_lines", "why_program", "check", "compare", "ab"}},
      {"cause",
       "What made a part of the difference, told by hardware counters of both. The parts of all causes and what is "
       "unexplained add up to the difference; one of them can be more than the whole where others made up for it.",
       {"why", "why_program", "check", "study", "history"}},
      {"unexplained", "Not attributed to any cause.", {"why", "why_program", "study", "check"}},
      {"90 % interval",
       "Where the true part of a cause lies in nine of ten cases, as tried on kernels whose causes are known.",
       {"why", "why_program"}},
      {"99 % interval",
       "Where the true change lies, but for one comparison in a hundred: from the scatter of the times.",
       {"why", "why_lines", "check"}},
      {"cycles",
       "Time x clock of the GPU's cores (SMs). A kernel that takes the same cycles and more time ran at a lower clock.",
       {"why", "why_lines", "check", "history"}},
      {"confirmed, partly, refuted, inconclusive",
       "What a third kernel of the same recording says, which differs from one of the two in one thing. Confirmed: it "
       "accounts for as much time as the cause's interval allows. Partly: for less or more. Refuted: the cause went "
       "and "
       "the time stayed. Inconclusive: the cause did not go.",
       {"why", "why_program"}},
      {"factor",
       "The same difference, cut another way: instructions x waiting of each / warps that hide it, and so on. What "
       "moved, not yet why.",
       {"why"}},
      {"scatter of this recording",
       "Where the number would lie if the same kernels were recorded again, by how their launches differ here.",
       {"why"}},
      {"warp state",
       "A warp is 32 threads that run together; in each cycle it is in one state, working or waiting for something. "
       "Its states share the kernel's time out. The names are those of NVIDIA's profilers.",
       {"why", "show"}},
      {"waited for",
       "While a kernel runs, a sampler looks at its warps again and again: at which instruction each stands, and what "
       "keeps it there. A line's time is what warps waited because of its instructions: that of a load counts at the "
       "load, not where its value was needed.",
       {"why", "show", "lines", "why_lines"}},
      {"noise",
       "How far two recordings of one and the same kernel differ. A smaller difference is none.",
       {"why", "why_lines", "why_program", "check", "study", "history"}},
      {"launch, call",
       "One execution of a kernel on the GPU.",
       {"why", "why_program", "show", "check", "report", "ab"}},
      {"stage",
       "A kernel under the name by which its author recorded it.",
       {"why", "show", "report", "study", "check"}},
      {"finding",
       "Something that the counters say of this kernel, with the part of its time that it affects. These times "
       "overlap; they "
       "are no gain that could be had.",
       {"show", "report"}},
      {"roofline",
       "How many operations a second a GPU can do at most: what its memory feeds, times the operations done on each "
       "byte; and never more than its units compute. A kernel far below both roofs is held up by something else.",
       {"why", "show", "report"}},
      {"FFMA peak",
       "What all cores of the GPU compute in float, each with one multiplication and addition in every cycle. Tensor "
       "peak: the same of its matrix units.",
       {"why", "show", "report"}},
      {"bank",
       "Shared memory has 32 banks, each of which serves 4 bytes at a time. Lanes of a warp that want different words "
       "of one bank wait for each other: a bank conflict, and one more wavefront.",
       {"banks", "show", "why"}},
      {"wavefront", "One round in which shared memory serves a warp.", {"banks", "show", "why"}},
      {"us", "Microseconds, the median of many launches unless it says otherwise.", {}},
      {"-", "Has no meaning here. What was not measured says so; neither is ever written as 0.", {}}};
  return words;
}

}  // namespace

std::string MeaningTitle(std::string_view word) {
  static const std::map<std::string_view, std::string> meanings = [] {
    constexpr std::string_view kState = "stall_";  // a metric counts the cycles of warps in it
    std::map<std::string_view, std::string> all;
    for (const CatalogueMetric& metric : MetricCatalogue()) {
      if (metric.id.starts_with(kState)) all.emplace(metric.id.substr(kState.size()), metric.meaning);
      all.emplace(metric.id, metric.unit.empty() ? std::string(metric.meaning)
                                                 : fmt::format("{} ({})", metric.meaning, metric.unit));
    }
    return all;
  }();
  const auto found = meanings.find(word);
  return found == meanings.end() ? "" : fmt::format(R"( title="{}")", EscapeMarkup(found->second));
}

void RenderWords(const Report& report, std::ostream& out) {
  out << "<details class=\"section\" id=\"words\"><summary><h2>Words on this page</h2></summary>\n<dl>\n";
  for (const Word& word : Words())
    if (word.kinds.empty() || std::ranges::find(word.kinds, report.kind) != word.kinds.end())
      out << "<div><dt>" << word.word << "</dt><dd>" << word.meaning << "</dd></div>\n";
  out << "</dl></details>\n<p class=\"note\">One file, complete in itself: it loads nothing and sends nothing. A "
         "number's "
         "title, where the cursor rests on it, has all its digits and what it rests on.</p>\n";
}

}  // namespace culprit
