// SPDX-License-Identifier: Apache-2.0
#include "analysis/cli/query_output.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace culprit {
namespace {

std::string Text(const Value& value, std::string_view null) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *integer);
  if (const auto* real = std::get_if<double>(&value)) return fmt::format("{}", *real);
  return std::string(null);
}

bool IsText(const Value& value) { return std::holds_alternative<std::string>(value); }

void RenderText(const Table& table, std::ostream& out) {
  const std::size_t n = table.columns.size();
  std::vector<std::size_t> width(n);
  std::vector<bool> left(n, false);
  for (std::size_t c = 0; c < n; ++c) {
    width[c] = table.columns[c].size();
    for (const auto& row : table.rows) {
      width[c] = std::max(width[c], Text(row[c], "NULL").size());
      left[c] = left[c] || IsText(row[c]);
    }
  }
  const auto line = [&](const auto& cell) {
    std::string text;
    for (std::size_t c = 0; c < n; ++c)
      text += left[c] ? fmt::format("{:<{}}  ", cell(c), width[c]) : fmt::format("{:>{}}  ", cell(c), width[c]);
    text.erase(text.find_last_not_of(' ') + 1);
    out << text << '\n';
  };
  line([&](std::size_t c) { return table.columns[c]; });
  line([&](std::size_t c) { return std::string(width[c], '-'); });
  for (const auto& row : table.rows) line([&](std::size_t c) { return Text(row[c], "NULL"); });
}

void RenderMarkdown(const Table& table, std::ostream& out) {
  const auto escape = [](std::string text) {
    for (std::size_t at = 0; (at = text.find_first_of("|\n", at)) != text.npos; at += 2)
      text.replace(at, 1, text[at] == '|' ? "\\|" : "  ");
    return text;
  };
  out << '|';
  for (const std::string& column : table.columns) out << ' ' << escape(column) << " |";
  out << "\n|";
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const bool text =
        std::any_of(table.rows.begin(), table.rows.end(), [&](const auto& row) { return IsText(row[c]); });
    out << (text ? "---|" : "---:|");
  }
  out << '\n';
  for (const auto& row : table.rows) {
    out << '|';
    for (const Value& value : row) out << ' ' << escape(Text(value, "NULL")) << " |";
    out << '\n';
  }
}

// RFC 4180. NULL is an empty field and an empty text is "".
void RenderCsv(const Table& table, std::ostream& out) {
  const auto quote = [](const std::string& text) {
    if (!text.empty() && text.find_first_of(",\"\r\n") == text.npos) return text;
    std::string quoted = "\"";
    for (char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
    return quoted + '"';
  };
  for (std::size_t c = 0; c < table.columns.size(); ++c) out << (c ? "," : "") << quote(table.columns[c]);
  out << '\n';
  for (const auto& row : table.rows) {
    for (std::size_t c = 0; c < row.size(); ++c)
      out << (c ? "," : "") << (IsText(row[c]) ? quote(Text(row[c], "")) : Text(row[c], ""));
    out << '\n';
  }
}

void RenderJson(const Table& table, std::ostream& out) {
  using Json = nlohmann::ordered_json;
  Json rows = Json::array();
  for (const auto& row : table.rows) {
    Json object = Json::object();
    for (std::size_t c = 0; c < table.columns.size(); ++c)
      std::visit(
          [&](const auto& value) {
            if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::monostate>)
              object[table.columns[c]] = nullptr;
            else
              object[table.columns[c]] = value;
          },
          row[c]);
    rows.push_back(std::move(object));
  }
  out << rows.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

}  // namespace

void RenderQuery(const Table& table, std::string_view format, std::ostream& out) {
  if (format == "json") return RenderJson(table, out);
  if (format == "csv") return RenderCsv(table, out);
  if (format == "md") return RenderMarkdown(table, out);
  RenderText(table, out);
}

}  // namespace culprit
