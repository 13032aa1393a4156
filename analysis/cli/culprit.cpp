// SPDX-License-Identifier: Apache-2.0
#include "analysis/cli/culprit.h"

#include <algorithm>
#include <new>

#include "analysis/cli/parse.h"
#include "analysis/number/printable.h"

namespace culprit {
namespace {

constexpr int kCouldNot = 2;

}  // namespace

int Main(const std::vector<std::string>& args, std::ostream& out, std::ostream& err, bool terminal) {
  return Main(CulpritTool(), args, out, err, terminal);
}

int Main(const Tool& tool, const std::vector<std::string>& args, std::ostream& out, std::ostream& err,
         bool terminal) try {
  Streams streams{out, err, terminal};
  const auto asked = Parse(tool, args);
  if (const auto* text = std::get_if<std::string>(&asked))
    out << PrintableLines(*text);  // the help shows what $CULPRIT_DB names
  else
    std::get<Action>(asked)(streams);
  return streams.exit_status;
} catch (const Error& error) {
  Complain(error.what(), err);
  return kCouldNot;
} catch (const std::bad_alloc&) {
  err << "culprit: out of memory: close something or raise the limit (ulimit -v), then try again\n";
  return kCouldNot;
}

void Complain(std::string_view what, std::ostream& err) {
  std::string message = "culprit: ";
  const char* lead = "";
  do {
    const std::size_t end = std::min(what.find('\n'), what.size());
    const std::string_view line = what.substr(0, end);
    message += (line.starts_with(lead) ? "" : lead) + Printable(line) + '\n';
    what.remove_prefix(std::min(end + 1, what.size()));
    lead = "  ";
  } while (!what.empty());
  err << message;
}

}  // namespace culprit
