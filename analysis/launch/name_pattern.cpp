// SPDX-License-Identifier: Apache-2.0
#include "analysis/launch/name_pattern.h"

#include <fmt/core.h>
#include <re2/re2.h>

#include "db/error.h"

namespace culprit {
namespace {

// The memory of an expression and of a search. Names need a small part of it.
constexpr std::int64_t kMostPatternBytes = std::int64_t{8} << 20;

constexpr std::size_t kMostQuoted = 60;

std::string Quoted(const std::string& text) {
  return text.size() <= kMostQuoted ? text : text.substr(0, kMostQuoted) + "...";
}

}  // namespace

NamePattern::NamePattern(const char* option, const std::string& expression) {
  RE2::Options options;
  options.set_max_mem(kMostPatternBytes);
  options.set_log_errors(false);
  expression_ = std::make_shared<const RE2>(expression, options);
  if (expression_->ok()) return;
  // RE2's message may quote the whole expression, so show its kind and the start of the expression.
  const std::string& error = expression_->error();
  throw Error(
      fmt::format("{} takes a regular expression that a kernel's name has, such as 'gemm|softmax', not '{}' ({}).",
                  option, Quoted(expression), error.substr(0, error.find(':'))));
}

const std::string& NamePattern::text() const { return expression_->pattern(); }

bool NamePattern::Finds(std::string_view name) const {
  return RE2::PartialMatch(re2::StringPiece(name.data(), name.size()), *expression_);
}

}  // namespace culprit
