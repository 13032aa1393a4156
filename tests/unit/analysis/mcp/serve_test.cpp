// SPDX-License-Identifier: Apache-2.0
#include "analysis/mcp/serve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <thread>

#include "db/open_file.h"

namespace culprit::mcp {
namespace {

using ::testing::ElementsAre;

constexpr const char* kRuns = R"({"jsonrpc":"2.0","id":"runs","method":"tools/call","params":{"name":"runs"}})";
constexpr const char* kPing = R"({"jsonrpc":"2.0","id":"ping","method":"ping"})";
constexpr const char* kNoMethod = R"({"jsonrpc":"2.0","id":"none","method":"no/such"})";
std::string Cancel(const char* id) {
  return std::string(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":")") + id + "\"}}";
}

// A client at the other end of two pipes.
struct Client {
  OpenFile to, in, out, from;

  Client() {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    to.Close(ends[0]), in.Close(ends[1]);
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    out.Close(ends[0]), from.Close(ends[1]);
  }
  void Say(const std::string& line) const { EXPECT_TRUE(WriteAll(to.get(), line + '\n')); }

  // The ids of the answers, after Serve.
  std::vector<std::string> Ids() {
    out.Close();
    std::string text, ids;
    char buffer[4096];
    for (ssize_t got; (got = ReadSome(from.get(), buffer, sizeof buffer)) > 0;) text.append(buffer, got);
    std::vector<std::string> list;
    while (!text.empty()) {
      const Json answer = Json::parse(text.substr(0, text.find('\n')));
      list.push_back(answer["id"].is_string() ? answer["id"].get<std::string>() : answer["id"].dump());
      text.erase(0, text.find('\n') + 1);
    }
    return list;
  }
};

using Stopped = std::function<bool()>;

Session With(std::function<void(const Stopped&)> tool) {
  return Session({.read = [tool](const auto&, const Stopped& stopped) {
    tool(stopped);
    return CommandEnd{0, "{}", ""};
  }});
}

// Waits as a long statement does; gives up after 10 s.
void WaitUntil(const Stopped& holds) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::seconds(10);
  while (!holds()) {
    ASSERT_LT(Clock::now(), end);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

TEST(McpServe, AnswersInOrderUntilTheInputEnds) {
  Client client;
  Session session = With([](const Stopped&) {});
  client.Say(kRuns);
  client.Say("");
  client.Say(std::string(kNoMethod) + "\r");
  EXPECT_TRUE(WriteAll(client.to.get(), kPing));  // the end of the input ends a line, too
  client.to.Close();
  Serve(session, client.in.get(), client.out.get());
  EXPECT_THAT(client.Ids(), ElementsAre("runs", "none", "ping"));
}

TEST(McpServe, ALineThatIsTooLongIsRefusedAndTheNextIsAnswered) {
  Client client;
  Session session = With([](const Stopped&) {});
  std::thread writer([&] {
    client.Say(std::string(3 * kMostBytesOfLine, 'x'));
    client.Say(kPing);
    client.to.Close();
  });
  Serve(session, client.in.get(), client.out.get());
  writer.join();
  EXPECT_THAT(client.Ids(), ElementsAre("null", "ping"));
}

TEST(McpServe, ACancelledRequestIsStoppedAndGetsNoAnswer) {
  Client client;
  Session session = With([&](const Stopped& stopped) {
    EXPECT_FALSE(stopped());
    client.Say(Cancel("other"));
    client.Say(kNoMethod);
    EXPECT_FALSE(stopped());
    client.Say(Cancel("runs"));
    WaitUntil(stopped);
    client.to.Close();
  });
  client.Say(kRuns);
  Serve(session, client.in.get(), client.out.get());
  EXPECT_THAT(client.Ids(), ElementsAre("none"));
}

TEST(McpServe, ARequestIsCancelledWhileItWaits) {
  Client client;
  Session session = With([&](const Stopped& stopped) {
    client.Say(kNoMethod);
    client.Say(Cancel("none"));
    EXPECT_FALSE(stopped());
    client.to.Close();
  });
  client.Say(kRuns);
  Serve(session, client.in.get(), client.out.get());
  EXPECT_THAT(client.Ids(), ElementsAre("runs"));
}

TEST(McpServe, PingsAreAnsweredWhileAToolRuns) {
  Client client;
  Session session = With([&](const Stopped& stopped) {
    client.Say(kNoMethod);
    client.Say(kPing);
    EXPECT_FALSE(stopped());
    client.to.Close();
  });
  client.Say(kRuns);
  Serve(session, client.in.get(), client.out.get());
  EXPECT_THAT(client.Ids(), ElementsAre("ping", "runs", "none"));
}

TEST(McpServe, SigtermEndsItAlsoWhileAToolRuns) {
  Client client;
  bool was_stopped = false;
  Session session = With([&](const Stopped& stopped) {
    std::raise(SIGTERM);
    was_stopped = stopped();
  });
  client.Say(kRuns);
  client.Say(kPing);
  Serve(session, client.in.get(), client.out.get());  // although the input goes on
  EXPECT_TRUE(was_stopped);
}

TEST(McpServe, EndsWhenNobodyReads) {
  std::signal(SIGPIPE, SIG_IGN);
  Client client;
  Session session = With([](const Stopped&) {});
  client.from.Close();
  client.Say(kPing);
  client.Say(kPing);
  Serve(session, client.in.get(), client.out.get());
  SUCCEED();
}

}  // namespace
}  // namespace culprit::mcp
