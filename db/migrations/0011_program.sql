-- Runs of unmodified programs, and results from other tools.

-- One row for each run of something other than our benchmarks. Its stages are the kernels of the program, by name. A
-- launch here means all launches of a kernel with the same grid, block, shared memory and NVTX range.
CREATE TABLE program (
  run_id      INTEGER PRIMARY KEY REFERENCES run(id) ON DELETE CASCADE,
  -- The tool that measured: 'record' (culprit record), 'ncu' (Nsight Compute), 'google_benchmark', 'nvbench'.
  source      TEXT    NOT NULL CHECK (source IN ('record', 'ncu', 'google_benchmark', 'nvbench')),
  exit_status INTEGER,                              -- of the timed execution, 128 + signal; NULL: not known
  processes   INTEGER NOT NULL CHECK (processes >= 0),  -- those that used a GPU
  gpus        INTEGER NOT NULL CHECK (gpus >= 0),
  wall_us     REAL,  -- from the start of the timed execution to its end; NULL: not measured
  counted_wall_us REAL,  -- of the execution in which counters were read; NULL: there was none
  -- From the first start of work on a GPU to the end of the last, summed over GPUs: the sum of idle_us and of share_us of
  -- program_launch and program_copy. NULL: not measured.
  span_us     REAL,
  idle_us     REAL,
  lost_launches INTEGER NOT NULL CHECK (lost_launches >= 0)  -- launches without a time
) STRICT;

-- Copies and memsets on the GPUs' timelines.
CREATE TABLE program_copy (
  run_id   INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
  kind     TEXT    NOT NULL CHECK (kind IN ('to_device', 'to_host', 'on_device', 'between_devices', 'set', 'other')),
  calls    INTEGER NOT NULL CHECK (calls > 0),
  bytes    REAL    NOT NULL,
  time_us  REAL    NOT NULL,  -- the sum of their durations
  share_us REAL    NOT NULL,  -- of the timeline: if n things run at once, each has an n-th of the time
  PRIMARY KEY (run_id, kind)
) STRICT, WITHOUT ROWID;

CREATE TABLE program_launch (
  launch_id INTEGER PRIMARY KEY REFERENCES launch(id) ON DELETE CASCADE,
  name      TEXT    NOT NULL,  -- readable, in full: "void at::native::vectorized_elementwise_kernel<4, ...>(int, ...)"
  nvtx      TEXT    NOT NULL,  -- innermost ranges, outermost first, "step/forward", with numbers as '#'; '' without
  first     INTEGER NOT NULL CHECK (first >= 0),  -- the number of its first call among all launches of the program
  calls     INTEGER NOT NULL CHECK (calls > 0),   -- if there are many, only some are stored as samples
  time_us   REAL,              -- the sum of their durations; NULL: not measured
  share_us  REAL,              -- of the timeline, as in program_copy
  graph_calls INTEGER NOT NULL CHECK (graph_calls >= 0),  -- calls from CUDA graphs
  counted   INTEGER NOT NULL CHECK (counted >= 0),        -- launches whose counters were read
  not_counted TEXT  NOT NULL   -- one sentence why there are no counters; '' if there are, or if none were requested
) STRICT;
