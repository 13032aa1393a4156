// SPDX-License-Identifier: Apache-2.0
// The Trace Event Format of Chrome, in which PyTorch and JAX write what they timed: one JSON object with a long list of
// events. Events are read one by one, because a document takes ten times its text in memory.
#pragma once
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace culprit {

// Looks only for the list's name.
bool LooksLikeChromeTrace(std::string_view text);

class ChromeEvent {
 public:
  ChromeEvent(const nlohmann::json& event, std::string_view file, std::size_t number)
      : event_(event), file_(file), number_(number) {}

  // Members of the event, or of its "args". Empty or none: it has no such text or number.
  std::string Text(const char* key) const { return TextIn(event_, key); }
  std::string Argument(const char* key) const { return TextIn(Arguments(), key); }
  std::optional<double> Number(const char* key) const { return NumberIn(event_, key); }
  std::optional<double> NumberArgument(const char* key) const { return NumberIn(Arguments(), key); }
  // A whole number within int64; a missing one is `otherwise`.
  std::int64_t Whole(const char* key, std::int64_t otherwise) const;
  std::int64_t WholeArgument(const char* key, std::int64_t otherwise) const;
  bool HasArgument(const char* key) const { return Arguments().contains(key); }
  const nlohmann::json& Arguments() const;

  // "ts" and "dur" are microseconds. -1: it has no such time, or a negative one.
  std::int64_t StartNs() const;
  std::int64_t EndNs() const;

  // "args.grid has a number below 1": of the event's number in the list.
  [[noreturn]] void Complain(std::string_view what) const;

  static std::string TextIn(const nlohmann::json& object, const char* key);
  static std::optional<double> NumberIn(const nlohmann::json& object, const char* key);

 private:
  const nlohmann::json& event_;
  std::string_view file_;
  std::size_t number_;
};

// Reads all events in their order. Returns what the document has besides events, as far as readers here need it.
// `name`: the file's name in messages. Throws culprit::Error if it is no JSON or has no such list.
nlohmann::json ForEachChromeEvent(std::string_view text, const std::string& name,
                                  const std::function<void(const ChromeEvent&)>& read);

}  // namespace culprit
