-- Timelines: what a program's GPUs did over its time, and how the work of a launch goes over its duration.

-- One row for each recorded program. Times are nanoseconds after the first start of a kernel or copy on any GPU, in the
-- timed execution. A run without a row has no timeline.
CREATE TABLE timeline (
  run_id   INTEGER PRIMARY KEY REFERENCES run(id) ON DELETE CASCADE,
  span_ns  INTEGER NOT NULL CHECK (span_ns >= 0),  -- to the last end of a kernel or copy on any GPU
  bin_ns   INTEGER NOT NULL CHECK (bin_ns >= 0),   -- the length of a bin of timeline_counter; 0: nothing was sampled
  left_out INTEGER NOT NULL CHECK (left_out >= 0)  -- launches and copies that began outside the windows
) STRICT;

-- Every launch and copy that began in a window is in timeline_launch or timeline_copy. A program with few of them has
-- one window, which is its whole span. Another has a window at its start and one in its middle.
CREATE TABLE timeline_window (
  run_id   INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
  start_ns INTEGER NOT NULL CHECK (start_ns >= 0),
  end_ns   INTEGER NOT NULL,
  PRIMARY KEY (run_id, start_ns),
  CHECK (end_ns >= start_ns)
) STRICT, WITHOUT ROWID;

-- NVTX ranges of listed launches.
CREATE TABLE timeline_range (
  run_id INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
  number INTEGER NOT NULL CHECK (number >= 0),  -- 0, 1, 2, ...
  path   TEXT    NOT NULL,  -- as program_launch.nvtx, but with its numbers: 'step 17/forward'
  PRIMARY KEY (run_id, number)
) STRICT, WITHOUT ROWID;

-- One call of a launch.
CREATE TABLE timeline_launch (
  launch_id   INTEGER NOT NULL REFERENCES launch(id) ON DELETE CASCADE,
  seq         INTEGER NOT NULL,  -- 0, 1, 2, ... by start
  gpu         INTEGER NOT NULL CHECK (gpu >= 0),
  stream      INTEGER NOT NULL,  -- CUPTI's number. Processes number their streams separately
  start_ns    INTEGER NOT NULL CHECK (start_ns >= 0),
  duration_ns INTEGER NOT NULL CHECK (duration_ns >= 0),
  from_graph  INTEGER NOT NULL CHECK (from_graph IN (0, 1)),
  range_number INTEGER CHECK (range_number >= 0),  -- timeline_range.number; NULL: in no range
  PRIMARY KEY (launch_id, seq)
) STRICT, WITHOUT ROWID;

-- One copy or memset.
CREATE TABLE timeline_copy (
  run_id      INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
  seq         INTEGER NOT NULL,  -- 0, 1, 2, ... by start
  kind        TEXT    NOT NULL CHECK (kind IN ('to_device', 'to_host', 'on_device', 'between_devices', 'set', 'other')),
  gpu         INTEGER NOT NULL CHECK (gpu >= 0),
  bytes       REAL    NOT NULL,
  start_ns    INTEGER NOT NULL CHECK (start_ns >= 0),
  duration_ns INTEGER NOT NULL CHECK (duration_ns >= 0),
  PRIMARY KEY (run_id, seq)
) STRICT, WITHOUT ROWID;

-- Counters that one GPU counted together. They take turns with other lists of counters.
CREATE TABLE timeline_turn (
  id         INTEGER PRIMARY KEY,
  run_id     INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
  gpu        INTEGER NOT NULL CHECK (gpu >= 0),
  position   INTEGER NOT NULL,  -- 0, 1, 2, ... on its GPU
  covered_ns TEXT    NOT NULL,  -- JSON array: for each bin, how much of its time these counters counted
  UNIQUE (run_id, gpu, position)
) STRICT;

CREATE TABLE timeline_counter (
  timeline_turn_id INTEGER NOT NULL REFERENCES timeline_turn(id) ON DELETE CASCADE,
  metric_id        INTEGER NOT NULL REFERENCES metric(id),
  -- JSON array: for each bin, what the whole GPU counted in the covered time, to five digits. null: not measured.
  sums             TEXT    NOT NULL,
  PRIMARY KEY (timeline_turn_id, metric_id)
) STRICT, WITHOUT ROWID;

-- How the count of a sampled metric goes over the duration of a launch: the mean over its calls on the GPU with most of
-- them. JSON arrays with numbers to five digits. A launch without a row has no such profile.
CREATE TABLE phase_profile (
  launch_id   INTEGER NOT NULL REFERENCES launch(id) ON DELETE CASCADE,
  metric_id   INTEGER NOT NULL REFERENCES metric(id),
  duration_ns REAL    NOT NULL CHECK (duration_ns > 0),  -- of a call, mean
  edges       TEXT    NOT NULL,  -- one more than phases: relative times from 0 (start) to 1 (end)
  counts      TEXT    NOT NULL,  -- for each phase, per call. Their sum is the whole count
  errors      TEXT    NOT NULL,  -- one standard deviation of each count
  PRIMARY KEY (launch_id, metric_id)
) STRICT, WITHOUT ROWID;
