// SPDX-License-Identifier: Apache-2.0
#include "bench/options.h"

#include <fnmatch.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <memory>
#include <string>

#include "bench/program/reporting_processes.h"
#include "db/error.h"

namespace culprit {
namespace {

// An empty word is a variable of the shell that was not set: to leave it out silently would record nowhere.
const CLI::Validator kNotEmpty(
    [](std::string& word) {
      return word.empty() ? std::string("it is empty; leave the option out, or give it a value") : std::string();
    },
    "");

// CLI11 takes 010 for 8, and the nearest number that fits for one that does not.
const CLI::Validator kWholeNumber(
    [](std::string& word) {
      std::int64_t value = 0;
      const char* end = word.data() + word.size();
      const auto [stop, error] = std::from_chars(word.data(), end, value);
      const bool whole = error == std::errc() && stop == end && std::to_string(value) == word;
      return whole ? std::string() : "'" + word + "' is not a whole number of 64 bits; write digits alone, as 42";
    },
    "");

struct Texts {
  std::string profile = "none", l2 = "hot";
};

void Describe(CLI::App& app, BenchOptions& o, Texts& t) {
  app.add_option("--db", o.db, "Database to record into; created if missing")->check(kNotEmpty)->type_name("FILE");
  app.add_option("--profile", t.profile,
                 "What to count after timing: none, core (if no value is given) or full. full also samples "
                 "instructions, and lines only samples them. sampled samples instructions and counters, without replay")
      ->expected(0, 1)
      ->check(CLI::IsMember({"none", "core", "full", "lines", "sampled"}))
      ->type_name("SET");
  app.add_option("--stages", o.stages, "Which kernels: 'v1_*,cublas_sgemm'")
      ->delimiter(',')
      ->check(kNotEmpty)
      ->type_name("GLOB,...");
  app.add_option("--shapes", o.shapes, "Which shapes: '4096,2048x1024x512'")
      ->delimiter(',')
      ->check(kNotEmpty)
      ->type_name("SHAPE,...");
  app.add_option("--l2", t.l2, "State of L2 before each launch: hot (as the last launch left it) or flush")
      ->check(CLI::IsMember({"hot", "flush"}));
  app.add_option("--seed", o.seed, "Seed of the inputs, uniform in [-1, 1]")
      ->check(kWholeNumber)
      ->capture_default_str();
  app.add_option("--label", o.label, "The run's label, for --run of culprit");
  app.add_option("--samples", o.samples, "How often each kernel is timed, instead of for --benchmark_min_time")
      ->check(kWholeNumber & CLI::Range(1, 1'000'000))
      ->type_name("N");
  app.add_flag("--in-turns", o.in_turns,
               "Let the kernels of one shape take turns, sample by sample, so that all run at the same temperature; "
               "needs --samples");
  app.add_option("--processes", o.processes,
                 "Number of processes that time all kernels, one after the other, because speeds may differ between "
                 "processes; needs --db")
      ->check(kWholeNumber & CLI::Range(1, 1'000))
      ->capture_default_str()
      ->type_name("N");
  app.add_flag_callback("--doctor", [] { throw Error("--doctor is now 'culprit doctor'"); })->group("");
  app.add_flag("--machine", o.machine,
               "Measure the rates and latencies of this GPU, as the first run with counters on a machine does");
  app.add_flag("--once", o.once, "Launch each kernel once, untimed, and exit; for use under another profiler");
  app.add_flag("--verify-only", o.verify_only,
               "Verify each kernel, untimed, and print its error; for use under compute-sanitizer");
  app.add_option("--count-repetitions", o.count_repetitions,
                 "How often to read hardware counters, to know how much they vary; the median is used")
      ->check(kWholeNumber & CLI::Range(1, 100))
      ->capture_default_str();
  app.add_flag("--count-only", o.count_only, "Skip verification and timing; needs --db and --profile");
  app.add_option(kParentOption, o.parent)->group("");
  app.add_option("--culprit-turn", o.turn)->group("");
  app.add_option("--culprit-turn-done", o.turn_done)->group("");
}

}  // namespace

ParsedOptions ParseOptions(int argc, char** argv) {
  ParsedOptions parsed;
  Texts texts;
  CLI::App app{"Times, verifies, counts and records kernels."};
  app.set_help_flag();
  app.add_flag("-h,--help", parsed.help, "Print this and Google Benchmark's help");
  app.allow_extras();
  Describe(app, parsed.options, texts);
  // CLI11 takes the value of `--profile --db x` for "none given", and of `--profile core` for core: both are meant.
  bool bare_profile = false;
  for (int i = 1; i < argc; ++i)
    if (std::string_view(argv[i]) == "--profile" && (i + 1 == argc || argv[i + 1][0] == '-')) bare_profile = true;
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    throw Error(std::string(e.what()) + " (see --help)");
  }
  BenchOptions& o = parsed.options;
  if (bare_profile) texts.profile = "core";
  if (texts.profile == "core") o.profile = MetricSet::kCore;
  if (texts.profile == "full") o.profile = MetricSet::kFull;
  o.samples_counters = texts.profile == "sampled";
  o.lines = texts.profile == "full" || texts.profile == "lines" || o.samples_counters;
  o.l2 = texts.l2 == "flush" ? CacheState::kFlush : CacheState::kHot;

  parsed.google_benchmark.push_back(argc > 0 ? argv[0] : "bench");
  for (const std::string& extra : app.remaining()) {
    if (!extra.starts_with("--benchmark_") && !extra.starts_with("--v="))
      throw Error("unknown argument '" + extra + "' (see --help)");
    if (extra == "--benchmark_list_tests" || extra.starts_with("--benchmark_list_tests="))
      parsed.list_only = !extra.ends_with("=false");
    parsed.google_benchmark.push_back(extra);
  }
  if ((o.profile || o.lines) && o.db.empty() && !parsed.help && !parsed.list_only && !o.once && !o.verify_only)
    throw Error("--profile needs a database for its results; name one with --db FILE");
  if (o.once + o.verify_only + o.count_only > 1)
    throw Error("--once, --verify-only and --count-only exclude each other; give one of them");
  if (o.processes > 1 && (o.once || o.verify_only || o.count_only))
    throw Error("--processes is for timing, but --once, --verify-only and --count-only do not time; leave one out");
  if (o.processes > 1 && o.db.empty() && !parsed.help && !parsed.list_only)
    throw Error("--processes needs a database for the samples of each process; name one with --db FILE");
  if (o.in_turns && o.samples == 0 && !parsed.help && !parsed.list_only)
    throw Error("--in-turns needs the number of samples; give it with --samples N");
  if (o.in_turns && (o.once || o.verify_only || o.count_only))
    throw Error("--in-turns is for timing, but --once, --verify-only and --count-only do not time; leave one out");
  if (o.count_only && !o.Counts())
    throw Error("--count-only needs to know what to count; add --profile=core, --profile=full or --profile=sampled");
  if (o.samples_counters && o.l2 == CacheState::kFlush)
    throw Error(
        "--profile=sampled counts launches that follow each other, without flushing L2; leave out --l2=flush, or count "
        "by --profile=core");
  return parsed;
}

std::string OptionsHelp(const std::string& program) {
  BenchOptions o;
  Texts t;
  CLI::App app{"Times kernels under Google Benchmark, then counts what the hardware did, and records both.", program};
  Describe(app, o, t);
  app.footer("Example: " + program +
             " --db m.db --profile --stages 'v1_*,cublas_sgemm' --shapes 4096\n"
             "Exit status: 0 fine, 1 a kernel failed, 2 could not do it.");
  return app.help();
}

bool Selected(const std::vector<std::string>& globs, const std::string& id) {
  if (globs.empty()) return true;
  return std::any_of(globs.begin(), globs.end(),
                     [&](const std::string& g) { return fnmatch(g.c_str(), id.c_str(), 0) == 0; });
}

}  // namespace culprit
