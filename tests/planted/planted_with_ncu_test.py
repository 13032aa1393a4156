#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds script/planted-with-ncu: what it keeps of ncu's output, how it orders advice, and as which causes it reads it.

Usage: planted_with_ncu_test.py SCRIPT ANSWERS.csv

All advice here is invented, in ncu's words; ncu is a program written for the occasion.
"""
import csv
import importlib.machinery
import importlib.util
import os
import stat
import subprocess
import sys
import tempfile
import unittest

SCRIPT, ANSWERS = "", ""

STALLED = "On average, each warp of this workload spends 9.0 cycles being stalled waiting for "
MIO = STALLED + "the MIO (memory input/output) instruction queue to be not full."
L1TEX = STALLED + "a scoreboard dependency on a L1TEX (local, global, surface, texture) operation."
SHORT = STALLED + "a scoreboard dependency on a MIO (memory input/output) operation (not to L1TEX)."
WAVE = "A wave of thread blocks is defined as the maximum number of blocks that can be executed in parallel."
IDLE = "All compute pipelines are under-utilized. Either this workload is very small or it doesn't issue enough."
LIMITS = "The 3.00 theoretical warps per scheduler this kernel can issue according to its occupancy are below the " \
         "hardware maximum of 16. This kernel's theoretical occupancy (18.8%) is limited by "
FMA_THEN_XU = "FMA is the highest-utilized pipeline (75.9%) based on active cycles. It executes 32-bit floating " \
              "point (FADD, FMUL, FMAD, ...) operations. " + "The pipeline is well-utilized. " * 9 + \
              "Based on the number of executed instructions, the highest utilized pipeline (75.7%) is XU."

DETAILS = ["ID", "Kernel Name", "Section Name", "Metric Name", "Metric Value", "Rule Name", "Rule Type",
           "Rule Description", "Estimated Speedup Type", "Estimated Speedup"]


def load():
    sys.dont_write_bytecode = True
    loader = importlib.machinery.SourceFileLoader("planted_with_ncu", SCRIPT)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("planted_with_ncu", loader))
    loader.exec_module(module)
    return module


class PlantedWithNcu(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write_csv(self, name, rows, quoting=csv.QUOTE_MINIMAL):
        with open(self.path(name), "w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n", quoting=quoting).writerows(rows)
        return self.path(name)

    def run_script(self, *args, **kwargs):
        return subprocess.run([sys.executable, "-B", SCRIPT, *args], capture_output=True, text=True, **kwargs)

    def compare(self, answers, rules):
        answers = self.write_csv("answers.csv", [["pair", "base", "candidate", "cause", "planted"], *answers])
        rules = self.write_csv("rules.csv", [["# Nsight Compute 1.2.3"],
                                             ["kernel", "rule", "type", "estimate", "percent", "description"], *rules])
        return self.run_script("--answers", answers, "--rules", rules)

    def test_advice_is_ordered_by_global_then_local_estimate_and_without_one_comes_last(self):
        done = self.compare([["tile", "fast", "slow", "shared_bank_conflicts", ""]], [
            ["fast", "LaunchConfiguration", "OPT", "global", "35", WAVE],
            ["fast", "HighPipeUtilization", "OPT", "local", "90", IDLE],
            ["slow", "SOLBottleneck", "OPT", "", "", "typically indicate latency issues"],
            ["slow", "HighPipeUtilization", "OPT", "local", "99", IDLE],
            ["slow", "CPIStall", "OPT", "global", "20", MIO],
            ["slow", "LaunchConfiguration", "OPT", "global", "35.5", WAVE]])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("| tile | shared_bank_conflicts | LaunchConfiguration (partial wave), 35.5 % global | no | "
                      "CPIStall (MIO queue full), 20.0 % global | yes | "
                      "CPIStall (MIO queue full), +20.0 points | yes |", done.stdout)
        for line in ("| first | 0 | 1 |", "| first or second | 1 | 1 |", "| grew most | 1 | 1 |",
                     "Nsight Compute 1.2.3", "first advice stands for 2.0 causes"):
            self.assertIn(line, done.stdout)

    def test_growth_is_of_the_same_advice_and_not_of_the_same_rule(self):
        done = self.compare([["tile", "fast", "slow", "shared_traffic", ""]], [
            ["fast", "CPIStall", "OPT", "global", "40", L1TEX],
            ["fast", "AchievedOccupancy", "OPT", "global", "1", "x"],
            ["slow", "CPIStall", "OPT", "global", "45", L1TEX],
            ["slow", "CPIStall", "OPT", "global", "30", SHORT],
            ["slow", "AchievedOccupancy", "OPT", "global", "21", "x"]])
        self.assertIn("| CPIStall (L1TEX data), 45.0 % global | no | CPIStall (MIO data), 30.0 % global | yes | "
                      "CPIStall (MIO data), +30.0 points | yes |", done.stdout)

    def test_what_is_not_measured_is_named_and_not_counted(self):
        done = self.compare([["a", "a0", "a1", "divergence", ""], ["b", "b0", "b1", "barrier", ""],
                             ["c", "c0", "c1", "atomics", ""]], [
            ["a1", "ThreadDivergence", "OPT", "global", "9", "x"],
            ["c0", "", "", "", "", ""],
            ["c1", "", "", "", "", ""]])
        self.assertEqual(done.returncode, 1)
        self.assertIn("3 of 6 kernels were not profiled (a0, b0, b1)", done.stderr)
        for line in ("| a | divergence | ThreadDivergence, 9.0 % global | yes | nothing | no | base not measured |  |",
                     "| b | barrier | not measured |", "| c | atomics | nothing | no | nothing | no | nothing | no |",
                     "| first | 1 | 2 |", "| grew most | 0 | 1 |", "1 of 3 pairs not measured"):
            self.assertIn(line, done.stdout)

    def test_unknown_rules_are_listed_and_right_about_nothing(self):
        done = self.compare([["a", "a0", "a1", "divergence", ""]], [
            ["a0", "CPIStall", "OPT", "global", "9", "stalled in a way of which nobody has heard"],
            ["a1", "DivergenceOracle", "OPT", "global", "9", "divergence"]])
        self.assertIn("DivergenceOracle, 9.0 % global | no |", done.stdout)
        self.assertIn("does not know, and ignores: CPIStall, DivergenceOracle.", done.stdout)

    def test_words_of_a_description_choose_the_causes(self):
        script = load()
        for rule, words, causes in [
                ("CPIStall", SHORT, ["atomics", "constant_cache", "divergence", "exposed_shared", "sfu_pipe", "shared_access_width",
                                     "shared_bank_conflicts", "shared_traffic"]),
                ("CPIStall", "stalled waiting for sibling warps at a CTA barrier.", ["barrier", "divergence"]),
                ("TheoreticalOccupancy", LIMITS + "the number of required registers.", ["occupancy_registers"]),
                ("TheoreticalOccupancy", LIMITS + "the number of required registers, and the required amount of shared "
                                                  "memory.", ["occupancy_registers", "occupancy_shared"]),
                ("HighPipeUtilization", FMA_THEN_XU, ["fma_pipe", "instruction_count", "sfu_pipe"]),
                ("WorkloadImbalance", "One or more SMs have a much higher number of active cycles", ["imbalance_tail"]),
                ("WorkloadImbalance", "One or more L2 Slices have a much higher number of active cycles",
                 ["atomics", "imbalance_tail", "l2_traffic"]),
                ("MemoryCacheAccessPattern", "The memory access pattern for local loads from L1TEX might not",
                 ["local_memory_array", "local_memory_spill", "local_memory_unknown"]),
                ("MemoryCacheAccessPattern", "The memory access pattern for global stores to DRAM might not",
                 ["dram_traffic", "global_access_width", "global_uncoalesced"])]:
            with self.subTest(words):
                advice = script.Advice({"rule": rule, "estimate": "global", "percent": "1", "description": words})
                self.assertEqual(advice.causes, causes)

    def test_each_planted_cause_can_be_meant_by_some_advice(self):
        meant = {cause for _, _, _, causes in load().MEANINGS for cause in causes.split()}
        with open(ANSWERS, encoding="utf-8", newline="") as file:
            planted = {row["cause"] for row in csv.DictReader(file)}
        self.assertEqual(planted - meant, set())

    def measured(self, details, status):
        """What --measure writes when ncu exports these rows and exits with this status."""
        exported = self.write_csv("details.csv", [DETAILS, *details], csv.QUOTE_ALL)  # as ncu does
        programs = os.path.join(self.folder.name, "bin")
        os.makedirs(programs)
        ncu = f"""#!/bin/sh
