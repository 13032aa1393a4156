// SPDX-License-Identifier: Apache-2.0
// JSON that somebody else wrote, read by a path that a complaint can name: "benchmarks[3].real_time is no number".
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace culprit {

// Throws culprit::Error that names the line.
nlohmann::json ParseJson(std::string_view text, std::string_view name);

class JsonValue {
 public:
  // Keeps references. `file` is what messages call it.
  JsonValue(const nlohmann::json& value, std::string_view file) : value_(&value), file_(file) {}

  bool Has(std::string_view key) const { return value_->is_object() && value_->contains(key); }
  // Of an object; throws where there is none.
  JsonValue At(std::string_view key) const;
  // The elements of an array; throws where it is none.
  std::vector<JsonValue> Elements() const;
  // Throws where it is no text.
  std::string Text() const;
  // A finite number, or a text that holds one, as NVBench writes them; none for null, which stands for what JSON has no
  // number for. Throws for anything else.
  std::optional<double> Number() const;
  bool Bool() const;

  // Of a key that may be missing; `otherwise` then.
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
