// SPDX-License-Identifier: Apache-2.0
#include "analysis/show/render/json_cell.h"

#include <fmt/core.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "analysis/number/printable.h"

namespace culprit {
namespace {

// Up to this, every integer is exactly a double.
constexpr double kExact = 9007199254740992.0;

OrderedJson FromStored(const Value& value) {
  return std::visit(
      [](const auto& v) -> OrderedJson {
        if constexpr (std::is_same_v<std::decay_t<decltype(v)>, std::monostate>)
          return nullptr;
        else
          return v;
      },
      value);
}

bool IsFinite(const OrderedJson& value) { return !value.is_number_float() || std::isfinite(value.get<double>()); }

std::string NameOf(double not_finite) { return std::isnan(not_finite) ? "nan" : not_finite < 0 ? "-inf" : "inf"; }

void NameWhatIsNotFinite(OrderedJson& json) {
  std::vector<std::string> keys;
  for (auto value = json.begin(); json.is_structured() && value != json.end(); ++value) {
    NameWhatIsNotFinite(*value);
    if (IsFinite(*value)) continue;
    if (json.is_object())
      keys.push_back(value.key());
    else
      *value = NameOf(value->get<double>());  // the value has no key of its own for a status
  }
  for (const std::string& key : keys) {
    const std::string status = key + "_status", name = NameOf(json[key].get<double>());
    if (json.contains(status))
      throw Error(
          fmt::format("{} is {}, which JSON says in {}, and that name is taken: give one of them another name with AS, "
                      "or take --format csv.",
                      key, name, status));
    json[status] = name;
    json[key] = nullptr;
  }
}

}  // namespace

void Write(OrderedJson json, std::ostream& out) {
  NameWhatIsNotFinite(json);
  out << PrintableJson(json.dump(2, ' ', false, OrderedJson::error_handler_t::replace)) << '\n';
}

void Put(OrderedJson& object, const std::string& key, const Measured& value) {
  if (!value) {
    object[key] = nullptr;
    object[key + "_status"] = ToText(value.absence());
  } else if (*value == std::floor(*value) && std::abs(*value) <= kExact) {
    object[key] = static_cast<std::int64_t>(*value);
  } else {
    object[key] = *value;
  }
}

void Put(OrderedJson& object, const std::string& key, const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell))
    object[key] = *text;
  else if (const auto* pairs = std::get_if<Pairs>(&cell))
    object[key] = OrderedJson(*pairs);
  else if (const auto* stored = std::get_if<Stored>(&cell))
    object[key] = FromStored(stored->value);
  else
    Put(object, key, std::get<Number>(cell).value);
}

}  // namespace culprit
