// SPDX-License-Identifier: Apache-2.0
#include "analysis/show/html/words.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "analysis/show/html/html_text.h"
#include "db/metric_catalogue.h"

namespace culprit {
namespace {

struct Word {
  std::string_view word, meaning;
  std::vector<std::string_view> kinds;  // kinds of reports that use it
};

const std::vector<Word>& Words() {
  static const std::vector<Word> words = {
      {"base, candidate",
       "The two sides of the comparison. A difference with + means that the candidate takes longer than the base.",
       {"why", "why_lines", "why_program", "check", "compare", "ab"}},
      {"cause",
       "The reason for a part of the difference, found by hardware counters of both. The parts of all causes and the "
       "unexplained part add up to the difference. A part can be larger than the whole if others cancel some of it.",
       {"why", "why_program", "check", "study", "history"}},
      {"unexplained", "Not attributed to any cause.", {"why", "why_program", "study", "check"}},
      {"90 % interval",
       "Contains the true part of a cause in nine of ten cases, as tested on kernels with known causes.",
       {"why", "why_program"}},
      {"99 % interval",
       "Contains the true change in 99 of 100 comparisons, computed from the scatter of the times.",
       {"why", "why_lines", "check"}},
      {"cycles",
       "Time x clock of the GPU's cores (SMs). A kernel that takes the same cycles and more time ran at a lower clock.",
       {"why", "why_lines", "check", "history"}},
      {"confirmed, partly, refuted, inconclusive",
       "The result of a third kernel of the same recording that differs from one of the two in one property. "
       "Confirmed: the part of the cause that it removes lies inside the cause's interval. Partly: it lies outside. "
       "Refuted: the cause went and the time stayed. Inconclusive: the cause did not go.",
       {"why", "why_program"}},
      {"factor",
       "The same difference, split in another way: number of instructions x waiting per instruction / warps that hide "
       "it, and so on. It says what changed, not why.",
       {"why"}},
      {"scatter of this recording",
       "The range of the number in another recording of the same kernels, estimated from the differences between "
       "launches here.",
       {"why"}},
      {"warp state",
       "A warp is 32 threads that run together; in each cycle it is in one state, working or waiting for something. "
       "The states divide the kernel's time. The names are those of NVIDIA's profilers.",
       {"why", "show"}},
      {"waited for",
       "While a kernel runs, a sampler looks at its warps again and again: at which instruction each is, and why it "
       "waits. A line's time is the time that warps waited for its instructions: waiting for a load counts at the "
       "load, not where its value is needed.",
       {"why", "show", "lines", "why_lines"}},
      {"noise",
       "How far two recordings of the same kernel differ. A smaller difference counts as none.",
       {"why", "why_lines", "why_program", "check", "study", "history"}},
      {"launch, call",
       "One execution of a kernel on the GPU.",
       {"why", "why_program", "show", "check", "report", "ab"}},
      {"finding",
       "A fact about this kernel from its counters, with the part of its time that it affects. These times overlap, "
       "and they are not possible gains.",
       {"show", "report"}},
      {"roofline",
       "The most operations per second that a GPU can do: its memory bandwidth times the operations done on each byte, "
       "and at most what its units compute. A kernel far below both limits is held up by something else.",
       {"why", "show", "report"}},
      {"FFMA peak",
       "The speed of all cores of the GPU in float, each with one multiplication and addition in every cycle. Tensor "
       "peak: the same for its matrix units.",
       {"why", "show", "report"}},
      {"bank",
       "Shared memory has 32 banks, each of which serves 4 bytes at a time. Lanes of a warp that want different words "
       "of one bank wait for each other: a bank conflict, and one more wavefront.",
       {"banks", "show", "why"}},
      {"wavefront", "One round in which shared memory serves a warp.", {"banks", "show", "why"}},
      {"us", "Microseconds, the median of many launches unless it says otherwise.", {}},
      {"-", "Has no meaning here. A number that was not measured says so; neither is ever written as 0.", {}}};
  return words;
}

}  // namespace

std::string MeaningTitle(std::string_view word) {
  static const std::map<std::string_view, std::string> meanings = [] {
    constexpr std::string_view kState = "stall_";  // such a metric counts the cycles of warps in that state
    std::map<std::string_view, std::string> all;
    for (const CatalogueMetric& metric : MetricCatalogue()) {
      if (metric.id.starts_with(kState)) all.emplace(std::string_view(metric.id).substr(kState.size()), metric.meaning);
      all.emplace(metric.id,
                  metric.unit.empty() ? metric.meaning : fmt::format("{} ({})", metric.meaning, metric.unit));
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
         "number's title, where the cursor rests on it, has all its digits and what it rests on.</p>\n";
}

}  // namespace culprit
