// SPDX-License-Identifier: Apache-2.0
#include "analysis/mcp/message.h"

#include <fmt/core.h>

#include "analysis/number/printable.h"
#include "db/error.h"

namespace culprit::mcp {
namespace {

Message Wrong(int code, std::string message, std::optional<Json> id = {}) {
  return {.id = std::move(id), .error = ProtocolError{code, std::move(message)}};
}

// Nesting is counted while the text is parsed, so that deep text costs no more than its bytes.
Json Parsed(std::string_view text) {
  return Json::parse(text, [](int depth, Json::parse_event_t, Json&) {
    if (depth > kMostNesting) throw Error(fmt::format("the message is nested deeper than {} levels", kMostNesting));
    return true;
  });
}

Message MessageOf(Json json) {
  if (!json.is_object()) return Wrong(kInvalidRequest, "a message is an object");
  Message message;
  if (const auto id = json.find("id"); id != json.end()) {
    if (!id->is_string() && !id->is_number_integer())
      return Wrong(kInvalidRequest, "the id of a request is text or a whole number");
    message.id = *id;
  }
  if (const auto version = json.find("jsonrpc"); version == json.end() || *version != "2.0")
    return Wrong(kInvalidRequest, "a message has \"jsonrpc\": \"2.0\"", message.id);
  const auto method = json.find("method");
  if (method == json.end() && message.id && (json.contains("result") || json.contains("error"))) {
    message.is_answer = true;
    return message;
  }
  if (method == json.end() || !method->is_string())
    return Wrong(kInvalidRequest, "a request has a method, which is text", message.id);
  message.method = method->get<std::string>();
  if (const auto params = json.find("params"); params != json.end()) {
    if (!params->is_object()) {
      if (!message.id) return message;  // a notification has no answer
      return Wrong(kInvalidParams, "the params of a request are an object", message.id);
    }
    message.params = std::move(*params);
  }
  return message;
}

}  // namespace

Line ReadLine(std::string_view text) {
  if (text.size() > kMostBytesOfLine)
    return {{Wrong(kParseError, fmt::format("the line is longer than {} bytes", kMostBytesOfLine))}};
  Json json;
  try {
    json = Parsed(text);
  } catch (const Error& error) {
    return {{Wrong(kParseError, error.what())}};
  } catch (const Json::exception&) {
    return {{Wrong(kParseError, "the line is not JSON in UTF-8")}};
  }
  if (!json.is_array()) return {{MessageOf(std::move(json))}};
  if (json.empty()) return {{Wrong(kInvalidRequest, "a batch has at least one message")}};
  if (json.size() > kMostMessagesOfBatch)
    return {{Wrong(kInvalidRequest, fmt::format("a batch has at most {} messages", kMostMessagesOfBatch))}};
  Line line{{}, true};
  for (Json& one : json) line.messages.push_back(MessageOf(std::move(one)));
  return line;
}

Json ResultAnswer(const Json& id, Json result) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}};
}

Json ErrorAnswer(const std::optional<Json>& id, const ProtocolError& error) {
  return {
      {"jsonrpc", "2.0"}, {"id", id.value_or(nullptr)}, {"error", {{"code", error.code}, {"message", error.message}}}};
}

std::string Written(const Json& json) {
  return PrintableJson(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace culprit::mcp