case "$1" in
  -i) [ -e "$2" ] || exit 9; echo '==PROF== a line before the table'; cat '{exported}' ;;
  --version) echo 'Version 1.2.3 (build 4)' ;;
  *)
    [ "$*" = "--set full -f -o $5 --kernel-id :::2|34 {programs}/bench --once" ] || exit 8
    : > "$5.ncu-rep"
    exit {status} ;;
esac
"""
        for name, text in (("ncu", ncu), ("bench", "#!/bin/sh\n"), ("nvidia-smi", "#!/bin/sh\necho 'GPU, 5'\n")):
            with open(os.path.join(programs, name), "w", encoding="utf-8") as file:
                file.write(text)
            os.chmod(file.name, os.stat(file.name).st_mode | stat.S_IXUSR)
        answers = self.write_csv("answers.csv",
                                 [["pair", "base", "candidate", "cause"], ["p", "fast", "slow", "launch"]])
        out = self.path("out.csv")
        done = self.run_script("--answers", answers, "--measure", os.path.join(programs, "bench"), out,
                               env={**os.environ, "PATH": programs + os.pathsep + os.environ["PATH"]})
        self.assertTrue(os.path.exists(out), done.stderr)
        with open(out, encoding="utf-8", newline="") as file:
            return done, file.readline(), list(csv.reader(file))

    def test_measuring_keeps_the_advice_of_the_last_launch_of_each_kernel(self):
        done, remark, rows = self.measured([
            ["0", "slow", "S", "", "", "CPIStall", "OPT", "of the first launch", "global", "77"],
            ["1", "fast", "S", "Duration", "1,234"],
            ["2", "slow", "S", "Duration", "1,234"],
            ["10", "slow", "S", "Duration", "1,234"],
            ["10", "slow", "S", "", "", "CPIStall", "OPT", MIO + "\n" + "more, and more, " * 40, "global", "1,020.5"],
            ["10", "slow", "S", "", "", "CPIStall", "INF", "Check the table", "", ""],
            ["10", "slow", "S", "", "", "SOLBottleneck", "OPT", "latency issues", "", ""],
            ["10", "slow", "S", "", "", "HighPipeUtilization", "OPT", FMA_THEN_XU, "local", "12.5"],
            ["9", "slow", "S", "", "", "CPIStall", "OPT", "of an earlier launch", "global", "78"]], 0)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(remark, "# Nsight Compute 1.2.3, GPU, 5\n")
        self.assertEqual([row[:5] for row in rows], [
            ["kernel", "rule", "type", "estimate", "percent"], ["slow", "CPIStall", "OPT", "global", "1020.5"],
            ["slow", "SOLBottleneck", "OPT", "", ""], ["slow", "HighPipeUtilization", "OPT", "local", "12.5"],
            ["fast", "", "", "", ""]])
        self.assertTrue(rows[1][5].startswith(MIO) and len(rows[1][5]) < 260, rows[1][5])
        self.assertTrue(rows[3][5].endswith("is XU."), rows[3][5])

    def test_measuring_keeps_what_an_ncu_that_failed_midway_had_seen(self):
        done, _, rows = self.measured([["0", "fast", "S", "", "", "CPIStall", "OPT", MIO, "global", "5"]], 1)
        self.assertEqual(done.returncode, 1)
        self.assertIn("1 of 2 kernels were not profiled (slow)", done.stderr)
        self.assertEqual(len(rows), 2)

    def test_a_missing_file_is_told_in_one_sentence(self):
        done = self.run_script("--rules", self.path("nowhere.csv"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("make it with --measure", done.stderr)
        self.assertNotIn("Traceback", done.stderr)


if __name__ == "__main__":
    SCRIPT, ANSWERS = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
