// SPDX-License-Identifier: Apache-2.0
#include "analysis/show/render/cut_lists.h"

namespace culprit {
namespace {

void Cut(OrderedJson& json, std::size_t top, const std::string& path, OrderedJson& left_out) {
  if (json.is_array()) {
    if (json.size() > top) {
      left_out[path] = left_out.value(path, std::size_t{0}) + (json.size() - top);
      json.erase(json.begin() + static_cast<std::ptrdiff_t>(top), json.end());
    }
    for (OrderedJson& element : json) Cut(element, top, path + "[]", left_out);
  } else if (json.is_object()) {
    for (const auto& [key, value] : json.items()) Cut(value, top, path.empty() ? key : path + '.' + key, left_out);
  }
}

}  // namespace

OrderedJson CutLists(OrderedJson& json, std::size_t top) {
  OrderedJson left_out = OrderedJson::object();
  Cut(json, top, "", left_out);
  return left_out;
}

}  // namespace culprit
