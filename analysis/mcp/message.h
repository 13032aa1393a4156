// SPDX-License-Identifier: Apache-2.0
// Messages of the Model Context Protocol: JSON-RPC 2.0, one message in a line.
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace culprit::mcp {

using Json = nlohmann::ordered_json;

// A longer line is refused without being parsed.
inline constexpr std::size_t kMostBytesOfLine = std::size_t{1} << 20;
inline constexpr int kMostNesting = 64;
inline constexpr std::size_t kMostMessagesOfBatch = 64;

// Codes of JSON-RPC.
inline constexpr int kParseError = -32700, kInvalidRequest = -32600, kMethodNotFound = -32601, kInvalidParams = -32602,
                     kInternalError = -32603;

// What is wrong with a request. Answered with an error, see ErrorAnswer.
struct ProtocolError {
  int code = kInternalError;
  std::string message = {};
};

// A request, or a notification if it has no id.
struct Message {
  std::optional<Json> id = {};  // text or a whole number
  std::string method = {};
  Json params = Json::object();
  std::optional<ProtocolError> error = {};  // it is no valid message; `id` is that of the error's answer
  bool is_answer = false;                   // of the client, which we never asked for anything

  bool NeedsAnswer() const { return error || (id && !is_answer); }
};

struct Line {
  std::vector<Message> messages;
  bool is_batch = false;  // the answers are one list
};

// Never throws: what is wrong with a message is in it.
Line ReadLine(std::string_view text);

Json ResultAnswer(const Json& id, Json result);
Json ErrorAnswer(const std::optional<Json>& id, const ProtocolError& error);

// One line without its end. Characters that a terminal would obey are escaped; bytes that are not UTF-8 become U+FFFD.
std::string Written(const Json& json);

}  // namespace culprit::mcp
