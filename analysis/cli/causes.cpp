// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "analysis/causes/cause.h"
#include "analysis/cli/command.h"
#include "analysis/cli/suggest.h"
#include "analysis/render/joined.h"
#include "analysis/render/tabulate.h"

namespace culprit {
namespace {

struct Arguments {
  DatabaseOption db;  // every command takes it; this one reads none
  OutputOptions output;
  std::string cause;
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

}  // namespace

Action AddCauses(Syntax& syntax) {
  auto args = std::make_shared<Arguments>();
  syntax.Add("CAUSE", &args->cause, "One cause, with the metrics that it needs (default: the list)",
             {.words = "causes"});
  AddDatabaseOption(syntax, args->db);
  AddOutputOptions(syntax, args->output);
  return [args](Streams& streams) {
    const Report report{.kind = "causes",
                        .title = "Causes that 'culprit why' knows",
                        .sections = {args->cause.empty() ? List() : Describe(Find(args->cause))}};
    Render(report, args->output, streams);
  };
}

}  // namespace culprit
