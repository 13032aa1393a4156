// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "analysis/cli/parse.h"
#include "analysis/render/printable.h"

namespace culprit {

Action AddHelp(Syntax& syntax) {
  auto command = std::make_shared<std::string>();
  std::vector<std::string> names;
  for (const Command& known : Commands()) names.emplace_back(known.name);
  syntax.Add("COMMAND", command.get(), "how to call this one (default: which there are)", {.among = std::move(names)});
  return [command](Streams& streams) { streams.out << PrintableLines(HelpText(*command)); };
}

}  // namespace culprit
