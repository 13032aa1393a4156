// SPDX-License-Identifier: Apache-2.0
// Answers the messages of one client.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/mcp/message.h"
#include "analysis/mcp/tools.h"

namespace culprit::mcp {

// How a command ended.
struct CommandEnd {
  int status = 0;
  std::string out, err;
};

// What the server's tools may do. The functions return when `stopped` says so.
struct Host {
  // Runs a command that writes JSON.
  std::function<CommandEnd(const std::vector<std::string>& words, const std::function<bool()>& stopped)> read;
  // Runs `culprit record`; `out` is the program's output. Empty: recording is not allowed.
  std::function<CommandEnd(const std::vector<std::string>& words, int timeout_s, const std::function<bool()>& stopped)>
      record = {};
  std::string version = {};  // of culprit
};

class Session {
 public:
  // Until the client says which version of the protocol it speaks, it gets the oldest.
  explicit Session(Host host);

  // The answer to a line, without the line's end. Empty: no answer is due. Never throws. `stopped`: asked while a tool
  // runs; true means that nobody wants the answer any more.
  std::string Answer(
      std::string_view line, const std::function<bool()>& stopped = [] { return false; });

  // For a line that arrives while a tool runs. Returns true if it needs no turn of its own: `answer` then answers it,
  // or is empty. `cancelled` gets the id of the request that the client no longer wants.
  bool AnswerAtOnce(std::string_view line, std::string& answer, Json& cancelled);

 private:
  Json AnswerTo(const Message& message, const std::function<bool()>& stopped);
  Json Initialize(const Json& params);
  Json ListTools(const Json& params) const;
  Json Call(const Json& params, const std::function<bool()>& stopped) const;

  Host host_;
  std::size_t version_;  // of the protocol: an index
};

}  // namespace culprit::mcp
