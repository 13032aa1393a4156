// SPDX-License-Identifier: Apache-2.0
// Traces of whole programs, written as the profilers' documents and sources say: PyTorch, JAX, Nsight Systems.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "bench/foreign/open_ranges.h"
#include "bench/foreign/report.h"
#include "db/database.h"
#include "db/timeline.h"
#include "db/versions.h"
#include "tests/support/raw_sqlite.h"
#include "tests/support/scratch.h"
#include "tests/unit/bench/foreign/invented_trace.h"

namespace culprit {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class Traces : public testing::Test {
 protected:
  std::string NsysBytes(const InventedTrace& trace, const std::string& more = {}) {
    const std::filesystem::path file = scratch / fmt::format("{}.sqlite", ++files);
    WriteNsysExport(trace, file);
    if (!more.empty()) RawSqlite(file).Execute(more);
    return Bytes(file);
  }
  static ForeignReport Read(std::string_view text) {
    return ReadForeign(text, {"F", "/nowhere", "2026-11-21T00:25:46Z", "mine"});
  }
  static Database Imported(std::string_view text) {
    Database database = Database::InMemory();
    EXPECT_EQ(database.Import(AsExport(Read(text)), "F").runs_added, 1);
    return database;
  }
  static std::string Refusal(std::string_view text) {
    try {
      AsExport(Read(text));
    } catch (const Error& e) {
      return e.what();
    }
    return "it was read";
  }

