// SPDX-License-Identifier: Apache-2.0
#include "bench/foreign/ncu_metrics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <tuple>

#include "analysis/launch/derived_facts.h"
#include "bench/foreign/ncu_opcodes.h"
#include "db/error.h"
#include "db/launch_facts.h"
#include "db/metric_catalogue.h"

namespace culprit {
namespace {

// What ncu's sections hold in place of a sum: a mean of it, over something that we know the sum of.
struct Derived {
  std::string_view id, column;
  std::string_view times;  // our id; empty: the column is another name of the same
};
constexpr Derived kDerived[] = {
    {"sm_cycles_elapsed_max", "gpc__cycles_elapsed.max", ""},
    {"thread_inst_executed", "thread_inst_executed", ""},
    {"shared_load_inst", "smsp__sass_inst_executed_op_shared_ld.sum", ""},
    {"shared_store_inst", "smsp__sass_inst_executed_op_shared_st.sum", ""},
    {"global_load_inst", "smsp__sass_inst_executed_op_global_ld.sum", ""},
    {"global_store_inst", "smsp__sass_inst_executed_op_global_st.sum", ""},
    {"local_load_inst", "smsp__sass_inst_executed_op_local_ld.sum", ""},
    {"local_store_inst", "smsp__sass_inst_executed_op_local_st.sum", ""},
    // On every chip of the catalogue a sub-partition issues one instruction in a cycle in which it issues.
    {"issue_active", "smsp__inst_issued.sum", ""},
    // Of the passes that the warp states are of, where their sum is to fit the states.
    {"warps_active", "smsp__average_warp_latency_per_inst_issued.ratio", "inst_issued"},
    {"warps_active", "smsp__warps_active.avg.per_cycle_active", "smsp_cycles_active"},
};
constexpr std::string_view kStall = "stall_";

// Facts of the loaded kernel (db/records.h, StaticAttribute, behind "launch_") that ncu prints as well.
struct OfLaunch {
  std::string_view id, column, unit, meaning;
  double factor = 1;
};
constexpr OfLaunch kOfLaunch[] = {
    {"launch_block_threads", "launch__block_size", "thread", "threads per block of the launch"},
    {"launch_theoretical_occupancy", "sm__maximum_warps_per_active_cycle_pct", "%",
     "warps that fit an SM, of the most that it can hold", 0.01},
    {"launch_theoretical_warps_per_sm", "sm__maximum_warps_avg_per_active_cycle", "warp", "warps that fit an SM"},
    {"launch_blocks_per_sm_by_registers", "launch__occupancy_limit_registers", "block", "blocks that registers allow"},
    {"launch_blocks_per_sm_by_shared", "launch__occupancy_limit_shared_mem", "block",
     "blocks that shared memory allows"},
    {"launch_blocks_per_sm_by_warps", "launch__occupancy_limit_warps", "block", "blocks that resident warps allow"},
    {"launch_blocks_per_sm_by_blocks", "launch__occupancy_limit_blocks", "block", "blocks that an SM can hold"},
};

// Sums, extremes, and what the launch and the device have of anything, where ncu has not scaled them.
bool IsCounted(std::string_view column, std::string_view unit) {
  const bool is_number = column.ends_with(".sum") || column.ends_with(".max") || column.ends_with(".min") ||
                         column.starts_with("launch__") || column.starts_with("device__");
  return is_number && IsCountedIn(unit);
}

// Names of metrics begin with a small letter, those of other columns ("CC", "Grid Size") do not.
Thousands ThousandsIn(const NcuTable& table) {
  std::vector<NcuField> fields;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const std::string& column = table.columns[c];
    if (column.empty() || column[0] < 'a' || column[0] > 'z') continue;
    const bool is_counted = IsCounted(column, table.units[c]);
    for (const CsvRow& row : table.rows) fields.push_back({row.fields[c], is_counted});
  }
  return ThousandsOf(fields);
}

constexpr const char* kTime = "gpu__time_duration.sum";

// Of what was counted instruction by instruction, in `column`.
MetricDefinition ExactMetric(std::string_view id, std::string_view column) {
  MetricDefinition metric{std::string(id), "sass", std::string(column), "", ""};
  if (const CatalogueMetric* known = FindMetric(id)) {
    metric.unit = known->unit, metric.meaning = known->meaning;
  } else if (const DerivedFact* fact = FindDerivedFact(id)) {
    metric.unit = fact->unit, metric.meaning = fact->how;
  }
  return metric;
}

}  // namespace

