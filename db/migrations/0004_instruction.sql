-- What single machine instructions did, and what stages say of their accesses to shared memory.

-- Machine code of a function as far as it comes from one source file; what is inlined comes from others. Shared by all
-- launches: written out with every instruction, the two names would be a third of it.
CREATE TABLE function_source (
  id          INTEGER PRIMARY KEY,
  function    TEXT NOT NULL,  -- symbol
  source_file TEXT NOT NULL,  -- relative to the repository root below it, else the name alone; '': not known
  UNIQUE (function, source_file)
) STRICT;

-- A machine instruction of a launch that touches memory, or that is a barrier of a block (BAR), counted by patched code
-- (metrics with source 'sass'); a launch of several kernels is counted for its first. Other instructions are left out:
-- they have no more to say than how often they ran, and would make up most of the file. So the values of sass_inst and
-- sass_thread_inst here do not add up to the launch's, those of every other metric do. A barrier has sass_inst alone.
-- In an export an instruction takes about 160 bytes with its values: a kernel of 400 instructions, 60 to 100 of which
-- touch memory, adds 10 to 16 KB.
CREATE TABLE instruction (
  id                 INTEGER PRIMARY KEY,
  launch_id          INTEGER NOT NULL REFERENCES launch(id) ON DELETE CASCADE,
  function_source_id INTEGER NOT NULL REFERENCES function_source(id),
  pc_offset          INTEGER NOT NULL,  -- bytes from the function's start
  source_line        INTEGER NOT NULL,  -- 0: not known
  opcode             TEXT    NOT NULL,  -- mnemonic without modifiers: 'LDS', 'BAR'; '': not known
  UNIQUE (launch_id, function_source_id, pc_offset)
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
  -- From one row of the array to the next, with padding; 0: the array has no rows.
  row_bytes  INTEGER NOT NULL CHECK (row_bytes >= 0),
  op         TEXT    NOT NULL CHECK (op = 'ld' OR op = 'st' OR op = 'ldsm' OR op = 'stsm'),
  lane_bytes INTEGER NOT NULL CHECK (lane_bytes IN (4, 8, 16)),  -- bytes that each lane names
  addresses  TEXT    NOT NULL,  -- JSON array: byte address of each of the 32 lanes in the array, null: takes no part
  PRIMARY KEY (run_id, stage_id, name)
) STRICT, WITHOUT ROWID;
