// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <memory>

#include "analysis/causes/cause.h"
#include "analysis/cli/command.h"
#include "analysis/cli/suggest.h"
#include "analysis/kernel/how_to_measure.h"
#include "analysis/render/joined.h"
#include "analysis/render/tabulate.h"

namespace culprit {
namespace {

struct Arguments {
  DatabaseOption db;  // every command takes it; this one reads none
  OutputOptions output;
  std::string cause, ncu;
};

const Cause& Find(const std::string& id) {
  if (const Cause* cause = FindCause(id)) return *cause;
  std::vector<std::string> ids;
  for (const Cause& cause : Causes()) ids.emplace_back(cause.id);
  throw Error(UnknownMessage("cause", id, ids, "'culprit causes'"));
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
  const char* const end = capability.data() + capability.size();
  const auto [dot, error] = std::from_chars(capability.data(), end, major);
  const bool has_dot = error == std::errc() && dot != end && *dot == '.';
  const auto rest = has_dot ? std::from_chars(dot + 1, end, minor) : std::from_chars_result{dot, error};
  if (!has_dot || rest.ec != std::errc() || rest.ptr != end || major < 0 || minor < 0 || major > 1000 || minor > 9)
    throw Error(fmt::format("'{}' is no compute capability, such as 9.0; ncu prints it in its column CC.", capability));
  return fmt::format("{}\n", fmt::join(NcuMetricNames(major, minor), ","));
}

}  // namespace

Action AddCauses(Syntax& syntax) {
  auto args = std::make_shared<Arguments>();
  syntax.Add("CAUSE", &args->cause, "One cause, with the metrics that it needs (default: the list)",
             {.words = "causes"});
  syntax.Add("--ncu", &args->ncu,
             "only the metrics that all of them take, as ncu --metrics takes them on GPUs of that compute capability",
             {.value = "CC", .not_empty = true, .not_with = "CAUSE"});
  AddDatabaseOption(syntax, args->db);
  AddOutputOptions(syntax, args->output);
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
