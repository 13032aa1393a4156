// SPDX-License-Identifier: Apache-2.0
#include "analysis/cli/output.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "analysis/cli/command.h"
#include "analysis/show/html/page.h"
#include "analysis/show/render/cut_lists.h"
#include "bench/program/environment.h"

namespace culprit {
namespace {

// no-color.org: any value of NO_COLOR but an empty one. A terminal that does not say what it is understands as little
// as a dumb one.
bool InColour(const Streams& streams) {
  return streams.terminal && !Variable("NO_COLOR") && Variable("TERM").value_or("dumb") != "dumb";
}

// Columns of the terminal on standard output: from the terminal, else from $COLUMNS, else 80.
std::size_t TerminalWidth() {
  constexpr std::size_t kNarrowest = 40;  // lines of fewer would hold single words
  constexpr double kWidest = 10'000;
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return std::max<std::size_t>(size.ws_col, kNarrowest);
  // Not ours: what makes no sense there is no reason to refuse a command.
  const std::optional<double> columns = PositiveNumber(Variable("COLUMNS").value_or(""));
  return columns && *columns <= kWidest ? std::max(static_cast<std::size_t>(*columns), kNarrowest) : 80;
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

void AsJson(const Report& report, const OutputOptions& options, Streams& streams) {
  if (options.top > 0)
    RenderJson(report, streams.out, static_cast<std::size_t>(options.top));
  else
    RenderJson(report, streams.out);
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
    {"json", AsJson},
    {"html",
     [](const Report& report, const OutputOptions&, Streams& s) { RenderPage(report, s.out, BuiltPageParts()); }},
};

}  // namespace

void AddOutputOptions(Syntax& syntax, OutputOptions& options, const std::vector<std::string>& also) {
  std::vector<std::string> names = TextsOf(kFormats, &OutputFormat::name);
  names.insert(names.end(), also.begin(), also.end());
  std::string help = "text (or table), md, html, csv";
  for (const std::string& name : also) help += ", " + name;
  syntax.Add("--format", &options.format, help + " or json", {.value = "FORMAT", .among = names});
  syntax.Add("--json", &options.json, "same as --format json");
  syntax.Add("--top", &options.top, "with --json: the first N of every list; left_out counts the others",
             {.value = "N", .least = 1});
  syntax.Add("--table", &options.table, "only this table, as CSV: its name or heading, or a beginning of either",
             {.value = "NAME"});
  syntax.Add("-v,--verbose", &options.details, "text with every section (other formats always have them)");
}

void OutputOptions::RefuseTop() const {
  if (top > 0) throw Error("--top bounds the lists of JSON: add --json, or leave --top out.");
}

void Render(const Report& report, const OutputOptions& options, Streams& streams) {
  std::string_view name = options.table.empty() ? "text" : "csv";
  if (!options.format.empty()) name = options.format;
  if (options.json) name = "json";
  if (name != "json") options.RefuseTop();
  if (!options.table.empty() && name != "csv")
    throw Error(fmt::format("--table needs CSV, not {}: leave {} out.", name, options.json ? "--json" : "--format"));
  std::ranges::find(kFormats, name, &OutputFormat::name)->render(report, options, streams);
}

}  // namespace culprit
