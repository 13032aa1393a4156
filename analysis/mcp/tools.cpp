// SPDX-License-Identifier: Apache-2.0
#include "analysis/mcp/tools.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "analysis/mcp/bounded.h"

namespace culprit::mcp {
namespace {

using enum ArgumentKind;
using Words = std::vector<std::string>;

constexpr Argument kRun{"run", kText, "--run", "label, id or beginning of the UUID of a run (default: the newest)"};
constexpr Argument kShape{"shape", kText, "--shape", "launch shape, such as 4096 or 4096x2048x1024"};
constexpr Argument kLaunchShape{"shape", kText, "--shape", "launch shape (default: the launch with most time)"};
constexpr Argument kBaseRun{"base_run", kText, "--base", "run of base; without base: the older run of a program"};
constexpr Argument kCandidateRun{"cand_run", kText, "--cand", "run of candidate; without base: the newer run"};
constexpr Argument kDifferentPrograms{"different_programs", kFlag, "--different-programs",
                                      "compare also programs without a common kernel"};
// A reader of hundreds of rows asks SQL to sum them.
constexpr int kMostRows = 1000;
constexpr Argument kRows{"max_rows", kWhole, "--top", "most rows of each list", false, 1, kMostRows, "100"};

constexpr std::array<std::string_view, 6> kProfiles{"sampled", "counters", "core", "full", "lines", "none"};

bool ComparesRuns(const Json& arguments) {
  return arguments.contains("candidate") || arguments.contains("base_run") || arguments.contains("cand_run");
}

}  // namespace

std::span<const Tool> Tools() {
  static const std::vector<Tool> tools{
      {"runs",
       "Recorded runs",
       "List the recorded runs, newest first: name, label, state, program, GPU, number of launches.",
       [](const Json&) { return Words{"runs"}; },
       {kRows},
       {"schema", "kind", "context", "list.runs[].run_uuid", "list.runs[].command", "list.runs[].driver",
        "list.runs[].l2", "list.runs[].metric_values"}},
      {"kernels",
       "Kernels of a run",
       "List the kernels of a run, the one with most time first: time (us), calls, share of the work (%), findings.",
       [](const Json&) { return Words{"report"}; },
       {kRun, kShape, kRows},
       {"schema", "kind", "context", "program.kernels[].name", "program.kernels[].dynamic_shared_bytes",
        "program.kernels[].share_us", "program.each_process", "findings.items[].text", "findings.notes",
        "shapes[].items", "notes"},
       "times are timed without counters; half of the calls lie between q1_us and q3_us; findings and stalls follow "
       "from counters, which were counted or sampled"},
      {"why",
       "Why slower",
       "Say what made CANDIDATE slower or faster than BASE: causes in microseconds that add up to the difference, each "
       "with "
       "its error and its evidence. Name two kernels, or one kernel and two runs, or only two runs of a program.",
       [](const Json&) { return Words{"why"}; },
       {{"base", kText, "", "a kernel, or KERNEL@RUN; left out: compare whole runs of a program"},
        {"candidate", kText, "", "a kernel, or KERNEL@RUN"},
        kBaseRun,
        kCandidateRun,
        kLaunchShape,
        kDifferentPrograms,
        kRows},
       {"schema", "kind", "factors", "stalls", "within_noise", "not_judged", "kernels", "context",
        "causes[].source[].instructions", "causes[].confirmed_by", "causes[].refuted_by", "program.launches",
        "program.parts[].calls_us", "program.parts[].share_pct", "program.parts[].rule", "program.parts[].stage",
        "program.causes[].stage", "program.causes[].launch_delta_us"},
       "base_us and candidate_us are timed; causes follow from evidence, which has a source; interval90, scatter and "
       "low to high are intervals, *_error a standard deviation"},
      {"lines",
       "Source lines",
       "Say which source lines cost time. With one kernel: microseconds that warps waited for each line, and advice. "
       "With candidate, or with two runs: how much longer each line takes. Needs samples of instructions.",
       [](const Json& arguments) {
         return ComparesRuns(arguments) ? Words{"why", "--lines"} : Words{"annotate"};
       },
       {{"kernel", kText, "", "a kernel, or KERNEL@RUN; the base of a comparison", true},
        {"candidate", kText, "", "compare with this kernel, or KERNEL@RUN"},
        kBaseRun,
        kCandidateRun,
        kLaunchShape,
        kRows},
       {"schema",
        "kind",
        "context",
        "lines.reasons",
        "lines.classes",
        "lines.chains",
        "lines.kinds",
        "lines.notes",
        "lines.lines[].lanes_there",
        "lines.lines[].lanes_on",
        "lines.lines[].base_part",
        "lines.lines[].candidate_part",
        "lines.lines[].base_sampled_us",
        "lines.lines[].candidate_sampled_us",
        "lines.lines[].moved_us",
        "lines.lines[].base_waiting_us",
        "lines.lines[].candidate_waiting_us",
        "lines.lines[].base_instructions",
        "lines.lines[].candidate_instructions",
        "lines.lines[].base_loops",
        "lines.lines[].candidate_loops",
        "lines.lines[].base_lanes_there",
        "lines.lines[].base_lanes_on",
        "lines.lines[].candidate_lanes_there",
        "lines.lines[].candidate_lanes_on",
        "classes",
        "reasons",
        "instructions",
        "recorded"},
       "times come from samples of instructions; error_us is one standard error of a line's time, by the number of "
       "samples"},
      {"advice",
       "Advice for one kernel",
       "Say what limits one kernel: its time, findings with evidence and estimated gain (us, with its error factor), "
       "and advice at source lines.",
       [](const Json&) { return Words{"show"}; },
       {{"kernel", kText, "", "a kernel, or KERNEL@RUN", true}, kRun, kLaunchShape, kRows},
       {"schema", "kind", "context", "stall_stack", "memory", "static", "verification", "launches", "inside",
        "findings.items[].brief", "findings.items[].details", "findings.notes", "not_measured", "interventions"},
       "time is timed without counters; findings.metrics says what evidence is; gain_us is an estimate, right within "
       "error_factor"},
      {"check",
       "Did anything become slower",
       "Judge every kernel of run CAND against run BASE: outcome (fine, regression, not judged, inconclusive), changes "
       "in percent with their intervals (change_low_pct to change_high_pct), and causes.",
       [](const Json&) { return Words{"check"}; },
       {{"base", kText, "--base", "run to compare with: label, id, beginning of the UUID, or newest", true},
        {"candidate", kText, "--cand", "run to judge", true},
        {"max_slowdown", kText, "--max-slowdown", "accepted increase of the time, such as 2%"},
        {"kernels", kTexts, "--kernels", "only kernels that match one of these globs"},
        kShape,
        kDifferentPrograms,
        kRows},
       {"schema", "kind", "context", "check.launches[].not_excluded_pct", "check.launches[].cycles_change_pct",
        "check.launches[].decomposed", "check.launches[].verdict", "check.launches[].noise_floor_pct",
        "check.causes[].confirmed_by", "check.causes[].refuted_by", "check.causes[].shape"},
       "times are timed without counters; change_low_pct to change_high_pct is the interval of a change; causes follow "
       "from counters and scatter"},
      {"query",
       "SQL on the recordings",
       "Run one read-only SQLite statement. Tables: run, stage, launch, sample, metric (with units), metric_value, "
       "program_launch; sqlite_schema lists all. Columns name their unit; metric has the unit and the source of "
       "metric_value, which has an error. @NAME runs a shipped query, such as @ladder.",
       [](const Json&) { return Words{"query"}; },
       {{"sql", kText, "", "one SELECT, or @NAME", true},
        {"parameters", kTexts, "--param", "values of :name in the statement, as name=value"},
        {"max_seconds", kWhole, "--max-seconds", "stop the statement after this time", false, 1, 60, "5"},
        kRows}},
      {"record",
       "Record a program",
       "Run a program on this machine's GPU and store times and counters of its kernels as a new run. The program runs "
       "two or three times.",
       [](const Json&) { return Words{"record"}; },
       {{"command", kTexts, "", "the program and its arguments", true},
        {"label", kText, "--label", "the run's label"},
        {"kernels", kText, "--kernels", "also count exactly the kernels that match this regular expression"},
        {"profile", kText, "--profile", "what to measure besides times", false, 0, 0, "", kProfiles},
        {"timeout_s", kWhole, "", "end the recording after this time", false, 1, 3600, "600"}},
       {},
       "",
       true},
  };
  return tools;
}

const Tool* FindTool(std::string_view name) {
  const auto tool = std::ranges::find(Tools(), name, &Tool::name);
  return tool == Tools().end() ? nullptr : &*tool;
}

namespace {

Json SchemaOf(const Argument& argument) {
  Json schema;
  switch (argument.kind) {
    case kText:
      schema = {{"type", "string"}, {"minLength", 1}};
      break;
    case kTexts:
      schema = {{"type", "array"}, {"items", {{"type", "string"}}}, {"minItems", 1}};
      break;
    case kWhole:
      schema = {{"type", "integer"}, {"minimum", argument.least}, {"maximum", argument.most}};
      break;
    case kFlag:
      schema = {{"type", "boolean"}};
      break;
  }
  if (!argument.among.empty()) schema["enum"] = argument.among;
  std::string help(argument.help);
  if (!argument.usual.empty()) help += fmt::format(" (default: {})", argument.usual);
  schema["description"] = help;
  return schema;
}

const std::vector<Argument>& ArgumentsOfAll() {
  static const std::string usual = std::to_string(kUsualBytes);
  static const std::vector<Argument> arguments{
      {kMaxBytes, kWhole, "", "most bytes of the answer", false, kLeastBytes, kMostBytes, usual},
      {kFull, kFlag, "", "also the keys that a short answer leaves out"}};
  return arguments;
}

const Argument* Find(const Tool& tool, std::string_view name) {
  for (const std::vector<Argument>* arguments : {&tool.arguments, &ArgumentsOfAll()})
    for (const Argument& argument : *arguments)
      if (argument.name == name) return &argument;
  return nullptr;
}

// A word of a command line ends at the first zero byte.
bool IsWord(const Json& value) { return value.is_string() && value.get<std::string>().find('\0') == std::string::npos; }

std::string WhatIsWrong(const Argument& argument, const Json& value) {
  switch (argument.kind) {
    case kText:
      if (!IsWord(value) || value.get<std::string>().empty()) return "is text, not empty and without zero bytes";
      if (!argument.among.empty() &&
          std::ranges::find(argument.among, value.get<std::string>()) == argument.among.end())
        return fmt::format("is one of {}", Json(argument.among).dump());
      break;
    case kTexts:
      if (!value.is_array() || value.empty() || !std::ranges::all_of(value, IsWord))
        return "is a list of texts without zero bytes, not empty";
      break;
    case kWhole:
      if (!value.is_number_integer() || value < argument.least || value > argument.most)
        return fmt::format("is a whole number from {} to {}", argument.least, argument.most);
      break;
    case kFlag:
      if (!value.is_boolean()) return "is true or false";
      break;
  }
  return {};
}

}  // namespace

Json Description(const Tool& tool, bool with_annotations) {
  Json properties = Json::object(), required = Json::array();
  for (const std::vector<Argument>* arguments : {&tool.arguments, &ArgumentsOfAll()})
    for (const Argument& argument : *arguments) {
      properties[std::string(argument.name)] = SchemaOf(argument);
      if (argument.required) required.push_back(argument.name);
    }
  Json schema = {{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) schema["required"] = std::move(required);
  schema["additionalProperties"] = false;
  Json described = {{"name", tool.name}, {"description", tool.help}, {"inputSchema", std::move(schema)}};
  if (with_annotations)
    described["annotations"] = {
        {"title", tool.title}, {"readOnlyHint", !tool.records}, {"openWorldHint", tool.records}};
  return described;
}

std::string WhatIsWrong(const Tool& tool, const Json& arguments) {
  if (!arguments.is_object()) return "the arguments of a tool are an object";
  for (const auto& [name, value] : arguments.items()) {
    const Argument* argument = Find(tool, name);
    if (argument == nullptr) return fmt::format("tool {} has no argument '{}'", tool.name, name);
    if (const std::string wrong = WhatIsWrong(*argument, value); !wrong.empty())
      return fmt::format("argument '{}' of tool {} {}", name, tool.name, wrong);
  }
  for (const Argument& argument : tool.arguments)
    if (argument.required && !arguments.contains(argument.name))
      return fmt::format("tool {} needs the argument '{}'", tool.name, argument.name);
  return {};
}

std::vector<std::string> CommandLine(const Tool& tool, const Json& arguments) {
  Words words = tool.command(arguments), own;
  for (const Argument& argument : tool.arguments) {
    const auto given = arguments.find(argument.name);
    // "--run=VALUE" is one word, so no value is taken for an option.
    const auto add = [&](std::string_view value) {
      if (argument.option.empty())
        own.emplace_back(value);
      else
        words.push_back(fmt::format("{}={}", argument.option, value));
    };
    if (given == arguments.end()) {
      if (!argument.option.empty() && !argument.usual.empty()) add(argument.usual);
    } else if (argument.kind == kText) {
      add(given->get<std::string>());
    } else if (argument.kind == kTexts) {
      for (const Json& value : *given) add(value.get<std::string>());
    } else if (argument.kind == kFlag) {
      if (given->get<bool>()) words.emplace_back(argument.option);
    } else if (!argument.option.empty()) {
      add(std::to_string(given->get<int>()));
    }
  }
  if (!tool.records) words.emplace_back("--json");
  if (!own.empty()) words.emplace_back("--");
  words.insert(words.end(), own.begin(), own.end());
  return words;
}

}  // namespace culprit::mcp
