// SPDX-License-Identifier: Apache-2.0
#include "analysis/why/factor_topics.h"

#include <cctype>
#include <string>

#include "analysis/causes/cause.h"

namespace culprit {
namespace {

std::string Lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::vector<FactorTopic> Between(const FactorChange& change, const std::string& with, const std::string& without) {
  const std::string factor = Lower(change.factor), a = Lower(with), b = Lower(without);
  std::vector<FactorTopic> topics;
  for (const Cause& cause : Causes())
    for (const Topic& topic : cause.topics)
      if (topic.factor == factor && topic.suspect(a) && !topic.suspect(b))
        topics.push_back({cause.id, topic.made_for_it});
  return topics;
}

}  // namespace

std::vector<FactorTopic> CausesRemovedBy(const FactorChange& change) {
  return Between(change, change.base, change.candidate);
}

std::vector<FactorTopic> CausesAddedBy(const FactorChange& change) {
  return Between(change, change.candidate, change.base);
}

}  // namespace culprit
