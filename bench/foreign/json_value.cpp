// SPDX-License-Identifier: Apache-2.0
#include "bench/foreign/json_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "db/error.h"

namespace culprit {

using nlohmann::json;

namespace {

// No report of a benchmark has come near.
constexpr std::size_t kMostJsonBytes = 256 << 20;

// nlohmann's own words, without the name of its exception and what the reader does not need.
std::string_view WithoutName(std::string_view what) {
  if (const auto end = what.find("] "); what.starts_with('[') && end != what.npos) what.remove_prefix(end + 2);
  if (const auto place = what.find(": "); what.starts_with("parse error") && place != what.npos)
    what.remove_prefix(place + 2);
  return what;
}

}  // namespace

json ParseJson(std::string_view text, std::string_view name, const json::parser_callback_t& keeps) {
  if (text.size() > kMostJsonBytes && !keeps)
    throw Error(
        fmt::format("{}: a report of more than {} MB is not read; nothing was imported", name, kMostJsonBytes >> 20));
  try {
    return json::parse(text, keeps);
  } catch (const json::parse_error& e) {
    const auto line = 1 + std::ranges::count(text.substr(0, std::min(e.byte, text.size())), '\n');
    throw Error(fmt::format("{} line {}: it is no JSON: {}; nothing was imported", name, line, WithoutName(e.what())));
  } catch (const json::exception& e) {
    throw Error(fmt::format("{}: it is no JSON: {}; nothing was imported", name, WithoutName(e.what())));
  }
}

void JsonValue::Complain(std::string_view what) const {
  throw Error(fmt::format("{}: {} {}; nothing was imported", file_, path_.empty() ? "the document" : path_, what));
}

JsonValue JsonValue::At(std::string_view key) const {
  const std::string path = path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
  if (!Has(key)) JsonValue(*value_, file_, path).Complain("is missing");
  return {value_->at(std::string(key)), file_, path};
}

std::vector<JsonValue> JsonValue::Elements() const {
  if (value_->is_null()) return {};  // as NVBench writes an empty list
  if (!value_->is_array()) Complain("is no list");
  std::vector<JsonValue> elements;
  for (const json& element : *value_)
    elements.push_back(JsonValue(element, file_, fmt::format("{}[{}]", path_, elements.size())));
  return elements;
}

std::string JsonValue::Text() const {
  if (!value_->is_string()) Complain("is no text");
  return value_->get<std::string>();
}

std::optional<double> JsonValue::Number() const {
  if (value_->is_null()) return std::nullopt;
  double value = 0;
  if (value_->is_number()) {
    value = value_->get<double>();
  } else if (value_->is_string()) {
    const std::string& text = value_->get_ref<const std::string&>();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) Complain("is no number");
  } else {
    Complain("is no number");
  }
  if (!std::isfinite(value)) Complain("is no finite number");
  return value;
}

bool JsonValue::Bool() const {
  if (!value_->is_boolean()) Complain("is neither true nor false");
  return value_->get<bool>();
}

std::string JsonValue::TextAt(std::string_view key, std::string_view otherwise) const {
  return Has(key) ? At(key).Text() : std::string(otherwise);
}

double JsonValue::NumberAt(std::string_view key, double otherwise) const {
  return Has(key) ? At(key).Number().value_or(otherwise) : otherwise;
}

}  // namespace culprit
