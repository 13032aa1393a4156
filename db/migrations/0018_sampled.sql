-- Runs whose counters were sampled.

-- 1: the GPU sampled its counters while the program was timed, so that all kernels may have sampled values. `profile`
-- says what was counted by replay, and is 'none' where nothing was replayed. Runs from before this migration have 0, even
-- if their counters were sampled.
ALTER TABLE run ADD COLUMN samples_counters INTEGER NOT NULL DEFAULT 0 CHECK (samples_counters IN (0, 1));
