# SPDX-License-Identifier: Apache-2.0
"""The counters that are compared, and which of them are judged. This file was written before anything was measured."""
import dataclasses

WORK, TIME, CACHE = "work", "time", "caches"

# What each kind of counter depends on, for the page.
KINDS = {
    WORK: "depends on the code and its data. Replay and sampling must agree, so these are judged",
    TIME: "depends on how long a launch takes and how its warps meet: on caches, on the clock, and on what runs before. A "
          "replayed launch takes another time than the program's own. Shown, not judged",
    CACHE: "depends on what the caches hold when the launch begins. Replay saves and restores memory between its passes, so it "
           "finds another state than the program does. Shown, not judged",
}


@dataclasses.dataclass(frozen=True)
class Counter:
    key: str  # of the sampled counter
    kind: str
    replayed: tuple = ()  # the counters whose sum it is; empty: the counter of the same key

    @property
    def truth_keys(self):
        return self.replayed or (self.key,)


COUNTERS = (
    Counter("inst_executed", WORK),
    Counter("sass_thread_inst_on", WORK),
    Counter("pipe_alu_inst", WORK),
    # Instructions of half precision take both halves of the pipe (docs/evidence/cupti.md).
    Counter("pipe_fma_halves_inst", WORK, ("pipe_fma_inst", "pipe_fp16_inst")),
    Counter("pipe_uniform_inst", WORK),
    Counter("pipe_xu_inst", WORK),
    Counter("shared_wavefronts", WORK),
    Counter("shared_load_wavefronts", WORK),
    Counter("shared_store_wavefronts", WORK),
    Counter("local_load_sectors", WORK),
    Counter("local_store_sectors", WORK),
    Counter("idc_requests", WORK),
    # L1 is empty when a launch begins, so what it asks of L2 is the launch's own.
    Counter("l2_sectors_from_l1", WORK),
    Counter("warps_active", TIME),
    # Sampled, an SM with a warp counts for all its four sub-partitions (db/sampled_counters.cpp).
    Counter("smsp_cycles_active", TIME),
    # Counts lost arbitration, too: different in each launch.
    Counter("shared_conflicts_hw", TIME),
    Counter("l1_sectors_hit", CACHE),
    Counter("l1_sectors_miss", CACHE),
    Counter("l2_sectors", CACHE),
    Counter("dram_read_bytes", CACHE),
    Counter("dram_write_bytes", CACHE),
    Counter("icc_misses", CACHE),
    Counter("imc_misses", CACHE),
)

INSTRUCTIONS = "inst_executed"
# A deviation is relative to the counter, or to this part of the launch's instructions where that is more: a few uniform
# instructions of a kernel with millions of others change no judgement.
LEAST_PART = 0.01
# A counter that differs by more between two replays of a kernel is no truth: how often a warp polls, for example.
MOST_SPREAD = 0.01
