// SPDX-License-Identifier: Apache-2.0
#include "bench/foreign/chrome_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "bench/foreign/json_value.h"
#include "db/error.h"

namespace culprit {

using nlohmann::json;

namespace {

constexpr const char* kEvents = "traceEvents";
constexpr double kMostWhole = 9e18;

// What readers ask of the document, besides its events. Other members may be large.
constexpr const char* kKept[] = {"deviceProperties", "distributedInfo", "baseTimeNanoseconds"};
constexpr std::string_view kVersion = "_version";  // at the end of a name
bool IsKept(const std::string& name) {
  return std::ranges::find(kKept, name) != std::end(kKept) || name.ends_with(kVersion);
}

// The documents' own levels: the list of events is a member of the outermost object.
constexpr int kMembers = 1, kElements = 2;

}  // namespace

bool LooksLikeChromeTrace(std::string_view text) { return text.find(fmt::format("\"{}\"", kEvents)) != text.npos; }

const json& ChromeEvent::Arguments() const {
  static const json kNone = json::object();
  const auto found = event_.find("args");
  return found != event_.end() && found->is_object() ? *found : kNone;
}

std::string ChromeEvent::TextIn(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

std::optional<double> ChromeEvent::NumberIn(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  const double value = found->get<double>();
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

namespace {

std::int64_t WholeOf(std::optional<double> value, std::int64_t otherwise) {
  return value && std::abs(*value) < kMostWhole ? static_cast<std::int64_t>(*value) : otherwise;
}

std::int64_t NsOf(std::optional<double> us) {
  return us && *us >= 0 && *us * 1e3 < kMostWhole ? std::llround(*us * 1e3) : -1;
}

}  // namespace

std::int64_t ChromeEvent::Whole(const char* key, std::int64_t otherwise) const {
  return WholeOf(Number(key), otherwise);
}

std::int64_t ChromeEvent::WholeArgument(const char* key, std::int64_t otherwise) const {
  return WholeOf(NumberArgument(key), otherwise);
}

std::int64_t ChromeEvent::StartNs() const { return NsOf(Number("ts")); }

std::int64_t ChromeEvent::EndNs() const {
  const auto start = Number("ts"), duration = Number("dur");
  const std::int64_t from = NsOf(start), length = NsOf(duration);
  return from < 0 || length < 0 || from > static_cast<std::int64_t>(kMostWhole) - length ? -1 : from + length;
}

void ChromeEvent::Complain(std::string_view what) const {
  throw Error(fmt::format("{}: {}[{}] {}; nothing was imported", file_, kEvents, number_, what));
}

json ForEachChromeEvent(std::string_view text, const std::string& name,
                        const std::function<void(const ChromeEvent&)>& read) {
  bool is_in_events = false, had_events = false;
  std::size_t number = 0;
  json document = ParseJson(text, name, [&](int depth, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::key && depth == kMembers) {
      is_in_events = parsed == kEvents;
      had_events |= is_in_events;
      return is_in_events || IsKept(parsed.get_ref<const std::string&>());
    }
    if (!is_in_events || depth != kElements) return true;
    if (event == json::parse_event_t::object_end) {
      read(ChromeEvent(parsed, name, number++));
      return false;
    }
    return event == json::parse_event_t::object_start;
  });
  if (!had_events) throw Error(fmt::format("{}: it has no list of {} at its top; nothing was imported", name, kEvents));
  return document;
}

}  // namespace culprit