  Scratch scratch;
  int files = 0;
};

const KernelRecord& Named(const std::vector<KernelRecord>& kernels, std::string_view part) {
  for (const KernelRecord& kernel : kernels)
    if (kernel.program->name.find(part) != std::string::npos) return kernel;
  throw std::runtime_error("no kernel " + std::string(part));
}

TEST_F(Traces, OfAllToolsTellTheSameOfOneProgram) {
  const InventedTrace trace = StepsOf(4, 30);
  const std::string texts[] = {PytorchTrace(trace), JaxTrace(trace), NsysBytes(trace)};
  const ProgramSource sources[] = {ProgramSource::kPytorch, ProgramSource::kJax, ProgramSource::kNsys};
  for (std::size_t i = 0; i < 3; ++i) {
    SCOPED_TRACE(NameOf(sources[i]));
    const Database database = Imported(texts[i]);
    const RunSummary run = database.Runs().at(0);
    EXPECT_EQ(run.run.label, "mine");
    EXPECT_EQ(run.state, "complete");
    const ProgramRecord& program = run.run.program.value();
    EXPECT_EQ(program.source, sources[i]);
    EXPECT_EQ(program.gpus, 1);
    EXPECT_EQ(program.processes, 1);
    EXPECT_EQ(program.lost_launches, 0);
    EXPECT_NEAR(program.span_us.value(), 3 * 200 + 114, 1e-6);
    EXPECT_NEAR(program.idle_us.value(), 4 * 20 + 3 * 86, 1e-6) << "the gap of each step, and between steps";
    ASSERT_EQ(program.copies.size(), 2u);
    EXPECT_EQ(program.copies[0].kind, CopyKind::kToDevice);
    EXPECT_EQ(program.copies[0].calls, 4);
    EXPECT_EQ(program.copies[0].bytes, 4 * 4096);
    EXPECT_NEAR(program.copies[0].time_us, 40, 1e-6);
    EXPECT_EQ(program.copies[1].kind, CopyKind::kToHost);
    const std::vector<KernelRecord> kernels = database.LoadKernels(run.id, Ordinals::kAll);
    ASSERT_EQ(kernels.size(), 2u);
    const KernelRecord& softmax = Named(kernels, "softmax");
    EXPECT_EQ(softmax.program->name, "void softmax_warp_forward<float, 4>(float*, float const*, int)");
    EXPECT_EQ(softmax.program->nvtx, "step #/aten::softmax");
    EXPECT_EQ(softmax.program->calls, 4);
    EXPECT_NEAR(softmax.program->time_us.value(), 120, 1e-6);
    ASSERT_EQ(softmax.samples.size(), 4u);
    EXPECT_NEAR(softmax.samples[3].time_us, 30, 1e-6);
    EXPECT_EQ(softmax.launch.grid_x, 64u);
    EXPECT_EQ(softmax.launch.block_x, 128u);
    EXPECT_EQ(softmax.launch.dynamic_shared_bytes, 1024);
    EXPECT_EQ(database.Timeline(run.id)->launches.size(), 8u);
    EXPECT_EQ(database.Timeline(run.id)->launches[0].range, "step 1/aten::mm");
  }
}

TEST_F(Traces, OfPytorchAndNsysNameTheGpuAndItsVersions) {
  const InventedTrace trace = StepsOf(1, 30);
  const RunSummary pytorch = Imported(PytorchTrace(trace)).Runs().at(0);
  const RunSummary nsys = Imported(NsysBytes(trace)).Runs().at(0);
  for (const RunSummary* run : {&pytorch, &nsys}) {
    EXPECT_EQ(run->run.started_utc, "2026-11-18T11:06:40Z");
    EXPECT_EQ(run->run.device->name, "NVIDIA H100 80GB HBM3");
    EXPECT_EQ(run->run.device->cc_major, 9);
    EXPECT_EQ(run->run.device->sm_count, 132);
    EXPECT_EQ(run->run.device->max_threads_per_sm, 2048);
  }
  EXPECT_EQ(pytorch.run.toolchain.cuda_runtime, "13.0");
  EXPECT_EQ(pytorch.run.program->gpu_processes.at(0).rank, 3);
  EXPECT_EQ(nsys.run.gpu_uuids, "GPU-01234567-89ab-cdef-0123-456789abcdef");
  EXPECT_EQ(nsys.run.command_line, "/usr/bin/python3");
  EXPECT_EQ(nsys.run.device->chip, "GH100");
  EXPECT_NEAR(nsys.run.device->sm_clock_mhz, 1980, 1e-6);
  EXPECT_FALSE(Imported(JaxTrace(trace)).Runs().at(0).run.device) << "JAX does not say";
}

TEST_F(Traces, KeepRegistersOfTheirKernels) {
  for (const std::string& text : {PytorchTrace(StepsOf(1, 30)), NsysBytes(StepsOf(1, 30))}) {
    const Database database = Imported(text);
    const KernelRecord kernel = database.LoadKernels(database.Runs().at(0).id, Ordinals::kAll).at(0);
    ASSERT_FALSE(kernel.attributes.empty());
    EXPECT_EQ(kernel.attributes[0].name, "registers");
    EXPECT_EQ(kernel.attributes[0].value, 40);
  }
}

// What PyTorch states, and what a program may add: prof.add_metadata("pytorch_version", torch.__version__).
TEST_F(Traces, OfPytorchKeepVersionsOfLibraries) {
  std::string text = PytorchTrace(StepsOf(1, 30));
  const auto replace = [&](std::string_view from, std::string_view to) {
    text.replace(text.find(from), from.size(), to);
  };
  replace("\"world_size\": 8", "\"world_size\": 8, \"nccl_version\": \"2.27.3\"");
  replace("\"cupti_version\"", "\"pytorch_version\": \"2.11.0+cu130\", \"triton_version\": 3, \"cupti_version\"");
  const Database database = Imported(text);
  EXPECT_THAT(VersionsOf(database, database.Runs().at(0).id),
              ElementsAre(LibraryVersion{"cuda", "13.0"}, LibraryVersion{"nccl", "2.27.3"},
                          LibraryVersion{"torch", "2.11.0+cu130"}));
}

// with_stack=True: functions of Python around the call that launches, without those of PyTorch and of Python itself.
TEST_F(Traces, OfPytorchKeepTheFunctionsThatLaunched) {
  std::string text = PytorchTrace(StepsOf(3, 30)), functions;
  const auto run = [&](const char* name, double start_us, double us) {
    functions += fmt::format(
        R"({{"ph":"X","cat":"python_function","name":"{}","pid":42,"tid":42,"ts":{},"dur":{},"args":{{}}}},)", name,
        start_us, us);
  };
  run("train.py(3): <module>", 0, 900);
  run("<frozen runpy>(88): _run_code", 1, 898);
  run("torch/nn/modules/module.py(1743): _call_impl", 301, 90);
  run("models/net (v2).py(42): forward", 302, 60);
  run("nn.Module: Linear_0", 303, 50);
  run("<string>(2): launcher", 303, 50);  // of Triton
  run("<built-in method linear of type object at 0x7f>", 303, 50);
  run("models/net (v2).py(70): loss", 303.5, 0.2);  // it has returned
  text.insert(text.find("{\"ph\""), functions);
  const Database database = Imported(text);
  const auto kernels = database.LoadKernels(database.Runs().at(0).id, Ordinals::kAll);
  EXPECT_THAT(Named(kernels, "sgemm").program->stack,
              ElementsAre(PythonFrame{"models/net (v2).py", 42, "forward"}, PythonFrame{"train.py", 3, "<module>"}));
  EXPECT_THAT(Named(kernels, "softmax").program->stack,
              ElementsAre(PythonFrame{"models/net (v2).py", 42, "forward"}, PythonFrame{"train.py", 3, "<module>"}));
  const Database without = Imported(PytorchTrace(StepsOf(3, 30)));
  EXPECT_TRUE(Named(without.LoadKernels(without.Runs().at(0).id, Ordinals::kAll), "sgemm").program->stack.empty());
}

// ROCm: the compute capability is that of another architecture, and kernels count their GPUs from another number.
TEST_F(Traces, OfAnotherMakersGpuHaveItsNameAlone) {
  std::string text = PytorchTrace(StepsOf(1, 30));
  const auto replace = [&](std::string_view from, std::string_view to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size())
      text.replace(at, from.size(), to);
  };
  replace("NVIDIA H100 80GB HBM3", "AMD Instinct MI300X");
  replace("\"cuda_runtime_version\": 13000", "\"hip_runtime_version\": 70226015");
  replace("\"device\":0", "\"device\":2");
  const Database database = Imported(text);
  const RunSummary run = database.Runs().at(0);
  ASSERT_TRUE(run.run.device);
  EXPECT_EQ(run.run.device->name, "AMD Instinct MI300X");
  EXPECT_EQ(run.run.device->cc_major, 0);
  EXPECT_EQ(run.run.device->sm_count, 132);
  EXPECT_EQ(database.LoadKernels(run.id, Ordinals::kAll).at(0).launch.arch, "");
  // vLLM's traces have a GPU without a name.
  replace("AMD Instinct MI300X", "");
  EXPECT_FALSE(Imported(text).Runs().at(0).run.device);
}

