// SPDX-License-Identifier: Apache-2.0
#include "analysis/mcp/bounded.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "analysis/number/printable.h"
#include "analysis/show/render/cut_lists.h"
#include "db/error.h"

namespace culprit::mcp {
namespace {

// Of a text in an answer whose lists are empty already.
constexpr std::size_t kShortText = 160;

void Round(Json& json) {
  if (json.is_structured()) {
    for (Json& inner : json) Round(inner);
  } else if (json.is_number_float()) {
    const std::string text = fmt::format("{:.6g}", json.get<double>());
    double rounded = 0;
    std::from_chars(text.data(), text.data() + text.size(), rounded);
    constexpr double kWhole = 1e15;  // below, "2048" is shorter than "2048.0"
    if (rounded == static_cast<double>(static_cast<std::int64_t>(std::clamp(rounded, -kWhole, kWhole))))
      json = static_cast<std::int64_t>(rounded);
    else
      json = rounded;
  }
}

// Erases what has that path, with its status. True if something had it.
bool Erase(Json& json, std::string_view path) {
  if (json.is_array()) {
    bool found = false;
    for (Json& element : json) found |= Erase(element, path);
    return found;
  }
  if (!json.is_object()) return false;
  const std::size_t dot = path.find('.');
  std::string_view key = path.substr(0, dot);
  if (dot == path.npos) return json.erase(fmt::format("{}_status", key)) + json.erase(std::string(key)) > 0;
  if (key.ends_with("[]")) key.remove_suffix(2);
  const auto inner = json.find(std::string(key));
  return inner != json.end() && Erase(*inner, path.substr(dot + 1));
}

std::size_t LongestList(const Json& json) {
  std::size_t longest = json.is_array() ? json.size() : 0;
  if (json.is_structured())
    for (const Json& inner : json) longest = std::max(longest, LongestList(inner));
  return longest;
}

void Shorten(Json& json) {
  if (json.is_structured())
    for (Json& inner : json) Shorten(inner);
  else if (json.is_string())
    json = Printable(json.get<std::string>(), kShortText);
}

// Numbers that nobody asked for, with their status, and empty texts. A number that could not be had stays, with the
// reason.
bool EraseUnasked(Json& json) {
  if (!json.is_structured()) return false;
  bool found = false;
  if (json.is_object()) {
    std::vector<std::string> unasked;
    for (const auto& [key, value] : json.items()) {
      const auto status = json.find(key + "_status");
      const bool is_unasked = value.is_null() && status != json.end() && *status == "not_asked";
      if (is_unasked || value == "") unasked.push_back(key);
      if (is_unasked) unasked.push_back(key + "_status");
    }
    for (const std::string& key : unasked) json.erase(key);
    found = !unasked.empty();
  }
  for (Json& inner : json) found |= EraseUnasked(inner);
  return found;
}

constexpr const char* kUnasked = "empty texts, and numbers whose status is not_asked";

// What was left out of `answer` besides elements: `keys`, their paths, and `values`, in words. Empty: nothing.
Json WithoutDetails(Json& answer, const Bounds& bounds) {
  Json left_out = Json::object();
  if (bounds.full) return left_out;
  for (const std::string_view path : bounds.details)
    if (Erase(answer, path)) left_out["keys"].push_back(path);
  if (!bounds.details.empty() && EraseUnasked(answer)) left_out["values"] = kUnasked;
  return left_out;
}

std::string HowToAsk(std::size_t bytes, const Json& elements, const Json& details) {
  std::string how;
  if (!elements.empty() && bytes <= kMostBytes)
    how = fmt::format("max_bytes={} gives all elements", bytes);
  else if (!elements.empty())
    how = fmt::format("max_bytes={} gives more elements", kMostBytes);
  if (!details.empty()) {
    const bool has_keys = details.contains("keys"), has_values = details.contains("values");
    how += fmt::format("{}full=true gives these {}{}{}", how.empty() ? "" : "; ", has_keys ? "keys" : "",
                       has_keys && has_values ? " and " : "", has_values ? "values" : "");
  }
  return how;
}

}  // namespace

std::string Bounded(Json& answer, const Bounds& bounds) {
  Round(answer);
  const Json details = WithoutDetails(answer, bounds);
  const Json before = answer.value("left_out", Json::object());  // what --top left out
  answer.erase("left_out");
  constexpr std::size_t kRoomForLeftOut = 512;  // besides `details`
  const std::size_t whole = Written(answer).size() + Written(details).size() + kRoomForLeftOut;
  // With at most `top` elements in each list.
  const auto cut = [&](std::size_t top) {
    Json shorter = answer;
    Json elements = CutLists(shorter, top);
    const std::string how = HowToAsk(std::max(whole, kLeastBytes), elements, details);
    for (const auto& [path, count] : before.items()) elements[path] = elements.value(path, 0) + count.get<int>();
    if (elements.empty() && details.empty()) return shorter;
    Json& left_out = shorter["left_out"] = Json::object();
    if (!elements.empty()) left_out["elements"] = std::move(elements);
    left_out.update(details);
    if (!how.empty()) left_out["ask"] = how;
    return shorter;
  };
  const std::size_t longest = LongestList(answer);
  std::size_t least = 0, most = longest;
  Json fits = cut(most);
  if (Written(fits).size() > bounds.bytes) {
    // The most elements with which it fits: more never make it shorter.
    while (least < most) {
      const std::size_t middle = (least + most + 1) / 2;
      if (Written(cut(middle)).size() <= bounds.bytes)
        least = middle;
      else
        most = middle - 1;
    }
    fits = cut(least);
  }
  std::string text = Written(fits);
  if (text.size() > bounds.bytes) {
    Shorten(fits);
    fits["left_out"]["texts"] = fmt::format("cut at {} bytes", kShortText);
    text = Written(fits);
  }
  if (text.size() > bounds.bytes)
    throw Error(
        fmt::format("the shortest answer has {} bytes: ask again with max_bytes={}.", text.size(), text.size()));
  answer = std::move(fits);
  return text;
}

}  // namespace culprit::mcp
