// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "analysis/show/render/report.h"
#include "analysis/show/render/tabulate.h"
#include "analysis/timeline/unit_rates.h"

namespace culprit {

// What each rate of a timeline is. Only for programs: "formulas".
inline ReportTable FormulaTable() {
  return ForPrograms<UnitRate>("formulas", UnitRates(),
                               {{"unit", [](const UnitRate& r) { return std::string(r.id); }},
                                {"title", [](const UnitRate& r) { return std::string(r.title); }},
                                {"formula", [](const UnitRate& r) { return std::string(r.what); }}});
}

}  // namespace culprit
