// SPDX-License-Identifier: Apache-2.0
#include "analysis/judge/program/program_why.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "analysis/launch/command.h"
#include "tests/support/invented_database.h"
#include "tests/support/invented_program.h"

namespace culprit {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::InventedProgram;
using ::testing::IsEmpty;
using testing::ProgramKernel;

ProgramExplanation Split(const RunSummary& from, const InventedProgram& base, const RunSummary& to,
                         const InventedProgram& candidate) {
  return SplitProgram(MakeSide(std::span(&from, 1)), base.kernels, MakeSide(std::span(&to, 1)), candidate.kernels);
}
ProgramExplanation Split(InventedProgram base, InventedProgram candidate) {
  const RunSummary from = base.Summary(), to = candidate.Summary();
  return Split(from, base, to, candidate);
}

const ProgramPart& Find(const ProgramExplanation& e, const std::string& name) {
  const auto found = std::ranges::find(e.parts, name, &ProgramPart::name);
  if (found == e.parts.end()) throw std::out_of_range(name);
  return *found;
}

TEST(SplitProgram, TellsMoreCallsFromLongerOnes) {
  const ProgramExplanation e = Split(std::move(InventedProgram(1, "").Launch(ProgramKernel("add", 10, 100))),
                                     std::move(InventedProgram(2, "").Launch(ProgramKernel("add", 30, 110))));
  const ProgramPart& part = Find(e, "add");
  // 20 calls more at 105 us each, and 10 us more in each of 20 calls.
  EXPECT_NEAR(part.calls_us, 2100, 1);
  EXPECT_NEAR(part.time_us, 200, 1);
  EXPECT_NEAR(e.DeltaUs(), 2300, 2);
}

TEST(SplitProgram, CountsWhatIsNewOrGoneAsCalls) {
  const ProgramExplanation e = Split(std::move(InventedProgram(1, "").Launch(ProgramKernel("add", 10, 100))),
                                     std::move(InventedProgram(2, "").Launch(ProgramKernel("softmax", 10, 110))));
  EXPECT_EQ(Find(e, "add").time_us, 0);
  EXPECT_NEAR(Find(e, "add").calls_us, -1000, 1);
  EXPECT_NEAR(Find(e, "softmax").calls_us, 1100, 1);
}

TEST(SplitProgram, HasCopiesByKindAndIdling) {
  InventedProgram base(1, ""), candidate(2, "");
  base.Copy(CopyKind::kToDevice, 10, 100).idle_us = 50;
  candidate.Copy(CopyKind::kToDevice, 20, 300).Copy(CopyKind::kSet, 1, 5).idle_us = 20;
  const ProgramExplanation e = Split(base, candidate);
  EXPECT_NEAR(Find(e, "copies to the GPU").calls_us, 125, 1e-9);
  EXPECT_NEAR(Find(e, "copies to the GPU").time_us, 75, 1e-9);
  EXPECT_NEAR(Find(e, "memory sets").calls_us, 5, 1e-9);
  EXPECT_NEAR(Find(e, "idle").time_us, -30, 1e-9);
}

TEST(SplitProgram, AddsTimesUpWhereARunHasNoTimeline) {
  InventedProgram base(1, ""), candidate(2, "");
  base.Launch(ProgramKernel("add", 10, 100));
  candidate.Launch(ProgramKernel("add", 10, 120));
  RunSummary from = base.Summary(), to = candidate.Summary();
  to.run.program->span_us.reset();
  to.run.program->idle_us.reset();
  for (KernelRecord& k : candidate.kernels) k.program->share_us.reset();
  const ProgramExplanation e = Split(from, base, to, candidate);
  EXPECT_FALSE(e.of_timeline);
  EXPECT_NEAR(e.DeltaUs(), 200, 1);
  EXPECT_THAT(e.caveats, ::testing::Contains(HasSubstr("Not both runs have a timeline")));
}

TEST(SplitProgram, RefusesLaunchesWhoseCallsHaveNoTime) {
  InventedProgram base(1, ""), candidate(2, "");
  base.Launch(ProgramKernel("add", 10, 100));
  candidate.Launch(ProgramKernel("add", 10, 120));
  const RunSummary from = base.Summary(), to = candidate.Summary();
  candidate.kernels[0].program->share_us.reset();
  candidate.kernels[0].program->time_us.reset();
  EXPECT_THROW(Split(from, base, to, candidate), Error);
}

TEST(SplitProgram, SaysWhenARunStatesAnotherSpanThanItsPartsHave) {
  InventedProgram base(1, ""), candidate(2, "");
  base.Launch(ProgramKernel("add", 10, 100));
  candidate.Launch(ProgramKernel("add", 10, 120));
  RunSummary from = base.Summary(), to = candidate.Summary();
  EXPECT_THAT(Split(from, base, to, candidate).caveats, IsEmpty());
  to.run.program->span_us = 5000;
  EXPECT_THAT(Split(from, base, to, candidate).caveats,
              ElementsAre(HasSubstr("The candidate run states a span of 5,000.0 us")));
}

RC_GTEST_PROP(SplitProgram, AddsUpAndTurnsAround, ()) {
  const auto program = [](int number) {
    InventedProgram p(number, "");
    const int n = *rc::gen::inRange(0, 8);
    for (int i = 0; i < n; ++i)
      p.Launch(ProgramKernel(*rc::gen::element<std::string>("add", "softmax", "gather"), *rc::gen::inRange(1, 50),
                             1 + *rc::gen::inRange(0, 1000) / 7.0, *rc::gen::element(1u, 2u, 3u)));
    for (const CopyKind kind : {CopyKind::kToDevice, CopyKind::kToHost, CopyKind::kOther})
      if (*rc::gen::arbitrary<bool>()) p.Copy(kind, *rc::gen::inRange(1, 9), *rc::gen::inRange(0, 5000) / 3.0);
    p.idle_us = *rc::gen::inRange(0, 10000) / 3.0;
    return p;
  };
  InventedProgram base = program(1), candidate = program(2);
  const ProgramExplanation e = Split(base, candidate), turned = Split(candidate, base);
  const double whole = *candidate.Summary().run.program->span_us - *base.Summary().run.program->span_us;
  const double scale = std::max(e.base_us, e.candidate_us);
  double sum = 0, by = 0, back = 0;
  for (const ProgramPart& part : e.parts) {
    sum += part.DeltaUs();
    by += part.calls_us + part.time_us;
    RC_ASSERT(std::abs(part.DeltaUs() - part.calls_us - part.time_us) <= 1e-9 * scale);
  }
  for (const ProgramPart& part : turned.parts) back += part.calls_us + part.time_us;
  RC_ASSERT(std::abs(sum - whole) <= 1e-9 * scale);
  RC_ASSERT(std::abs(by - whole) <= 1e-9 * scale);
  RC_ASSERT(std::abs(back + whole) <= 1e-9 * scale);
  for (std::size_t i = 1; i < e.parts.size(); ++i)
    RC_ASSERT(std::abs(e.parts[i - 1].DeltaUs()) >= std::abs(e.parts[i].DeltaUs()));
}

class ExplainedProgram : public ::testing::Test {
 protected:
  ProgramExplanation Explain(InventedProgram base, InventedProgram candidate) {
    Database database = Database::OpenForRecording(folder_ / "p.db");
    base.Write(database);
    candidate.Write(database);
    const std::vector<RunSummary> from = database.RunsNamed(base.run.uuid), to = database.RunsNamed(candidate.run.uuid);
    return ExplainProgram(database, from, to);
  }
  testing::TemporaryFolder folder_;
};

TEST_F(ExplainedProgram, NamesTheCauseInMicrosecondsOfTheProgram) {
  const ProgramExplanation e = Explain(testing::ProgramBefore(), testing::ProgramAfter());
  const ProgramPart& softmax = e.parts.front();
  ASSERT_EQ(softmax.name, "softmax_kernel");
  EXPECT_NEAR(softmax.time_us, 40 * (1287 - 705), 40);
  ASSERT_TRUE(softmax.causes) << softmax.no_causes;
  const Explanation& x = softmax.causes->explanation;
  ASSERT_FALSE(x.causes.empty());
  EXPECT_EQ(x.causes.front().cause, "local_memory_array");
  EXPECT_DOUBLE_EQ(softmax.causes->scale, 40);
  double sum = softmax.causes->unexplained_us;
  for (const CausePart& cause : x.causes) sum += 40 * cause.delta_us;
  EXPECT_NEAR(sum, softmax.time_us, 1e-6);
  EXPECT_EQ(softmax.code, CodeChange::kOther);
  // What is called as often and takes as long is not explained.
  EXPECT_FALSE(Find(e, "gather_rows").causes);
  EXPECT_EQ(Find(e, "gather_rows").code, CodeChange::kSame);
}

TEST_F(ExplainedProgram, WeighsACauseByTheLaunchesShareOfTheTimeline) {
  InventedProgram base = testing::ProgramBefore(), candidate = testing::ProgramAfter();
  // Two streams: each launch has half of its time to itself.
  for (InventedProgram* program : {&base, &candidate})
    for (KernelRecord& k : program->kernels) *k.program->share_us /= 2;
  const ProgramExplanation e = Explain(base, candidate);
  const ProgramPart& softmax = Find(e, "softmax_kernel");
  EXPECT_NEAR(softmax.time_us, 20 * (1287 - 705), 20);
  EXPECT_DOUBLE_EQ(softmax.causes.value().scale, 20);
}

TEST_F(ExplainedProgram, SaysWhyALaunchWasNotCounted) {
  InventedProgram base = testing::ProgramBefore(), candidate = testing::ProgramAfter();
  candidate.kernels[1].program->not_counted = "It waits for the host.";
  const ProgramExplanation e = Explain(base, candidate);
  EXPECT_EQ(Find(e, "softmax_kernel").no_causes,
            "Its counters were not read in the candidate run: It waits for the host.");
  EXPECT_FALSE(Find(e, "softmax_kernel").causes);
}

TEST(LaunchChanges, NamesGridBlockAndSharedMemory) {
  const KernelRecord base = ProgramKernel("add", 5, 10);
  KernelRecord candidate = ProgramKernel("add", 5, 10, 32);
  EXPECT_THAT(LaunchChanges(base, base), IsEmpty());
  candidate.launch.dynamic_shared_bytes = 2048;
  EXPECT_THAT(LaunchChanges(base, candidate),
              ElementsAre("grid 16x1x1 -> 32x1x1", "dynamic shared memory 0 B -> 2,048 B"));
}

TEST(CompareCode, DoesNotKnowWhatWasNotRead) {
  const KernelRecord base = ProgramKernel("add", 5, 10);
  KernelRecord candidate = base;
  EXPECT_EQ(CompareCode(base, candidate), CodeChange::kSame);
  candidate.cubin_digest = "other";
  EXPECT_EQ(CompareCode(base, candidate), CodeChange::kOther);
  candidate.cubin_digest.clear();
  EXPECT_EQ(CompareCode(base, candidate), CodeChange::kUnknown);
  EXPECT_EQ(CompareCode(candidate, candidate), CodeChange::kUnknown);
}

TEST(ProgramName, IsTheWordThatPeopleMean) {
  const auto name = [](const char* command_line) {
    RunRecord run;
    run.command_line = command_line;
    return ProgramName(run);
  };
  EXPECT_EQ(name("python3.11 -u scripts/train.py --steps 40"), "train.py");
  EXPECT_EQ(name("./build/solver input.txt"), "solver");
  EXPECT_EQ(name("env OMP_NUM_THREADS=4 '/opt/my solver/run'"), "my");
  EXPECT_EQ(name("env --chdir=/work/gate/change bash -c 'build/my_program --steps 20'"), "my_program");
  EXPECT_EQ(name("LD_LIBRARY_PATH=/opt/x/lib ./run"), "run");
  EXPECT_EQ(name("/data/run=3/solver input.txt"), "solver");
  EXPECT_EQ(name("/usr/bin/python3 /opt/culprit/_call.py /tmp/culprit-x/old/kernels:softmax"), "kernels:softmax");
  EXPECT_EQ(name("python3"), "python3");
  EXPECT_EQ(name(""), "the program");
}

TEST(IsSameCommand, DoesNotAskInWhichFolderTheProgramStands) {
  const auto same = [](const char* a, const char* b) {
    RunRecord one, other;
    one.command_line = a;
    other.command_line = b;
    return IsSameCommand(one, other) && IsSameCommand(other, one);
  };
  EXPECT_TRUE(same("./old/solver in", "/build/new/solver in"));
  EXPECT_TRUE(same("python -u a/train.py --steps 3", "python -u b/train.py --steps 3"));
  EXPECT_FALSE(same("./solver in", "./solver out"));
  EXPECT_FALSE(same("./solver in", "./solver"));
  EXPECT_FALSE(same("./solver in", "./solver2 in"));
  EXPECT_FALSE(same("./solver a/in", "./solver b/in")) << "other inputs";
}

TEST(MakeSide, TakesTheExecutionWithTheMedianWorkWhateverItIdles) {
  std::vector<RunSummary> runs;
  for (const auto& [us, idle] : {std::pair(30.0, 0.0), std::pair(20.0, 1e6), std::pair(10.0, 500.0)}) {
    InventedProgram program(static_cast<int>(runs.size()) + 1, "nightly");
    program.Launch(ProgramKernel("add", 1, us)).idle_us = idle;
    runs.push_back(program.Summary());
  }
  const ProgramSide side = MakeSide(runs);
  EXPECT_EQ(side.run.run.uuid, runs[1].run.uuid);
  EXPECT_EQ(side.work_us.size(), 3u);
  EXPECT_LT(side.work_us[0], side.work_us[1]);
}

TEST(MakeSide, TakesTheExecutionWithTheMedianSpanAmongEquals) {
  std::vector<RunSummary> runs;
  for (const double span : {30.0, 10.0, 20.0, 5.0}) {
    InventedProgram program(static_cast<int>(runs.size()) + 1, "nightly");
    program.idle_us = span;
    runs.push_back(program.Summary());
  }
  runs.back().state = "interrupted";
  const ProgramSide side = MakeSide(runs);
  EXPECT_EQ(side.runs, 3);
  EXPECT_EQ(side.run.run.uuid, runs[2].run.uuid);
  EXPECT_EQ(side.least_us, 10);
  EXPECT_EQ(side.median_us, 20);
  EXPECT_EQ(side.most_us, 30);
  for (RunSummary& run : runs) run.run.profile = "none";
  EXPECT_EQ(MakeSide(runs).run.run.uuid, runs[2].run.uuid);
  runs[0].run.profile = "core";
  const ProgramSide counted = MakeSide(runs);
  EXPECT_EQ(counted.run.run.uuid, runs[0].run.uuid) << "the others have no counters";
  EXPECT_EQ(counted.median_us, 20) << "of all";
}

}  // namespace
}  // namespace culprit