NcuMetrics::NcuMetrics(const NcuTable& table, std::string_view name)
    : table_(table), name_(name), thousands_(ThousandsIn(table)) {
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (const auto [known, is_new] = columns_.try_emplace(table.columns[i], i); !is_new)
      RefuseAnother(known->second, i);
}

void NcuMetrics::RefuseAnother(std::size_t known, std::size_t column) const {
  const auto differs = [&](const CsvRow& row) { return row.fields[known] != row.fields[column]; };
  if (table_.units[known] != table_.units[column] || std::ranges::any_of(table_.rows, differs))
    throw Error(fmt::format("{} has two columns {} that differ; nothing was imported", name_, table_.columns[column]));
}

std::optional<std::size_t> NcuMetrics::IndexOf(std::string_view column) const {
  const auto found = columns_.find(column);
  return found == columns_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<double> NcuMetrics::ValueAt(const CsvRow& row, std::size_t column, double scale) const {
  const std::string& field = row.fields[column];
  if (IsNoNcuNumber(field)) return std::nullopt;
  const auto value = NcuNumber(field, thousands_);
  if (!value || *value < 0)
    throw Error(fmt::format("{} line {}: {} is '{}', which is no number of a counter; nothing was imported", name_,
                            row.line, table_.columns[column], field.substr(0, 80)));
  return *value * scale;
}

std::optional<double> NcuMetrics::NumberAt(const CsvRow& row, std::string_view column, std::string_view unit) const {
  const auto index = IndexOf(column);
  if (!index) return std::nullopt;
  const auto scale = ScaleOf(table_.units[*index], unit);
  return scale ? ValueAt(row, *index, *scale) : std::nullopt;
}

std::optional<double> NcuMetrics::ClockMhz(const CsvRow& row, double us) const {
  // Of the SMs, or of the clusters that hold them: one clock drives both.
  for (const char* column : {"sm__cycles_elapsed.max", "smsp__cycles_elapsed.max", "gpc__cycles_elapsed.max"})
    if (const auto cycles = NumberAt(row, column, "cycle"); cycles && *cycles >= us * 1e-2 && *cycles <= us * 1e6)
      return *cycles / us;
  return std::nullopt;
}

void NcuMetrics::Add(MetricDefinition metric, std::string_view column, std::string_view times) {
  const std::size_t index = columns_.at(column);
  // A mean has the unit of its sum, or says what it is a mean over; it is a number that multiplies one.
  const auto scale = ScaleOf(table_.units[index], times.empty() ? metric.unit : "");
  if (!scale) return unknown_units_.push_back(fmt::format("{} ('{}')", column, table_.units[index]));
  metric.cupti_name = column;
  chosen_.push_back({std::move(metric), index, *scale, std::string(times)});
}

void NcuMetrics::Choose(std::string_view chip) {
  is_hopper_ = chip == ChipWith(9, 0);
  if (const auto time = IndexOf(kTime); time && !ScaleOf(table_.units[*time], "us"))
    unknown_units_.push_back(fmt::format("{} ('{}')", kTime, table_.units[*time]));
  for (const CatalogueMetric& m : MetricCatalogue()) {
    const auto has = [&](std::optional<std::string_view> column) { return column && columns_.contains(*column); };
    const MetricDefinition metric = DefinitionOf(m, "");
    if (const auto name = NcuNameOn(m, chip); has(name)) {
      Add(metric, *name, "");
      continue;
    }
    if (m.id.starts_with(kStall)) {
      const std::string ratio =
          fmt::format("smsp__average_warps_issue_stalled_{}_per_issue_active.ratio", m.id.substr(kStall.size()));
      if (has(ratio)) Add(metric, ratio, "issue_active");
    }
    const auto derived =
        std::ranges::find_if(kDerived, [&](const Derived& d) { return d.id == m.id && has(d.column); });
    if (derived != std::end(kDerived)) Add(metric, derived->column, derived->times);
  }
}

void NcuMetrics::AddCountersOfOpcodes(const CsvRow& row, std::vector<Reading>& readings) {
  for (const auto& [column, counters_of] :
       {std::pair(kExecutedByOpcode, &CountersOfWarps), {kThreadsByOpcode, &CountersOfThreads}}) {
    const auto index = IndexOf(column);
    if (!index || ScaleOf(table_.units[*index], "inst") != 1) continue;
    const std::string& field = row.fields[*index];
    const auto counts = NcuOpcodeCounts(field, thousands_);
    if (!counts) {
      unread_lists_ += field.find('(') != field.npos ? 1 : 0;
      continue;
    }
    for (const auto& [id, value] : counters_of(*counts, is_hopper_)) {
      const auto known = std::ranges::find_if(readings, [&](const Reading& r) { return r.metric.id == id; });
      if (known == readings.end())
        readings.push_back({ExactMetric(id, column), value, ReadingStatus::kOk});
      else if (!known->value)
        *known = {ExactMetric(id, column), value, ReadingStatus::kOk};
    }
  }
}

std::vector<Reading> NcuMetrics::ReadingsOf(const CsvRow& row) {
  std::vector<Reading> readings;
  std::map<std::string_view, double> known;
  const auto read = [&](const Chosen& c, double scale) {
    const auto value = ValueAt(row, c.column, scale);
    if (value) known[c.metric.id] = *value;
    readings.push_back({c.metric, value, value ? ReadingStatus::kOk : ReadingStatus::kUnsupported});
  };
  for (const Chosen& c : chosen_)
    if (c.times.empty()) read(c, c.scale);
  for (const Chosen& c : chosen_) {
    if (c.times.empty()) continue;
    if (const auto times = known.find(c.times); times != known.end()) read(c, c.scale * times->second);
  }
  AddCountersOfOpcodes(row, readings);
  std::vector<StaticAttribute> attributes;
  for (const auto& [name, column, unit] : {std::tuple("registers", "launch__registers_per_thread", "register"),
                                           {"static_shared_bytes", "launch__shared_mem_per_block_static", "byte"}})
    if (const auto value = NumberAt(row, column, unit)) attributes.push_back({name, "launch", value});
  for (const OfLaunch& l : kOfLaunch)
    if (const auto value = NumberAt(row, l.column, l.unit))
      readings.push_back({{std::string(l.id), "launch", "", std::string(l.unit), std::string(l.meaning)},
                          *value * l.factor,
                          ReadingStatus::kOk});
  if (!readings.empty() || !attributes.empty())
    for (Reading& fact : LaunchFacts(attributes, 1)) readings.push_back(std::move(fact));
  return readings;
}

std::vector<Warning> NcuMetrics::Warnings() const {
  std::vector<Warning> warnings;
  if (const auto computed = std::ranges::count_if(chosen_, [](const Chosen& c) { return !c.times.empty(); });
      computed > 0)
    warnings.push_back(
        {"computed_counts",
         fmt::format(
             "{} counts were computed from ncu's means, which it prints with few digits: warp states and resident "
             "warps among them.",
             computed)});
  if (unread_lists_ > 0)
    warnings.push_back(
        {"unread_opcodes", fmt::format("{} lists of counts by opcode were left out: an entry is not an opcode and its "
                                       "count, or they do not add up to their total.",
                                       unread_lists_)});
  if (!unknown_units_.empty())
    warnings.push_back(
        {"unknown_units",
         fmt::format("{} metrics have units that are not known and were left out: {}{}.", unknown_units_.size(),
                     fmt::join(std::span(unknown_units_).first(std::min<std::size_t>(unknown_units_.size(), 3)), ", "),
                     unknown_units_.size() > 3 ? ", ..." : "")});
  return warnings;
}

}  // namespace culprit
