// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <set>
#include <string_view>

#include "analysis/show/render/cut_lists.h"
#include "analysis/show/render/json_cell.h"
#include "analysis/show/render/report.h"

namespace culprit {
namespace {

using Json = OrderedJson;

Json FromFacts(const std::vector<Fact>& facts) {
  Json object = Json::object();
  for (const Fact& fact : facts) Put(object, fact.key, fact.value);
  return object;
}

Json FromTable(const ReportTable& table) {
  std::set<std::string_view> names;
  for (const Column& column : table.columns)
    if (!names.insert(column.key).second)
      throw Error(
          fmt::format("two columns are named {} and JSON would keep one of them: give each a name of its own with AS, "
                      "or take --format csv.",
                      column.key));
  Json rows = Json::array();
  for (const auto& row : table.rows) {
    Json object = Json::object();
    for (std::size_t c = 0; c < table.columns.size(); ++c) Put(object, table.columns[c].key, row[c]);
    rows.push_back(std::move(object));
  }
  return rows;
}

Json FromItem(const Item& item) {
  Json object = {{"id", item.key}};
  Put(object, "weight_us", item.weight);
  object["text"] = item.text;
  if (!item.brief.empty()) object["brief"] = item.brief;
  object["evidence"] = FromFacts(item.evidence);
  std::vector<std::string> details = item.details;
  details.insert(details.end(), item.more.begin(), item.more.end());
  if (!details.empty()) object["details"] = std::move(details);
  if (!item.gain.empty()) object["gain"] = FromFacts(item.gain);
  return object;
}

// Facts, tables and lists of a section share one object; their keys must differ.
Json FromSection(const Section& section) {
  Json object = FromFacts(section.facts);
  for (const ReportTable& table : section.tables) {
    if (table.key.empty()) continue;
    object[table.key] = FromTable(table);
    if (!table.notes.empty()) object[table.key + "_notes"] = table.notes;
  }
  if (section.itemised || !section.items.empty()) {
    object["items"] = Json::array();
    for (const Item& item : section.items) object["items"].push_back(FromItem(item));
  }
  if (!section.notes.empty()) object["notes"] = section.notes;
  return object;
}

void PutFields(Json& object, const Fields& fields);

Json FromTree(const Tree& tree) {
  if (const auto* cell = std::get_if<Cell>(&tree)) {
    Json alone;
    Put(alone, "", *cell);
    return alone[""];
  }
  if (const auto* flag = std::get_if<bool>(&tree)) return *flag;
  if (const auto* fields = std::get_if<Fields>(&tree)) {
    Json object = Json::object();
    PutFields(object, *fields);
    return object;
  }
  Json list = Json::array();
  for (const Tree& one : std::get<std::vector<Tree>>(tree)) list.push_back(FromTree(one));
  return list;
}

void PutFields(Json& object, const Fields& fields) {
  for (const auto& [key, tree] : fields)
    if (const auto* cell = std::get_if<Cell>(&tree))
      Put(object, key, *cell);
    else
      object[key] = FromTree(tree);
}

// Of a bare report.
const ReportTable& TableOf(const Report& report) { return report.sections.at(0).tables.at(0); }

Json FromReport(const Report& report) {
  Json json = {{"schema", 2}, {"kind", report.kind}};
  if (!report.fields.empty()) {
    PutFields(json, report.fields);
    return json;
  }
  json["title"] = report.title;
  json["context"] = FromFacts(report.identity);
  json["warnings"] = report.warnings;
  for (const Section& section : report.sections) {
    if (section.key.empty()) continue;
    if (section.repeated)
      json[section.key].push_back(FromSection(section));
    else
      json[section.key] = FromSection(section);
  }
  if (!report.notes.empty()) json["notes"] = report.notes;
  return json;
}

}  // namespace

void RenderJson(const Report& report, std::ostream& out) {
  Write(report.bare ? FromTable(TableOf(report)) : FromReport(report), out);
}

void RenderJson(const Report& report, std::ostream& out, std::size_t top) {
  Json json = report.bare ? Json{{"rows", FromTable(TableOf(report))}} : FromReport(report);
  Json left_out = CutLists(json, top);
  json["left_out"] = std::move(left_out);
  Write(std::move(json), out);
}

}  // namespace culprit
