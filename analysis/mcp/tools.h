// SPDX-License-Identifier: Apache-2.0
// The tools of the server: each runs one command. `tools.cpp` has the table.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/mcp/message.h"

namespace culprit::mcp {

enum class ArgumentKind { kText, kTexts, kWhole, kFlag };

struct Argument {
  std::string_view name;
  ArgumentKind kind = ArgumentKind::kText;
  std::string_view option = {};  // of the command: "--run"; empty: a word of its own, in the order of the table
  std::string_view help = {};
  bool required = false;
  int least = 0, most = 0;                       // of a whole number
  std::string_view usual = {};                   // its value if it is not given, as a word
  std::span<const std::string_view> among = {};  // the texts that it may be; empty: any
};

struct Tool {
  std::string_view name, title, help;
  // The first words of the command, from valid arguments.
  std::vector<std::string> (*command)(const Json& arguments);
  std::vector<Argument> arguments = {};
  std::vector<std::string_view> details = {};  // see Bounds
  std::string_view numbers = {};  // where the answer's numbers come from, and which are errors; in each answer
  bool records = false;           // starts a program; only with --allow-record
};

std::span<const Tool> Tools();
const Tool* FindTool(std::string_view name);

// The tool as tools/list has it. Annotations came with protocol version 2025-03-26.
Json Description(const Tool& tool, bool with_annotations);

// Seconds of a recording that names no timeout_s.
inline constexpr int kUsualTimeout = 600;

// What a call may have besides the tool's own arguments.
inline constexpr std::string_view kMaxBytes = "max_bytes", kFull = "full";

// None: the arguments fit the tool. Otherwise one sentence.
std::string WhatIsWrong(const Tool& tool, const Json& arguments);

// The command line of a call with valid arguments. Values never become options.
std::vector<std::string> CommandLine(const Tool& tool, const Json& arguments);

}  // namespace culprit::mcp
