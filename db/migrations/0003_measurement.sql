-- The measured values.

-- One stage at one shape in a run.
CREATE TABLE launch (
  id        INTEGER PRIMARY KEY,
  run_id    INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
  stage_id  INTEGER NOT NULL REFERENCES stage(id),
  arch      TEXT    NOT NULL,  -- of the build that ran; '' if not known
  shape     TEXT    NOT NULL,  -- '4096x4096x4096', outermost extent first (GEMM: MxNxK)
  kernel    TEXT    NOT NULL,
  grid_x    INTEGER NOT NULL, grid_y  INTEGER NOT NULL, grid_z  INTEGER NOT NULL,
  block_x   INTEGER NOT NULL, block_y INTEGER NOT NULL, block_z INTEGER NOT NULL,
  dynamic_shared_bytes INTEGER NOT NULL,
  flop      REAL    NOT NULL,  -- useful operations
  min_bytes REAL    NOT NULL,  -- compulsory DRAM traffic
  state     TEXT    NOT NULL CHECK (state IN ('ok', 'failed', 'refused')),
  message   TEXT    NOT NULL,  -- why it failed or was refused
  verify_error_over_bound REAL,  -- max |out - reference| / bound; above 1 the stage failed. NULL: not verified
  verify_reference TEXT NOT NULL,
  UNIQUE (run_id, stage_id, shape)
) STRICT;
CREATE INDEX launch_by_stage ON launch (stage_id, shape);

-- Every timed execution.
CREATE TABLE sample (
  launch_id  INTEGER NOT NULL REFERENCES launch(id) ON DELETE CASCADE,
  seq        INTEGER NOT NULL,
  repetition INTEGER NOT NULL,
  time_us    REAL    NOT NULL,
  clock_mhz  REAL,              -- SM cycles over time during this sample; NULL: not measured
  low_clock  INTEGER NOT NULL CHECK (low_clock IN (0, 1)),
  PRIMARY KEY (launch_id, seq)
) STRICT, WITHOUT ROWID;

-- The dictionary of metrics. key is our name, cupti_name is CUPTI's name on the measured chip.
CREATE TABLE metric (
  id         INTEGER PRIMARY KEY,
  key        TEXT NOT NULL,  -- 'shared_load_wavefronts'
  source     TEXT NOT NULL,  -- 'range' | 'sass'
  cupti_name TEXT NOT NULL,
  unit       TEXT NOT NULL,
  meaning    TEXT NOT NULL,
  UNIQUE (key, source, cupti_name, unit, meaning)
) STRICT;

-- One hardware reading. A new metric is a new row, never a new column.
CREATE TABLE metric_value (
  launch_id INTEGER NOT NULL REFERENCES launch(id) ON DELETE CASCADE,
  metric_id INTEGER NOT NULL REFERENCES metric(id),
  value     REAL,              -- NULL: requested but not measured, status says why
  -- OR instead of IN (...): SQLite builds the list of IN again for every row, which halves the speed of storing.
  status    TEXT    NOT NULL CHECK (status = 'ok' OR status = 'unsupported' OR status = 'denied' OR status = 'failed'),
  PRIMARY KEY (launch_id, metric_id),
  CHECK ((status = 'ok') = (value IS NOT NULL))
) STRICT, WITHOUT ROWID;

-- Warnings of the recording. launch_id is NULL if the warning concerns the whole run.
CREATE TABLE warning (
  id        INTEGER PRIMARY KEY,
  run_id    INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
  launch_id INTEGER REFERENCES launch(id) ON DELETE CASCADE,
  code      TEXT    NOT NULL,
  text      TEXT    NOT NULL
) STRICT;
CREATE INDEX warning_by_run ON warning (run_id);
-- When a launch is replaced, its warnings are looked up.
CREATE INDEX warning_by_launch ON warning (launch_id);
