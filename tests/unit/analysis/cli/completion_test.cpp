// SPDX-License-Identifier: Apache-2.0
// What is made from the table of commands: completions, tried in bash itself, and the manual page.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "analysis/cli/culprit.h"
#include "analysis/cli/parse.h"
#include "tests/support/invented_database.h"
#include "tests/support/kernel_builder.h"
#include "tests/support/shell_word.h"

namespace culprit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;

std::string Written(const std::vector<std::string>& args) {
  std::ostringstream out, err;
  EXPECT_EQ(Main(args, out, err, false), 0) << err.str();
  return out.str();
}

// What bash offers for the last of the words, as if Tab was pressed behind it.
std::vector<std::string> Offered(const std::string& words, const std::string& setup = "") {
  const testing::TemporaryFolder folder;
  const std::string script = (folder / "culprit.bash").string();
  std::ofstream(script) << Written({"completion", "bash"});
  const std::string call = "cd " + testing::ShellWord(folder / "") + " && " + setup +
                           " bash --norc -c 'source culprit.bash; COMP_WORDS=(culprit " + words +
                           "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _culprit; printf \"%s\\n\" \"${COMPREPLY[@]}\"'";
  std::FILE* const pipe = ::popen(call.c_str(), "r");
  std::vector<std::string> lines;
  char line[4096];
  while (std::fgets(line, sizeof line, pipe) != nullptr) {
    lines.emplace_back(line);
    lines.back().pop_back();
  }
  EXPECT_EQ(::pclose(pipe), 0) << call;
  if (lines == std::vector<std::string>{""}) lines.clear();
  return lines;
}

TEST(Completion, OffersCommands) {
  EXPECT_THAT(Offered("sh"), ElementsAre("show"));
  EXPECT_EQ(Offered("\"\"").size(), Commands().size());
  EXPECT_THAT(Offered("--db m.db w"), ElementsAre("why"));
  EXPECT_THAT(Offered("--v"), ElementsAre("--version"));
}

TEST(Completion, OffersTheOptionsOfTheCommandAlone) {
  EXPECT_THAT(Offered("why v1_7 v1_6 --cand"), ElementsAre("--cand", "--cand-run"));
  EXPECT_THAT(Offered("show --cand"), IsEmpty());
  EXPECT_THAT(Offered("export -"), IsSupersetOf({"-o", "--output", "--run", "--help"}));
  EXPECT_THAT(Offered("--db m.db check --b"), ElementsAre("--base"));
}

TEST(Completion, OffersTheWordsThatAnOptionTakes) {
  EXPECT_THAT(Offered("why a b --format \"\""), ElementsAre("text", "table", "md", "csv", "json", "html"));
  EXPECT_THAT(Offered("banks --op ldm"), ElementsAre("ldmatrix"));
  EXPECT_THAT(Offered("completion f"), ElementsAre("fish"));
  EXPECT_THAT(Offered("help ann"), ElementsAre("annotate"));
  EXPECT_THAT(Offered("show --run \"\""), IsEmpty());
}

// The scripts ask the program that is being completed; here it is the one of this build, with a database of ours.
std::vector<std::string> OfferedFrom(const std::string& words, const testing::TemporaryFolder& folder,
                                     const std::string& database = "m.db") {
  return Offered(words, "mkdir bin && ln -s " + testing::ShellWord(CULPRIT_PROGRAM) +
                            " bin/culprit && export PATH=$PWD/bin:$PATH CULPRIT_DB=" +
                            testing::ShellWord(folder / database.c_str()) + " &&");
}

TEST(Completion, OffersTheNamesThatTheDatabaseHolds) {
  const testing::TemporaryFolder folder;
  testing::WriteInventedDatabase(folder / "m.db");
  EXPECT_THAT(OfferedFrom("show v1_", folder), IsSupersetOf({"v1_6", "v1_7"}));
  EXPECT_THAT(OfferedFrom("why v1_7 v1_6", folder), ElementsAre("v1_6"));
  EXPECT_THAT(OfferedFrom("show v1_6 --run inv", folder), ElementsAre("invented"));
  EXPECT_THAT(OfferedFrom("query @slow", folder), ElementsAre("@slowest"));
  EXPECT_THAT(OfferedFrom("causes atom", folder), ElementsAre("atomics"));
  EXPECT_THAT(OfferedFrom("--db " + (folder / "m.db").string() + " show v1_6", folder, "none.db"), ElementsAre("v1_6"));
}

