// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <sstream>
#include <thread>

#include "analysis/cli/command.h"
#include "analysis/cli/culprit.h"
#include "analysis/mcp/serve.h"
#include "analysis/show/render/tabulate.h"
#include "bench/program/private_folder.h"
#include "bench/program/recorded_program.h"
#include "db/embedded_text.h"
#include "db/query_limits.h"

namespace culprit {

std::span<const EmbeddedText> SkillFiles();  // one: examples/agent/SKILL.md

namespace {

namespace fs = std::filesystem;

struct Arguments : ReportOptions {
  bool allow_record = false, list = false, skill = false;
};

constexpr const char* kNotes =
    "A client of the Model Context Protocol, such as a coding agent, starts it and\n"
    "writes requests to its standard input. Its tools read the database and never\n"
    "write to it. With --allow-record, the tool record runs programs and stores runs.\n"
    "The end of the input, SIGTERM or Ctrl-C ends it with exit status 0.\n"
    "--skill prints a SKILL.md: save it where your agent looks for skills.\n"
    "See docs/agents.md.";

// Behind the command and before words of the program that it records.
std::vector<std::string> WithDatabase(std::vector<std::string> words, const std::string& db) {
  words.insert(words.begin() + 1, "--db=" + db);
  return words;
}

mcp::CommandEnd Read(const std::vector<std::string>& words, const std::string& db,
                     const std::function<bool()>& stopped) {
  // A reader of 4 kB needs no more. The time is that of the tool, or the usual one.
  const LimitQueries limits({.values = kMillion, .stopped = stopped});
  std::ostringstream out, err;
  const int status = Main(WithDatabase(words, db), out, err, false);
  return {status, out.str(), err.str()};
}

std::string Content(const fs::path& file) {
  std::ostringstream content;
  content << std::ifstream(file).rdbuf();
  return content.str();
}

// A recorder that gets SIGTERM ends its program and keeps what it has.
int End(Child& recorder) {
  constexpr std::chrono::seconds kPatience{10};
  constexpr std::chrono::milliseconds kLook{20};
  kill(recorder.pid(), SIGTERM);
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!recorder.HasEnded() && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(kLook);
  if (!recorder.HasEnded()) kill(recorder.pid(), SIGKILL);  // its program goes with it
  return recorder.Await();
}

// In a process of its own: the program must not write into our answers.
mcp::CommandEnd Record(const std::vector<std::string>& words, const std::string& db, int timeout_s,
                       const std::function<bool()>& stopped) {
  std::vector<std::string> command = WithDatabase(words, db);
  command.insert(command.begin(), fs::read_symlink("/proc/self/exe").string());
  const PrivateFolder folder;
  const OpenFile in("/dev/null", O_RDONLY), out((folder / "out").c_str(), O_WRONLY | O_CREAT),
      err((folder / "err").c_str(), O_WRONLY | O_CREAT);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(timeout_s);
  Leaving leaving{.is_time = [&] { return stopped() || std::chrono::steady_clock::now() > end; }};
  ProgramEnd ended = RunAsItIs(command, {}, {in.get(), out.get(), err.get()}, {}, &leaving);
  if (!ended.not_started.empty()) throw Error(fmt::format("the recorder cannot be started: {}.", ended.not_started));
  if (ended.goes_on) ended.status = ShellStatus(End(*leaving.child));
  return {ended.status, Content(folder / "out"), Content(folder / "err")};
}

std::string ArgumentsOf(const mcp::Tool& tool) {
  std::string list;
  for (const mcp::Argument& argument : tool.arguments)
    list += fmt::format("{}{}{}", list.empty() ? "" : ", ", argument.name, argument.required ? " (required)" : "");
  return list;
}

Report ListTools() {
  Report report{"tools"};
  report.bare = true;
  report.sections.push_back(
      {"tools",
       "",
       {},
       {Tabulate<mcp::Tool>("tools", "", mcp::Tools(),
                            {{"tool", "Tool", [](const mcp::Tool& tool) { return std::string(tool.name); }},
                             {"answers", "Answers", [](const mcp::Tool& tool) { return std::string(tool.help); }},
                             {"arguments", "Arguments", ArgumentsOf}})}});
  return report;
}

}  // namespace

Action AddMcp(Syntax& syntax) {
  auto args = std::make_shared<Arguments>();
  syntax.Add("--allow-record", &args->allow_record, "offer the tool record, which runs programs that the client names");
  syntax.Add("--list", &args->list, "list the tools and their arguments, and end");
  syntax.Add("--skill", &args->skill, "print the SKILL.md that teaches an agent to use culprit, and end",
             {.not_with = "--list"});
  AddReportOptions(syntax, *args);
  syntax.notes = kNotes;
  return [args](Streams& streams) {
    if (args->skill) {
      streams.out << SkillFiles().front().text;
      return;
    }
    if (args->list) return Render(ListTools(), args->output, streams);
    if (::isatty(STDIN_FILENO) == 1)
      Complain("this waits for a client's requests on standard input; Ctrl-D ends it. See 'culprit help mcp'.",
               streams.err);
    mcp::Host host{.read = [args](const auto& words, const auto& stopped) { return Read(words, args->db, stopped); },
                   .version = CULPRIT_VERSION};
    if (args->allow_record)
      host.record = [args](const auto& words, int timeout_s, const auto& stopped) {
        return Record(words, args->db, timeout_s, stopped);
      };
    mcp::Session session(std::move(host));
    mcp::Serve(session, STDIN_FILENO, STDOUT_FILENO);
  };
}

}  // namespace culprit
