// SPDX-License-Identifier: Apache-2.0
#include "bench/timing_report.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>

#include "db/database.h"

namespace culprit {
namespace {

using nlohmann::json;

// JSON has no infinity, which an error over its bound may be.
json FromNumber(const std::optional<double>& value) { return value ? json(fmt::format("{}", *value)) : json(); }

std::optional<double> ToNumber(const json& value) {
  if (value.is_null()) return std::nullopt;
  return std::strtod(value.get<std::string>().c_str(), nullptr);
}

template <class Enum>
Enum FromText(const json& text, std::initializer_list<Enum> known, Enum otherwise) {
  for (const Enum one : known)
    if (text == ToText(one)) return one;
  return otherwise;
}

json ToJson(const LaunchRecord& r) {
  return {{"arch", r.arch},
          {"kernel", r.kernel},
          {"grid", {r.grid_x, r.grid_y, r.grid_z}},
          {"block", {r.block_x, r.block_y, r.block_z}},
          {"dynamic_shared_bytes", r.dynamic_shared_bytes},
          {"state", std::string(ToText(r.state))},
          {"message", r.message},
          {"error_over_bound", FromNumber(r.verify_error_over_bound)},
          {"reference", r.verify_reference}};
}

LaunchRecord LaunchFrom(const json& j) {
  LaunchRecord r;
  r.arch = j.at("arch");
  r.kernel = j.at("kernel");
  j.at("grid").at(0).get_to(r.grid_x), j.at("grid").at(1).get_to(r.grid_y), j.at("grid").at(2).get_to(r.grid_z);
  j.at("block").at(0).get_to(r.block_x), j.at("block").at(1).get_to(r.block_y), j.at("block").at(2).get_to(r.block_z);
  r.dynamic_shared_bytes = j.at("dynamic_shared_bytes");
  r.state = FromText(j.at("state"), {LaunchState::kOk, LaunchState::kRefused}, LaunchState::kFailed);
  r.message = j.at("message");
  r.verify_error_over_bound = ToNumber(j.at("error_over_bound"));
  r.verify_reference = j.at("reference");
  return r;
}

TimingReport ReportFrom(const json& j) {
  TimingReport report{j.at("name"), LaunchFrom(j.at("launch")), {}, j.at("kernels"), {}};
  for (const json& a : j.at("launched"))
    report.launched.push_back(
        {a.at(0), a.at(1), ToNumber(a.at(2)),
         FromText(a.at(3), {ReadingStatus::kOk, ReadingStatus::kUnsupported, ReadingStatus::kDenied},
                  ReadingStatus::kFailed)});
  for (const json& s : j.at("samples"))
    report.samples.push_back(
        {s.at(0), s.at(1), s.at(2).is_null() ? std::nullopt : std::optional<double>(s.at(2)), s.at(3), s.at(4)});
  return report;
}

}  // namespace

std::string ToJsonLine(const TimingReport& report) {
  json launched = json::array(), samples = json::array();
  for (const StaticAttribute& a : report.launched)
    launched.push_back({a.name, a.source, FromNumber(a.value), std::string(ToText(a.status))});
  for (const Sample& s : report.samples)
    samples.push_back({s.repetition, s.time_us, s.clock_mhz ? json(*s.clock_mhz) : json(), s.low_clock, s.gate_open});
  const json line{{"name", report.name},
                  {"launch", ToJson(report.record)},
                  {"kernels", report.kernels},
                  {"launched", std::move(launched)},
                  {"samples", std::move(samples)}};
  // A sentence need not be UTF-8; a report must not fail for it.
  return line.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::vector<TimingReport> ParseTimingReports(std::string_view lines) {
  std::vector<TimingReport> reports;
  for (std::size_t end = lines.find('\n'); end != lines.npos; end = lines.find('\n')) {
    try {
      reports.push_back(ReportFrom(json::parse(lines.substr(0, end))));
    } catch (const json::exception&) {
    }
    lines.remove_prefix(end + 1);
  }
  return reports;
}

}  // namespace culprit