// In traces before 2022, a kernel without a known call has the number of its operator, written small.
TEST_F(Traces, OfOldPytorchFindTheOperator) {
  std::string text = PytorchTrace(StepsOf(1, 30));
  for (const auto& [from, to] :
       {std::pair("\"cat\":\"kernel\"", "\"cat\":\"Kernel\""),
        {"\"cat\":\"cpu_op\"", "\"cat\":\"Operator\""},
        {"\"args\":{\"External id\":1001,\"queued\"", "\"args\":{\"external id\":1001,\"queued\""},
        {"\"args\":{\"External id\":1001}", "\"args\":{\"External id\":5001}"},  // of the step
        {"\"correlation\":1,", "\"correlation\":77,"}}) {
    const auto at = text.find(from);
    ASSERT_NE(at, text.npos) << from;
    text.replace(at, std::strlen(from), to);
  }
  const Database database = Imported(text);
  EXPECT_EQ(Named(database.LoadKernels(database.Runs().at(0).id, Ordinals::kAll), "sgemm").program->nvtx,
            "step #/aten::mm");
}

// Kernels of a graph have the number of the call that launched it.
TEST_F(Traces, TellLaunchesOfGraphs) {
  std::string text = PytorchTrace(StepsOf(2, 30));
  text.replace(text.find("cudaLaunchKernel"), 16, "cudaGraphLaunch ");
  const Database database = Imported(text);
  std::int64_t graph_calls = 0;
  for (const KernelRecord& kernel : database.LoadKernels(database.Runs().at(0).id, Ordinals::kAll))
    graph_calls += kernel.program->graph_calls;
  EXPECT_EQ(graph_calls, 1);
}

