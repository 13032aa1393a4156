-- What single machine instructions did, and what stages say of their accesses to shared memory.

-- A machine instruction of a launch that touches memory, counted by patched code (metrics with source 'sass'). Others
-- are left out: they have no more to say than how often they ran, and would make up most of the file. So the values of
-- sass_inst and sass_thread_inst here do not add up to the launch's, those of every other metric do.
-- About 200 bytes of an export with its values: 10 to 15 KB for a kernel of 400 instructions.
CREATE TABLE instruction (
  id          INTEGER PRIMARY KEY,
  launch_id   INTEGER NOT NULL REFERENCES launch(id) ON DELETE CASCADE,
  function    TEXT    NOT NULL,  -- symbol; a launch of several kernels is counted for its first
  pc_offset   INTEGER NOT NULL,  -- bytes from the function's start
  source_file TEXT    NOT NULL,  -- relative to the repository root below it, else the name alone; '': not known
  source_line INTEGER NOT NULL,  -- 0: not known
  UNIQUE (launch_id, function, pc_offset)
) STRICT;

-- A count of one instruction, summed over all warps. No row: the metric does not apply to the instruction, or was not
-- counted (the launch's reading of the metric says which).
CREATE TABLE instruction_value (
  instruction_id INTEGER NOT NULL REFERENCES instruction(id) ON DELETE CASCADE,
  metric_id      INTEGER NOT NULL REFERENCES metric(id),
  value          REAL    NOT NULL,
  PRIMARY KEY (instruction_id, metric_id)
) STRICT, WITHOUT ROWID;

-- How the first warp of a stage's block touches shared memory, as the binary of a run states it. Like a build it belongs
-- to the run, not to the stage's text: two runs may state one stage differently, and each keeps its own.
CREATE TABLE shared_access (
  run_id     INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
  stage_id   INTEGER NOT NULL REFERENCES stage(id),
  name       TEXT    NOT NULL,  -- 'store A'
  position   INTEGER NOT NULL,  -- in the order in which the stage states them
  array      TEXT    NOT NULL,  -- 'A': accesses of one array share its layout
  row_bytes  INTEGER NOT NULL,  -- from one row of the array to the next, with padding; 0: the array has no rows
  op         TEXT    NOT NULL CHECK (op = 'ld' OR op = 'st' OR op = 'ldsm' OR op = 'stsm'),
  lane_bytes INTEGER NOT NULL,  -- bytes that each lane names
  addresses  TEXT    NOT NULL,  -- JSON array: byte address of each of the 32 lanes in the array, null: takes no part
  PRIMARY KEY (run_id, stage_id, name)
) STRICT, WITHOUT ROWID;
