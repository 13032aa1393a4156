// SPDX-License-Identifier: Apache-2.0
#include "analysis/mcp/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "db/error.h"

namespace culprit::mcp {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// Keeps the words of the last command.
struct FakeHost {
  std::vector<std::string> words;
  CommandEnd end{0, R"({"schema":2,"verdict":"slower","causes":[{"delta_us":1.5}],"left_out":{}})", ""};
  int timeout_s = 0;

  Host Reading() {
    return {.read =
                [this](const auto& given, const auto&) {
                  words = given;
                  return end;
                },
            .version = "1.2.3"};
  }
  Host Recording() {
    Host host = Reading();
    host.record = [this](const auto& given, int seconds, const auto&) {
      words = given, timeout_s = seconds;
      return CommandEnd{3, "1\n2\n", "recorded run 7\n"};
    };
    return host;
  }
};

Json Ask(Session& session, std::string_view method, const Json& params = Json::object()) {
  return Json::parse(session.Answer(Written({{"jsonrpc", "2.0"}, {"id", 5}, {"method", method}, {"params", params}})));
}

Json Call(Session& session, std::string_view tool, const Json& arguments = Json::object()) {
  return Ask(session, "tools/call", {{"name", tool}, {"arguments", arguments}});
}

std::string Negotiated(Session& session, std::string_view version) {
  return Ask(session, "initialize", {{"protocolVersion", version}})["result"]["protocolVersion"];
}

TEST(McpSession, NegotiatesTheVersion) {
  FakeHost host;
  Session session(host.Reading());
  for (const char* version : {"2024-11-05", "2025-03-26", "2025-06-18"})
    EXPECT_EQ(Negotiated(session, version), version);
  EXPECT_EQ(Negotiated(session, "2031-01-01"), "2025-06-18");
  EXPECT_EQ(Ask(session, "initialize")["error"]["code"], kInvalidParams);
  const Json result = Ask(session, "initialize", {{"protocolVersion", "2025-06-18"}})["result"];
  EXPECT_EQ(result["serverInfo"]["version"], "1.2.3");
  EXPECT_TRUE(result["capabilities"].contains("tools"));
}

TEST(McpSession, OffersWhatItsVersionHas) {
  FakeHost host;
  Session session(host.Reading());
  Negotiated(session, "2024-11-05");
  EXPECT_FALSE(Ask(session, "tools/list")["result"]["tools"][0].contains("annotations"));
  EXPECT_FALSE(Call(session, "runs")["result"].contains("structuredContent"));
  Negotiated(session, "2025-06-18");
  EXPECT_EQ(Ask(session, "tools/list")["result"]["tools"][0]["annotations"]["readOnlyHint"], true);
  const Json result = Call(session, "why")["result"];
  EXPECT_EQ(Json::parse(result["content"][0]["text"].get<std::string>()), result["structuredContent"]);
  EXPECT_EQ(result["structuredContent"]["verdict"], "slower");
}

TEST(McpSession, EveryToolHasASchemaAndRecordIsOffUnlessAllowed) {
  FakeHost host;
  const auto names = [&](Host of) {
    Session session(std::move(of));
    std::vector<std::string> list;
    const Json answer = Ask(session, "tools/list");
    for (const Json& tool : answer["result"]["tools"]) {
      list.push_back(tool["name"]);
      EXPECT_FALSE(tool["description"].get<std::string>().empty());
      EXPECT_EQ(tool["inputSchema"]["additionalProperties"], false);
      EXPECT_TRUE(tool["inputSchema"]["properties"].contains("max_bytes"));
    }
    return list;
  };
  EXPECT_THAT(names(host.Reading()), ElementsAre("runs", "kernels", "why", "lines", "advice", "check", "query"));
  EXPECT_THAT(names(host.Recording()), Contains("record"));
  Session session(host.Reading());
  const Json refused = Call(session, "record", {{"command", {"true"}}});
  EXPECT_EQ(refused["error"]["code"], kInvalidParams);
  EXPECT_THAT(refused["error"]["message"].get<std::string>(), HasSubstr("--allow-record"));
  EXPECT_THAT(host.words, ElementsAre());
}

TEST(McpSession, WrongRequestsAreProtocolErrors) {
  FakeHost host;
  Session session(host.Reading());
  EXPECT_EQ(Ask(session, "no/such")["error"]["code"], kMethodNotFound);
  EXPECT_EQ(Ask(session, "tools/call")["error"]["code"], kInvalidParams);
  EXPECT_EQ(Ask(session, "tools/list", {{"cursor", "2"}})["error"]["code"], kInvalidParams);
  EXPECT_EQ(Call(session, "no_such")["error"]["code"], kInvalidParams);
  const auto refuses = [&](const char* tool, const Json& arguments) {
    EXPECT_EQ(Call(session, tool, arguments)["error"]["code"], kInvalidParams) << tool << arguments;
  };
  refuses("lines", Json::object());
  refuses("lines", {{"kernel", 7}});
  refuses("lines", {{"kernel", ""}});
  refuses("lines", {{"kernel", std::string("a\0b", 3)}});
  refuses("lines", {{"kernel", "a"}, {"nothing", 1}});
  refuses("runs", Json::array({1}));
  refuses("runs", {{"max_bytes", 1023}});
  refuses("runs", {{"max_bytes", 1e9}});
  refuses("runs", {{"max_bytes", "4096"}});
  refuses("runs", {{"full", 1}});
  refuses("query", {{"sql", "SELECT 1"}, {"max_seconds", 61}});
  refuses("query", {{"sql", "SELECT 1"}, {"max_rows", 18446744073709551615u}});
  refuses("query", {{"sql", "SELECT 1"}, {"parameters", "x=1"}});
  refuses("check", {{"base", "a"}, {"candidate", "b"}, {"kernels", Json::array()}});
  EXPECT_THAT(host.words, ElementsAre());
}

TEST(McpSession, EveryAnswerWithMeasuredNumbersSaysWhereTheyComeFrom) {
  FakeHost host;
  Session session(host.Reading());
  for (const char* tool : {"kernels", "why", "check"}) {
    const Json arguments = std::string_view(tool) == "check" ? Json{{"base", "a"}, {"candidate", "b"}} : Json::object();
    const Json answer = Json::parse(Call(session, tool, arguments)["result"]["content"][0]["text"].get<std::string>());
    EXPECT_THAT(answer["numbers"].get<std::string>(), HasSubstr("timed")) << tool;
    EXPECT_EQ(answer["verdict"], "slower") << "the answer itself is there";
  }
  for (const char* tool : {"lines", "advice"}) {
    const Json answer =
        Json::parse(Call(session, tool, {{"kernel", "sum"}})["result"]["content"][0]["text"].get<std::string>());
    EXPECT_THAT(answer["numbers"].get<std::string>(), HasSubstr("error")) << tool;
  }
}

TEST(McpSession, ValuesNeverBecomeOptions) {
  FakeHost host;
  Session session(host.Reading());
  Call(session, "lines", {{"kernel", "--db=/etc/passwd"}, {"candidate", "--help"}, {"base_run", "--all"}});
  EXPECT_THAT(host.words,
              ElementsAre("why", "--lines", "--base=--all", "--top=100", "--json", "--", "--db=/etc/passwd", "--help"));
  Call(session, "query", {{"sql", "-- a comment\nSELECT 1"}, {"parameters", {"x=1", "--format=html"}}});
  EXPECT_THAT(host.words, ElementsAre("query", "--param=x=1", "--param=--format=html", "--max-seconds=5", "--top=100",
                                      "--json", "--", "-- a comment\nSELECT 1"));
}

TEST(McpSession, LinesOfOneKernelAreAnnotated) {
  FakeHost host;
  Session session(host.Reading());
  Call(session, "lines", {{"kernel", "sum"}, {"shape", "4096"}, {"max_rows", 7}});
  EXPECT_THAT(host.words, ElementsAre("annotate", "--shape=4096", "--top=7", "--json", "--", "sum"));
}

TEST(McpSession, ACommandThatFailsIsAToolErrorInItsWords) {
  FakeHost host;
  Session session(host.Reading());
  host.end = {2, "", "culprit: there is no run 'x'; 'culprit runs' lists them.\n"};
  const Json result = Call(session, "kernels", {{"run", "x"}})["result"];
  EXPECT_EQ(result["isError"], true);
  EXPECT_EQ(result["content"][0]["text"], "there is no run 'x'; 'culprit runs' lists them.");
  host.end = {2, "", ""};
  EXPECT_EQ(Call(session, "kernels")["result"]["content"][0]["text"], "the command ended with status 2.");
}

TEST(McpSession, AVerdictWithAnExitStatusIsAnAnswer) {
  FakeHost host;
  Session session(host.Reading());
  host.end = {1, R"({"check":{"outcome":"regression","exit_status":1}})", ""};
  Negotiated(session, "2025-06-18");
  const Json result = Call(session, "check", {{"base", "a"}, {"candidate", "b"}})["result"];
  EXPECT_FALSE(result.contains("isError"));
  EXPECT_EQ(result["structuredContent"]["check"]["outcome"], "regression");
}

TEST(McpSession, ABugIsAnInternalError) {
  Session session({.read = [](const auto&, const auto&) -> CommandEnd { throw std::runtime_error("index\x1b[31m"); }});
  const Json error = Call(session, "runs")["error"];
  EXPECT_EQ(error["code"], kInternalError);
  EXPECT_THAT(error["message"].get<std::string>(), HasSubstr("bug in culprit: index\\x1b"));
  FakeHost host;
  host.end.out = "no JSON";
  Session other(host.Reading());
  EXPECT_EQ(Call(other, "runs")["error"]["code"], kInternalError);
}

TEST(McpSession, RecordRunsAProgram) {
  FakeHost host;
  Session session(host.Recording());
  Negotiated(session, "2025-06-18");
  const Json result = Call(session, "record", {{"command", {"./p", "--db=x"}}, {"label", "after"}, {"timeout_s", 9}});
  EXPECT_THAT(host.words, ElementsAre("record", "--label=after", "--", "./p", "--db=x"));
  EXPECT_EQ(host.timeout_s, 9);
  const Json& answer = result["result"]["structuredContent"];
  EXPECT_EQ(answer["exit_status"], 3);
  EXPECT_EQ(answer["recorder"], Json::array({"recorded run 7"}));
  EXPECT_EQ(answer["output_end"], Json::array({"1", "2"}));
  Call(session, "record", {{"command", {"./p"}}});
  EXPECT_EQ(host.timeout_s, kUsualTimeout);
  EXPECT_EQ(Call(session, "record", {{"command", {"./p"}}, {"profile", "most"}})["error"]["code"], kInvalidParams);
}

TEST(McpSession, NotificationsGetNoAnswer) {
  FakeHost host;
  Session session(host.Reading());
  EXPECT_EQ(session.Answer(R"({"jsonrpc":"2.0","method":"notifications/initialized"})"), "");
  EXPECT_EQ(session.Answer(R"({"jsonrpc":"2.0","method":"tools/call","params":{"name":"runs"}})"), "");
  EXPECT_THAT(host.words, ElementsAre());
}

TEST(McpSession, BatchesAreAnsweredWhereTheVersionHasThem) {
  FakeHost host;
  Session session(host.Reading());
  const char* batch =
      R"([{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"x"},3,{"jsonrpc":"2.0","id":2,"method":"x"}])";
  Negotiated(session, "2025-06-18");
  EXPECT_EQ(Json::parse(session.Answer(batch))["error"]["code"], kInvalidRequest);
  Negotiated(session, "2025-03-26");
  const Json answers = Json::parse(session.Answer(batch));
  ASSERT_EQ(answers.size(), 3u);
  EXPECT_EQ(answers[0]["result"], Json::object());
  EXPECT_EQ(answers[1]["error"]["code"], kInvalidRequest);
  EXPECT_EQ(answers[2]["error"]["code"], kMethodNotFound);
  EXPECT_EQ(session.Answer(R"([{"jsonrpc":"2.0","method":"x"}])"), "");
}

}  // namespace
}  // namespace culprit::mcp