TEST_F(Traces, OfNsysHaveGraphsThatWereTracedAsAWhole) {
  const Database database = Imported(
      NsysBytes(StepsOf(1, 30),
                "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER, end INTEGER, deviceId INTEGER, streamId "
                "INTEGER, correlationId INTEGER, globalPid INTEGER, graphId INTEGER); INSERT INTO "
                "CUPTI_ACTIVITY_KIND_GRAPH_TRACE SELECT 1000000, 1075000, 0, 7, 9999, globalPid, 1 FROM PROCESSES"));
  const RunSummary run = database.Runs().at(0);
  EXPECT_NEAR(Named(database.LoadKernels(run.id, Ordinals::kAll), "cuda_graph").program->time_us.value(), 75, 1e-6);
  const auto warnings = database.Warnings(run.id);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0].text, HasSubstr("--cuda-graph-trace=node"));
}

// Tables and columns come and go.
TEST_F(Traces, OfNsysMayLackAllButKernels) {
  const Database database = Imported(NsysBytes(
      StepsOf(2, 30),
      "DROP TABLE NVTX_EVENTS; DROP TABLE TARGET_INFO_GPU; DROP TABLE TARGET_INFO_CUDA_DEVICE; DROP TABLE PROCESSES; "
      "DROP "
      "TABLE CUPTI_ACTIVITY_KIND_RUNTIME; DROP TABLE CUPTI_ACTIVITY_KIND_MEMCPY; DROP TABLE "
      "CUPTI_ACTIVITY_KIND_MEMSET; "
      "DROP TABLE TARGET_INFO_SESSION_START_TIME; ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL DROP COLUMN graphNodeId"));
  const RunSummary run = database.Runs().at(0);
  EXPECT_EQ(run.run.started_utc, "2026-11-21T00:25:46Z");
  EXPECT_FALSE(run.run.device);
  const std::vector<KernelRecord> kernels = database.LoadKernels(run.id, Ordinals::kAll);
  EXPECT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].program->nvtx, "");
}

// Requests in flight cross each other: a launch has the one that began last. Steps lie within all of them.
TEST_F(Traces, OfNsysHaveRangesFromStartToEnd) {
  const Database database = Imported(NsysBytes(
      StepsOf(3, 30),
      "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid) SELECT start, end, type, text, thread FROM "
      "(SELECT globalTid AS thread FROM CUPTI_ACTIVITY_KIND_RUNTIME LIMIT 1) JOIN (SELECT 0 AS start, 650000 AS end, "
      "60 AS type, 'request 1' AS text UNION ALL SELECT 450000, 9000000, 60, 'request 2' UNION ALL SELECT 460000, "
      "9000000, 71, 'within, seq = 12, op_id = 7' UNION ALL SELECT 0, 9000000, 34, 'mark')"));
  const auto timeline = database.Timeline(database.Runs().at(0).id);
  ASSERT_EQ(timeline->launches.size(), 6u);
  EXPECT_EQ(timeline->launches[1].range, "request 1/step 1/aten::softmax");
  EXPECT_EQ(timeline->launches[3].range, "request 2/within/step 2/aten::softmax");
}

TEST_F(Traces, OfNsysSayWhatWasStarted) {
  const RunSummary run =
      Imported(
          NsysBytes(StepsOf(1, 30),
                    "CREATE TABLE META_DATA_CAPTURE (name TEXT, value TEXT); INSERT INTO META_DATA_CAPTURE VALUES "
                    "('PROCESS_0:ARGUMENT_10', 'last'), ('PROCESS_0:COMMAND', 'torchrun'), "
                    "('PROCESS_0:ARGUMENT_9', 'a b'), ('PROCESS_0:ARGUMENT_-1', 'no'), "
                    "('PROCESS_0:ARGUMENT_2147483647', 'no'), ('PROCESS_1:COMMAND', 'no'); "
                    "CREATE TABLE TARGET_INFO_SYSTEM_ENV (name TEXT, value TEXT); INSERT INTO "
                    "TARGET_INFO_SYSTEM_ENV VALUES ('NvDriverVersion', '580.95.05'), ('CudaDriverVersion', '13010')"))
          .Runs()
          .at(0);
  EXPECT_EQ(run.run.command_line, "torchrun 'a b' last");
  EXPECT_EQ(run.run.toolchain.driver, "580.95.05");
  EXPECT_EQ(run.run.toolchain.cuda_driver_api, "13.1");
}

