-- Traces of other tools: PyTorch's profiler, JAX and Nsight Systems time all kernels of a program, as culprit record does.

-- The sources are in a CHECK, so the table is created again (as in 0007_launch_ordinal.sql).
PRAGMA legacy_alter_table = ON;
CREATE TABLE program_with_traces (
  run_id      INTEGER PRIMARY KEY REFERENCES run(id) ON DELETE CASCADE,
  -- The tool that measured: 'record' (culprit record), 'ncu' (Nsight Compute), 'google_benchmark', 'nvbench', 'pytorch'
  -- (torch.profiler), 'jax' (jax.profiler), 'nsys' (Nsight Systems).
  source      TEXT    NOT NULL CHECK (source IN ('record', 'ncu', 'google_benchmark', 'nvbench', 'pytorch', 'jax',
                                                 'nsys')),
  exit_status INTEGER,                              -- of the timed execution, 128 + signal; NULL: not known
  processes   INTEGER NOT NULL CHECK (processes >= 0),  -- those that used a GPU
  gpus        INTEGER NOT NULL CHECK (gpus >= 0),
  wall_us     REAL,  -- from the start of the timed execution to its end; with a window, how long it was open. NULL: not measured
  counted_wall_us REAL,  -- of the execution in which counters were read; NULL: there was none
  -- From the first start of work on a GPU to the end of the last, summed over GPUs: the sum of idle_us and of share_us of
  -- program_launch and program_copy. NULL: not measured.
  span_us     REAL,
  idle_us     REAL,
  lost_launches INTEGER NOT NULL CHECK (lost_launches >= 0),  -- launches without a time
  -- The window that was recorded, as `culprit record --capture` takes it; '': the whole program.
  capture     TEXT    NOT NULL DEFAULT ''
) STRICT;
INSERT INTO program_with_traces
SELECT run_id, source, exit_status, processes, gpus, wall_us, counted_wall_us, span_us, idle_us, lost_launches, capture
FROM program;
DROP TABLE program;
ALTER TABLE program_with_traces RENAME TO program;
PRAGMA legacy_alter_table = OFF;
