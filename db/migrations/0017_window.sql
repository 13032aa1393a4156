-- Windows of recorded programs, and their processes.

-- What --capture named: 'delay:5,duration:10', 'nvtx:decode', 'profiler-api'. '': the whole program was recorded. With a
-- window, wall_us is the time in which it was open, and span_us and idle_us are within it.
ALTER TABLE program ADD COLUMN capture TEXT NOT NULL DEFAULT '';

-- A process of the timed execution that used a GPU. Runs from before this migration have none.
CREATE TABLE program_process (
  run_id  INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
  process INTEGER NOT NULL CHECK (process >= 0),  -- as in sample.process
  pid     INTEGER NOT NULL CHECK (pid >= 0),      -- on the machine that recorded
  rank    INTEGER CHECK (rank >= 0),              -- in its job (MPI, torchrun, Slurm); NULL: it has none
  calls   INTEGER NOT NULL CHECK (calls >= 0),    -- of kernels
  time_us REAL    NOT NULL,                       -- the sum of the durations of its kernels and copies
  PRIMARY KEY (run_id, process)
) STRICT, WITHOUT ROWID;
