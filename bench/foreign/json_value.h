// SPDX-License-Identifier: Apache-2.0
// Reads foreign JSON and remembers the path of each value for error messages: "benchmarks[3].real_time is no number".
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace culprit {

// Throws culprit::Error that names the line. A document takes about ten times its text in memory, so a text of more than
// 256 MB is refused. A text of any size is read with `keeps`, which gets each value and says whether to keep it.
nlohmann::json ParseJson(std::string_view text, std::string_view name,
                         const nlohmann::json::parser_callback_t& keeps = {});

class JsonValue {
 public:
  // Keeps references. `file`: the file's name in messages.
  JsonValue(const nlohmann::json& value, std::string_view file) : value_(&value), file_(file) {}

  bool Has(std::string_view key) const { return value_->is_object() && value_->contains(key); }
  // The member of an object. Throws if there is none.
  JsonValue At(std::string_view key) const;
  // The elements of an array. Throws if the value is no array.
  std::vector<JsonValue> Elements() const;
  // Throws if the value is no text.
  std::string Text() const;
  // A finite number, or a text with one, as NVBench writes them. None for null, which stands for NaN and infinity.
  // Throws for anything else.
  std::optional<double> Number() const;
  bool Bool() const;

  // The member with this key, or `otherwise` if it is missing.
  std::string TextAt(std::string_view key, std::string_view otherwise) const;
  double NumberAt(std::string_view key, double otherwise) const;

  [[noreturn]] void Complain(std::string_view what) const;  // "is no number"

 private:
  JsonValue(const nlohmann::json& value, std::string_view file, std::string path)
      : value_(&value), file_(file), path_(std::move(path)) {}

  const nlohmann::json* value_;
  std::string_view file_;
  std::string path_;
};

}  // namespace culprit
