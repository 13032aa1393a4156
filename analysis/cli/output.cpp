// SPDX-License-Identifier: Apache-2.0
#include "analysis/cli/output.h"

#include <fmt/core.h>

#include <algorithm>

#include "analysis/cli/command.h"
#include "analysis/cli/environment.h"
#include "analysis/cli/terminal.h"
#include "analysis/html/page.h"

namespace culprit {
namespace {

// no-color.org: any value of NO_COLOR but an empty one. A terminal that does not say what it is understands as little
// as a dumb one.
bool InColour(const Streams& streams) {
  return streams.terminal && !Variable("NO_COLOR") && Variable("TERM").value_or("dumb") != "dumb";
}

void AsText(const Report& report, const OutputOptions& options, Streams& streams) {
  TextStyle style{InColour(streams), options.details};
  if (streams.terminal) style.width = TerminalWidth();
  RenderText(report, streams.out, style);
}

// CSV on a terminal is for people; anywhere else it holds every byte.
void AsCsv(const Report& report, const OutputOptions& options, Streams& streams) {
  RenderCsv(streams.terminal ? Printable(report) : report, streams.out, options.table);
}

struct OutputFormat {
  std::string_view name;
  void (*render)(const Report& report, const OutputOptions& options, Streams& streams);
};
constexpr OutputFormat kFormats[] = {
    {"text", AsText},
    {"table", AsText},
    {"md", [](const Report& report, const OutputOptions&, Streams& s) { RenderMarkdown(report, s.out); }},
    {"csv", AsCsv},
    {"json", [](const Report& report, const OutputOptions&, Streams& s) { RenderJson(report, s.out); }},
    {"html",
     [](const Report& report, const OutputOptions&, Streams& s) { RenderPage(report, s.out, BuiltPageParts()); }},
};

}  // namespace

void AddOutputOptions(Syntax& syntax, OutputOptions& options, const std::vector<std::string>& also) {
  std::vector<std::string> names;
  for (const OutputFormat& format : kFormats) names.emplace_back(format.name);
  names.insert(names.end(), also.begin(), also.end());
  std::string help = "text (or table), md, html, csv";
  for (const std::string& name : also) help += ", " + name;
  syntax.Add("--format", &options.format, help + " or json", {.value = "FORMAT", .among = names});
  syntax.Add("--json", &options.json, "same as --format json");
  syntax.Add("--table", &options.table, "this table alone, as CSV: its name or its heading, or their beginning",
             {.value = "NAME"});
  syntax.Add("-v,--verbose", &options.details, "text with every section (other formats always have them)");
}

void Render(const Report& report, const OutputOptions& options, Streams& streams) {
  std::string_view name = options.table.empty() ? "text" : "csv";
  if (!options.format.empty()) name = options.format;
  if (options.json) name = "json";
  if (!options.table.empty() && name != "csv")
    throw Error(fmt::format("--table is of CSV, not of {}: leave {} out.", name, options.json ? "--json" : "--format"));
  std::ranges::find(kFormats, name, &OutputFormat::name)->render(report, options, streams);
}

}  // namespace culprit