// SQLite may have left a log mode in the header when the user looked into the file.
TEST_F(Traces, OfNsysAreReadAfterSomebodyLookedIntoThem) {
  EXPECT_EQ(Imported(NsysBytes(StepsOf(1, 30), "PRAGMA journal_mode = WAL")).Runs().size(), 1u);
}

TEST_F(Traces, CountLaunchesWithoutATimeAsLost) {
  std::string text = PytorchTrace(StepsOf(4, 30));
  const auto at = text.find("\"cat\":\"kernel\"");
  const auto ts = text.find("\"ts\":", at) + 5;
  text.replace(ts, text.find(',', ts) - ts, "-5");
  const Database database = Imported(text);
  const RunSummary run = database.Runs().at(0);
  EXPECT_EQ(run.run.program->lost_launches, 1);
  EXPECT_EQ(database.Warnings(run.id).at(0).code, "launches_lost");
}

// The first call of a number counts.
TEST_F(Traces, MayUseANumberTwice) {
  std::string text = PytorchTrace(StepsOf(2, 30));
  for (std::size_t at = 0; (at = text.find("\"correlation\":2,", at)) != text.npos;)
    text.replace(at, 15, "\"correlation\":1");
  const std::string repeated = PytorchTrace(StepsOf(2, 30));
  for (std::size_t at = 0; (at = text.find("\"correlation\":2}", at)) != text.npos;)
    text.replace(at, 15, "\"correlation\":1");
  const Database database = Imported(text);
  EXPECT_EQ(Named(database.LoadKernels(database.Runs().at(0).id, Ordinals::kAll), "softmax").program->calls, 1)
      << "it has the range of gemm, and so is another launch";
}

TEST_F(Traces, TakeHostileNames) {
  InventedTrace trace = StepsOf(1, 30);
  trace.kernels[0].name = "\\u001b]0;x\\u0007'; DROP TABLE run; -- " + std::string(1 << 20, 'x');
  trace.kernels[1].range = std::string(3000, 'a') + "/\\u0000/\\u202e";
  const Database database = Imported(PytorchTrace(trace));
  EXPECT_EQ(database.LoadKernels(database.Runs().at(0).id, Ordinals::kAll).size(), 2u);
  trace.kernels[0].name = "\x1b[31m\xff\xfe";
  trace.kernels[1].range = "\xc3/\x9b";
  EXPECT_EQ(Imported(NsysBytes(trace)).Runs().size(), 1u);
}

