// SPDX-License-Identifier: Apache-2.0
#include "bench/sass_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "db/database.h"

namespace culprit {
namespace {

using nlohmann::json;

ReadingStatus StatusFrom(const json& text) {
  for (const ReadingStatus status : {ReadingStatus::kDenied, ReadingStatus::kUnsupported})
    if (text == ToText(status)) return status;
  return ReadingStatus::kFailed;
}

json ToJson(const InstructionRecord& i) {
  return {{"function", i.function}, {"pc", i.pc_offset},  {"file", i.source_file},
          {"line", i.source_line},  {"opcode", i.opcode}, {"counts", i.counts}};
}

// Throws json::exception where the JSON has another shape, nullopt where its content cannot be right.
std::optional<std::vector<InstructionRecord>> InstructionsFrom(const json& list, const std::vector<Reading>& readings) {
  std::set<std::string> asked;
  for (const Reading& r : readings) asked.insert(r.metric.id);
  std::vector<InstructionRecord> instructions;
  std::set<std::pair<std::string, std::int64_t>> seen;
  for (const json& entry : list) {
    const json &pc = entry.at("pc"), &line = entry.at("line");
    // JSON takes any number; one that is too large for an integer has no meaning as one.
    if (!pc.is_number_integer() || !line.is_number_integer() || line.get<std::int64_t>() != line.get<int>())
      return std::nullopt;
    InstructionRecord i{entry.at("function"), pc, entry.at("file"), line, {}, entry.at("opcode")};
    for (const auto& [metric, value] : entry.at("counts").items()) {
      if (!asked.contains(metric)) return std::nullopt;
      i.counts[metric] = value.get<double>();
    }
    if (!seen.insert({i.function, i.pc_offset}).second) return std::nullopt;
    instructions.push_back(std::move(i));
  }
  return instructions;
}

}  // namespace

std::string ToJsonLine(const SassReport& report) {
  json readings = json::object();
  for (const Reading& r : report.readings) {
    if (r.value)
      readings[r.metric.id] = *r.value;
    else
      readings[r.metric.id] = std::string(ToText(r.status));
  }
  json instructions = json::array();
  for (const InstructionRecord& i : report.instructions) instructions.push_back(ToJson(i));
  json line{{"readings", std::move(readings)},
            {"instructions", std::move(instructions)},
            {"function", report.function},
            {"seconds", report.seconds}};
  if (report.trouble) line["trouble"] = {{"code", report.trouble->code}, {"text", report.trouble->text}};
  // A path or a sentence need not be UTF-8; a report must not fail for it.
  return line.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::optional<SassReport> ParseSassReport(std::string_view line, const std::vector<MetricDefinition>& metrics) try {
  const json report_json = json::parse(line, nullptr, false);
  if (!report_json.is_object() || !report_json.contains("readings")) return std::nullopt;
  SassReport report;
  const json& readings = report_json["readings"];
  for (const MetricDefinition& metric : metrics) {
    Reading r{metric, std::nullopt, ReadingStatus::kFailed};
    if (const auto found = readings.find(metric.id); found != readings.end()) {
      if (found->is_number())
        r = {metric, found->get<double>(), ReadingStatus::kOk};
      else
        r.status = StatusFrom(*found);
    }
    report.readings.push_back(std::move(r));
  }
  report.function = report_json.value("function", "");
  report.seconds = report_json.value("seconds", 0.0);
  if (report_json.contains("trouble"))
    report.trouble = Warning{report_json["trouble"].at("code"), report_json["trouble"].at("text")};
  std::optional<std::vector<InstructionRecord>> instructions;
  try {
    instructions = InstructionsFrom(report_json.value("instructions", json::array()), report.readings);
  } catch (const json::exception&) {
  }
  if (instructions) {
    report.instructions = std::move(*instructions);
  } else if (!report.trouble) {
    report.trouble = Warning{"sass_failed",
                             "the counts of single instructions contradict themselves and were dropped: "
                             "record the stage again"};
  }
  return report;
} catch (const json::exception&) {
  return std::nullopt;
}

}  // namespace culprit
