// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "analysis/causes/cause.h"
#include "analysis/cli/command.h"
#include "analysis/cli/suggest.h"
#include "analysis/render/tabulate.h"

namespace culprit {
namespace {

struct Arguments {
  DatabaseOption db;  // every command takes it; this one reads none
  OutputOptions output;
  std::string cause;
};

std::string Joined(const std::vector<std::string_view>& ids) {
  std::string text;
  for (const std::string_view id : ids) text += (text.empty() ? "" : ", ") + std::string(id);
  return text;
}

const Cause& Find(const std::string& id) {
  if (const Cause* cause = FindCause(id)) return *cause;
  std::vector<std::string> ids;
  for (const Cause& cause : Causes()) ids.emplace_back(cause.id);
  throw Error(UnknownMessage("cause", id, ids, "'culprit causes'"));
}

Section Describe(const Cause& cause) {
  Section section{std::string(cause.id), std::string(cause.id)};
  section.facts = {{"title", "What it is", std::string(cause.title)},
                   {"explains", "Can explain", std::string(cause.explains)},
                   {"moves", "Must have moved", std::string(cause.moves)},
                   {"remedy", "What to do", std::string(cause.remedy)},
                   {"needs", "Needs", Joined(cause.needs)},
                   {"evidence", "Shows", Joined(cause.evidence)}};
  return section;
}

Section List() {
  return {"causes",
          "",
          {},
          {Tabulate<Cause>("causes", "", Causes(),
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
    Report report;
    report.kind = "causes";
    report.title = "Causes that 'culprit why' knows";
    report.sections.push_back(args->cause.empty() ? List() : Describe(Find(args->cause)));
    Render(report, args->output, streams);
  };
}

}  // namespace culprit