TEST_F(Traces, AreRefusedInOneSentence) {
  const std::string good = PytorchTrace(StepsOf(2, 30));
  const auto with = [&](std::string_view from, std::string_view to) {
    std::string text = good;
    const auto at = text.find(from);
    EXPECT_NE(at, text.npos) << from;
    return text.replace(at, from.size(), to);
  };
  EXPECT_THAT(Refusal(good.substr(0, good.size() / 2)), AllOf(HasSubstr("F line "), HasSubstr("it is no JSON")));
  EXPECT_THAT(Refusal(with("ampere", "\xff\xfe")), HasSubstr("it is no JSON: "));
  EXPECT_THAT(Refusal(with("\"grid\":[128,1,1]", "\"grid\":[0,1,1]")), HasSubstr("] has a grid of less than 1"));
  EXPECT_THAT(Refusal(with("\"grid\":[128,1,1]", "\"grid\":7")), HasSubstr("] has a grid of less than 1"));
  EXPECT_THAT(Refusal(with("\"device\":0", "\"device\":-1")), HasSubstr("has a device that is none"));
  EXPECT_THAT(Refusal("{\"traceEvents\": []}"), HasSubstr("no kernel or copy of a GPU"));
  EXPECT_THAT(Refusal("{\"traceEvents\": [1, [2, {}], \"x\", null]}"), HasSubstr("no kernel or copy of a GPU"));
  EXPECT_THAT(Refusal("{\"a\": {\"traceEvents\": []}}"), HasSubstr("no list of traceEvents at its top"));
  EXPECT_THAT(Refusal("{\"traceEvents\": " + std::string(100'000, '[')), HasSubstr("it is no JSON"));
  EXPECT_THAT(Refusal("{\"traceEvents\": [{\"cat\": \"kernel\", \"ph\": \"X\", \"ts\": 1e300, \"dur\": 1e300}]}"),
              HasSubstr("no kernel or copy of a GPU"));
  const std::string nsys = NsysBytes(StepsOf(1, 30));
  EXPECT_THAT(Refusal(nsys.substr(0, nsys.size() / 2)), HasSubstr("cannot be read ("));
  EXPECT_THAT(Refusal(NsysBytes({})), HasSubstr("no kernel or copy of a GPU"));
  EXPECT_THAT(Refusal(NsysBytes(StepsOf(1, 30), "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET gridX = -4")),
              HasSubstr("has a grid or block of -4"));
  // A view could compute without an end.
  EXPECT_THAT(Refusal(NsysBytes({},
                                "DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL; CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH "
                                "RECURSIVE n(start) AS (SELECT 1 UNION ALL SELECT start + 1 FROM n) SELECT * FROM n")),
              HasSubstr("no kernel or copy of a GPU"));
  RawSqlite(scratch / "other.sqlite").Execute("CREATE TABLE t(a)");
  EXPECT_THAT(Refusal(Bytes(scratch / "other.sqlite")), HasSubstr("an SQLite database of another program"));
}

// docs/files.md shows what culprit says of them. CULPRIT_UPDATE_GOLDEN=1 rewrites them.
TEST_F(Traces, OfTheDocumentAreInvented) {
  for (const auto& [name, in_double] : {std::pair("before.json", false), {"after.json", true}}) {
    const std::filesystem::path file = std::filesystem::path(CULPRIT_SOURCE_DIR) / "tests/recorded/traces" / name;
    const std::string text = PytorchTrace(Training(in_double));
    if (std::getenv("CULPRIT_UPDATE_GOLDEN") != nullptr) Write(file, text);
    EXPECT_EQ(Bytes(file), text);
  }
}

TEST(OpenRanges, AreThoseOfTheThreadAtThatTime) {
  OpenRanges ranges;
  ranges.Add({1, 1}, 0, 100, "outer");
  ranges.Add({1, 1}, 10, 20, "inner");
  ranges.Add({1, 2}, 0, 100, "other thread");
  for (const std::int64_t at : {5, 10, 15, 20, 21, 200}) ranges.AddCall({1, 1}, at);
  std::vector<std::string> paths;
  std::vector<std::string> found;
  for (const int path : ranges.FindPaths(paths)) found.push_back(path < 0 ? "" : paths[static_cast<std::size_t>(path)]);
  EXPECT_THAT(found, ElementsAre("outer", "outer/inner", "outer/inner", "outer/inner", "outer", ""));
}

TEST(OpenRanges, LeaveOutWhatEndsWithinALaterOne) {
  OpenRanges ranges;
  ranges.Add({1, 1}, 0, 20, "first", OpenRanges::Kind::kStartEnd);
  ranges.Add({1, 1}, 10, 30, "second", OpenRanges::Kind::kStartEnd);
  ranges.Add({1, 1}, 12, 18, "inner", OpenRanges::Kind::kStartEnd);
  ranges.Add({1, 1}, 5, 16, "pushed");
  for (const std::int64_t at : {7, 11, 15, 19}) ranges.AddCall({1, 1}, at);
  std::vector<std::string> paths, found;
  for (const int path : ranges.FindPaths(paths)) found.push_back(paths[static_cast<std::size_t>(path)]);
  EXPECT_THAT(found, ElementsAre("first/pushed", "pushed/second", "pushed/second/inner", "second"));
}

// A million open ranges cost no more than a few.
TEST(OpenRanges, LeaveOutWhatIsTooDeep) {
  OpenRanges ranges;
  for (int i = 0; i < 100'000; ++i) ranges.Add({1, 1}, i, 1'000'000, "r");
  for (int i = 0; i < 1000; ++i) ranges.AddCall({1, 1}, 200'000 + i);
  std::vector<std::string> paths;
  EXPECT_EQ(ranges.FindPaths(paths).size(), 1000u);
  EXPECT_EQ(paths.size(), OpenRanges::kMostDepth);
}

}  // namespace
}  // namespace culprit
