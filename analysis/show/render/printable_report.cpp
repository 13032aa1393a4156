// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <utility>

#include "analysis/number/printable.h"
#include "analysis/show/render/report.h"

namespace culprit {
namespace {

struct Cleaner {
  void operator()(std::string& text) const { text = Printable(text); }
  template <class T>
  void operator()(std::vector<T>& all) const {
    for (T& one : all) (*this)(one);
  }
  void operator()(Column& c) const { All(c.key, c.title); }
  void operator()(Fact& f) const { All(f.key, f.title, f.value); }
  void operator()(ReportTable& t) const { All(t.key, t.title, t.columns, t.rows, t.notes); }
  void operator()(ItemTitles& t) const { All(t.key, t.weight, t.text); }
  void operator()(Item& i) const { All(i.key, i.text, i.evidence, i.brief, i.details, i.more, i.gain); }
  void operator()(Span& s) const { All(s.text); }
  void operator()(Drawing& d) const { All(d.lines); }
  void operator()(Section& s) const {
    All(s.key, s.title, s.facts, s.tables, s.items, s.notes, s.item_titles, s.drawings, s.intro);
  }
  void operator()(std::optional<Banner>& b) const {
    if (b) All(b->text);
  }
  void operator()(Chart& c) const { All(c.title, c.text, c.section, c.data); }
  void operator()(Cell& cell) const {
    if (auto* text = std::get_if<std::string>(&cell)) {
      All(*text);
    } else if (auto* pairs = std::get_if<Pairs>(&cell)) {
      Pairs clean;
      for (const auto& [name, value] : *pairs) clean[Printable(name)] = Printable(value);
      *pairs = std::move(clean);
    } else if (auto* stored = std::get_if<Stored>(&cell)) {
      if (auto* words = std::get_if<std::string>(&stored->value)) All(*words);
    }
  }

  template <class... Parts>
  void All(Parts&... parts) const {
    ((*this)(parts), ...);
  }
};

}  // namespace

Report Printable(Report r) {
  Cleaner().All(r.title, r.answer, r.context, r.warnings, r.sections, r.notes, r.charts, r.intro, r.banner);
  return r;
}

}  // namespace culprit