TEST(Completion, OffersNothingAndSaysNothingWithoutADatabase) {
  const testing::TemporaryFolder folder;
  EXPECT_THAT(OfferedFrom("show v", folder, "none.db"), IsEmpty());
  std::ostringstream out, err;
  EXPECT_EQ(Main({"completion", "--words", "kernels", "--db", (folder / "none.db").string()}, out, err, false), 0);
  EXPECT_EQ(out.str() + err.str(), "");
  EXPECT_FALSE(std::filesystem::exists(folder / "none.db"));
}

// bash evaluates the words that it completes with, and a recording may come from anybody.
TEST(Completion, LeavesOutNamesThatAShellWouldEvaluate) {
  const testing::TemporaryFolder folder;
  {
    Database database = Database::OpenForRecording(folder / "m.db");
    testing::KernelBuilder trap("$(touch trap)"), plain("plain_1");
    const RunId run = database.BeginRun(trap.record.run.run);
    for (const testing::KernelBuilder& k : {trap, plain}) database.StoreStage(run, k.record.stage, {});
    database.FinishRun(run);
  }
  EXPECT_EQ(Written({"completion", "--words", "kernels", "--db", (folder / "m.db").string()}), "plain_1\n");
}

TEST(Completion, OffersFilesWhereOneIsTaken) {
  const std::string setup = "touch one.sql two.db &&";
  EXPECT_THAT(Offered("runs --db tw", setup), ElementsAre("two.db"));
  EXPECT_THAT(Offered("--db tw", setup), ElementsAre("two.db"));
  EXPECT_THAT(Offered("import on", setup), ElementsAre("one.sql"));
  EXPECT_THAT(Offered("why on", setup), IsEmpty());
}

TEST(Completion, OfEachShellKnowsEveryCommandAndOption) {
  const std::string bash = Written({"completion", "bash"}), zsh = Written({"completion", "zsh"}),
                    fish = Written({"completion", "fish"});
  for (const Command& command : Commands())
    for (const Option& option : SyntaxOf(command).options)
      for (const std::string& name : NamesOf(option)) {
        if (option.IsArgument()) continue;
        const std::string own = "'__fish_seen_subcommand_from " + std::string(command.name) + "'";
        const std::string letters = name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
        EXPECT_THAT(bash, HasSubstr(name)) << command.name;
        EXPECT_THAT(zsh, HasSubstr(name + "[")) << command.name;
        bool in_fish = false;
        std::istringstream lines(fish);
        for (std::string line; std::getline(lines, line);)
          in_fish = in_fish || (line.find(own) != line.npos && line.find(letters) != line.npos);
        EXPECT_TRUE(in_fish) << command.name << " " << name;
      }
}

// Without the shell there is nothing to try; CI's machines need not have all three.
TEST(Completion, IsReadByTheShellsThatAreHere) {
  const testing::TemporaryFolder folder;
  int tried = 0;
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    if (std::system(("command -v " + shell + " >/dev/null").c_str()) != 0) continue;
    const std::string script = (folder / shell.c_str()).string();
    std::ofstream(script) << Written({"completion", shell});
    EXPECT_EQ(std::system((shell + " -n " + testing::ShellWord(script)).c_str()), 0) << shell;
    ++tried;
  }
  EXPECT_GE(tried, 1);
}

TEST(Manual, NamesEveryCommandWithItsArgumentsAndOptions) {
  const std::string page = Written({"manual"});
  EXPECT_THAT(page, HasSubstr(".SS \"culprit why [BASE] [CANDIDATE] [OPTION...]\""));
  EXPECT_THAT(page, HasSubstr(".SS \"culprit banks [KERNEL] [ACCESS] [OPTION...]\""));
  EXPECT_THAT(page, HasSubstr(".B \\-o, \\-\\-out, \\-\\-output FILE\n"));
  for (const Command& command : Commands()) EXPECT_THAT(page, HasSubstr(".SS \"culprit " + std::string(command.name)));
}

// roff would swallow a line that starts with a dot or a quote.
TEST(Manual, HasNoLineThatIsARequestByAccident) {
  std::istringstream lines(Written({"manual"}));
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with('.') || line.starts_with('\'')) {
      EXPECT_TRUE(line.starts_with(".TH ") || line.starts_with(".SH ") || line.starts_with(".SS ") ||
                  line.starts_with(".B ") || line == ".TP" || line == ".PP" || line == ".RS" || line == ".RE" ||
                  line == ".nf" || line == ".fi" || line == ".br")
          << line;
    }
}

}  // namespace
}  // namespace culprit
