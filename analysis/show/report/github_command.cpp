// SPDX-License-Identifier: Apache-2.0
#include "analysis/show/report/github_command.h"

#include <fmt/core.h>

#include <string>

#include "analysis/number/printable.h"

namespace culprit {
namespace {

// A property ends at a comma or colon, a command at its line's end.
std::string Escaped(std::string_view text, bool property) {
  std::string escaped;
  for (const char c : Printable(text)) {
    const bool special = c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','));
    special ? escaped += fmt::format("%{:02X}", static_cast<unsigned char>(c)) : escaped += c;
  }
  return escaped;
}

}  // namespace

void WriteGithubCommand(std::string_view kind, const LineRange& at, std::string_view title, std::string_view text,
                        std::ostream& out) {
  out << "::" << kind << ' ';
  if (!at.file.empty()) out << "file=" << Escaped(at.file, true) << ',';
  if (!at.file.empty() && at.first > 0) out << "line=" << at.first << ',';
  if (!at.file.empty() && at.last > at.first) out << "endLine=" << at.last << ',';
  out << "title=" << Escaped(title, true) << "::" << Escaped(text, false) << '\n';
}

}  // namespace culprit
