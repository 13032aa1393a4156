// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <re2/re2.h>

#include <memory>

#include "analysis/cli/command.h"
#include "analysis/cli/suggest.h"
#include "analysis/judge/causes/cause.h"
#include "analysis/launch/how_to_measure.h"
#include "analysis/number/joined.h"
#include "analysis/show/render/tabulate.h"

namespace culprit {
namespace {

struct Arguments : ReportOptions {
  std::string cause, ncu;
};

const Cause& Find(const std::string& id) {
  if (const Cause* cause = FindCause(id)) return *cause;
  throw Error(UnknownMessage("cause", id, TextsOf(Causes(), &Cause::id), "'culprit causes'"));
}

Section Describe(const Cause& cause) {
  return {.key = std::string(cause.id),
          .title = std::string(cause.id),
          .facts = {{"title", "What it is", cause.title},
                    {"explains", "Can explain", cause.explains},
                    {"moves", "Must have moved", cause.moves},
                    {"remedy", "What to do", cause.remedy},
                    {"needs", "Needs", Joined(cause.needs)},
                    {"evidence", "Shows", Joined(cause.evidence)}}};
}

Section List() {
  return {.key = "causes",
          .tables = {Tabulate<Cause>("causes", "", Causes(),
                                     {{"cause", "Cause", &Cause::id},
                                      {"title", "What it is", &Cause::title},
                                      {"explains", "Can explain", &Cause::explains},
                                      {"moves", "Must have moved", &Cause::moves},
                                      {"remedy", "What to do", &Cause::remedy}})}};
}

// Of "9.0".
std::string NcuNames(const std::string& capability) {
  int major = 0, minor = 0;
  if (!RE2::FullMatch(capability, R"((\d{1,3})\.(\d))", &major, &minor))
    throw Error(fmt::format("'{}' is no compute capability, such as 9.0; ncu prints it in its column CC.", capability));
  return fmt::format("{}\n", fmt::join(NcuMetricNames(major, minor), ","));
}

}  // namespace

Action AddCauses(Syntax& syntax) {
  auto args = std::make_shared<Arguments>();
  syntax.Add("CAUSE", &args->cause, "one cause, with the metrics that it needs (default: list all)",
             {.words = "causes"});
  syntax.Add("--ncu", &args->ncu,
             "only the metrics of all causes, as an argument for ncu --metrics on GPUs of that compute capability",
             {.value = "CC", .not_empty = true, .not_with = "CAUSE"});
  AddReportOptions(syntax, *args);  // every command takes --db; this one reads none
  return [args](Streams& streams) {
    if (!args->ncu.empty()) {
      streams.out << NcuNames(args->ncu);
      return;
    }
    const Report report{.kind = "causes",
                        .title = "Causes that 'culprit why' knows",
                        .sections = {args->cause.empty() ? List() : Describe(Find(args->cause))}};
    Render(report, args->output, streams);
  };
}

}  // namespace culprit
