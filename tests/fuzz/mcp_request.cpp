// SPDX-License-Identifier: Apache-2.0
// A client of `culprit mcp`: each line is a message. Whatever it says, answers are JSON of a bounded length, and the
// database stays as it is.
#include <chrono>
#include <fstream>
#include <iterator>
#include <sstream>

#include "analysis/cli/culprit.h"
#include "analysis/mcp/bounded.h"
#include "analysis/mcp/session.h"
#include "db/query_limits.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/in_process.h"

namespace {

using namespace culprit;

std::string Bytes(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

mcp::CommandEnd Run(const std::vector<std::string>& words, const std::function<bool()>& stopped) {
  const LimitQueries limits({.values = kMillion, .stopped = stopped});
  std::vector<std::string> args = words;
  args.insert(args.begin() + 1, "--db=" + fuzz::Recorded());
  std::ostringstream out, err;
  const int status = Main(args, out, err, false);
  fuzz::Require(!out.view().empty() || !err.view().empty(), "a command that says nothing");
  return {status, out.str(), err.str()};
}

void RequireAnswer(const std::string& answer) {
  // The text of an answer is there twice: as text, in which each quote has a backslash, and as JSON.
  constexpr std::size_t kMostOfOne = 4 * mcp::kMostBytes;
  fuzz::Require(answer.size() < mcp::kMostMessagesOfBatch * kMostOfOne, "an answer without bounds");
  fuzz::Require(answer.find('\n') == std::string::npos, "an answer of several lines");
  const mcp::Json json = mcp::Json::parse(answer);
  for (const mcp::Json& one : json.is_array() ? json : mcp::Json::array({json})) {
    fuzz::Require(one.at("jsonrpc") == "2.0" && one.contains("result") != one.contains("error"),
                  "no answer of JSON-RPC");
    fuzz::Require(!one.contains("error") || one["error"].at("code") != mcp::kInternalError, "an internal error");
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string before = Bytes(fuzz::Recorded());
  constexpr std::chrono::milliseconds kPatience{200};  // a statement that never ends is no finding
  mcp::Session session({.read = Run, .version = "fuzzed"});
  std::istringstream lines{std::string(fuzz::Text(data, size))};
  std::string line;
  for (int i = 0; i < 8 && std::getline(lines, line); ++i) {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    const std::string answer = session.Answer(line, [&] { return std::chrono::steady_clock::now() > end; });
    if (!answer.empty()) RequireAnswer(answer);
    std::string at_once;
    mcp::Json cancelled;
    if (session.AnswerAtOnce(line, at_once, cancelled) && !at_once.empty()) RequireAnswer(at_once);
  }
  fuzz::Require(Bytes(fuzz::Recorded()) == before, "the database has changed");
  return 0;
}
