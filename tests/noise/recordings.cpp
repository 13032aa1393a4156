// SPDX-License-Identifier: Apache-2.0
#include "tests/noise/recordings.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "db/error.h"

namespace culprit::testing {
namespace {

constexpr std::string_view kHeader = "device,kernel,variant,process,sample,time_us,clock_mhz,low_clock";

// None of the fields holds a comma; an empty clock is one that was not measured.
struct Line {
  std::string device, kernel, variant;
  int process = 0;
  Sample sample;
};

double Number(const std::string& text) {
  std::istringstream in(text);
  double number = 0;
  if (!(in >> number) || in.peek() != std::istringstream::traits_type::eof())
    throw Error(fmt::format("'{}' is not a number", text));
  return number;
}

Line Parse(const std::string& text) {
  std::vector<std::string> fields;
  std::istringstream in(text);
  for (std::string field; std::getline(in, field, ',');) fields.push_back(field);
  if (fields.size() != 8) throw Error(fmt::format("there are {} fields, not 8", fields.size()));
  Line line{fields[0], fields[1], fields[2], static_cast<int>(Number(fields[3])), {}};
  line.sample.repetition = static_cast<int>(Number(fields[4]));
  line.sample.time_us = Number(fields[5]);
  if (!fields[6].empty()) line.sample.clock_mhz = Number(fields[6]);
  line.sample.low_clock = Number(fields[7]) != 0;
  return line;
}

}  // namespace

std::vector<Recording> ReadRecordings(const std::string& path) {
  std::ifstream in(path);
  std::string text;
  if (!std::getline(in, text) || text != kHeader)
    throw Error(fmt::format("{} does not begin with '{}': write it with script/record-noise", path, kHeader));
  std::vector<Recording> recordings;
  for (int number = 2; std::getline(in, text); ++number) try {
      const Line line = Parse(text);
      if (recordings.empty() || recordings.back().kernel != line.kernel || recordings.back().variant != line.variant ||
          recordings.back().process != line.process)
        recordings.push_back({line.device, line.kernel, line.variant, line.process, {}});
      recordings.back().samples.push_back(line.sample);
    } catch (const Error& e) {
      throw Error(fmt::format("{}:{}: {}", path, number, e.what()));
    }
  return recordings;
}

}  // namespace culprit::testing
