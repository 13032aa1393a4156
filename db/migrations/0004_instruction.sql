-- Counts of single machine instructions, and declared accesses to shared memory.

-- A function and one of the source files of its machine code. Inlined code comes from other files. All launches share
-- these rows, because the two names would otherwise be a third of every instruction.
CREATE TABLE function_source (
  id          INTEGER PRIMARY KEY,
  function    TEXT NOT NULL,  -- symbol
  source_file TEXT NOT NULL,  -- relative to the repository root, or the name if it is elsewhere; '': not known
  UNIQUE (function, source_file)
) STRICT;

-- A machine instruction of a launch that accesses memory, or that is a barrier of a block (BAR). Patched code counts it
-- (metrics with source 'sass'). If a launch has several kernels, the first is counted. Other instructions are left out,
-- because only their number of executions is known and they would make up most of the file. So the values of sass_inst
-- and sass_thread_inst here do not add up to the launch's values. Those of all other metrics do. A barrier has only
-- sass_inst. In an export, an instruction takes about 160 bytes with its values. A kernel of 400 instructions has 60 to
-- 100 that access memory and takes 10 to 16 KB.
CREATE TABLE instruction (
  id                 INTEGER PRIMARY KEY,
  launch_id          INTEGER NOT NULL REFERENCES launch(id) ON DELETE CASCADE,
  function_source_id INTEGER NOT NULL REFERENCES function_source(id),
  pc_offset          INTEGER NOT NULL,  -- bytes from the function's start
  source_line        INTEGER NOT NULL,  -- 0: not known
  opcode             TEXT    NOT NULL,  -- mnemonic without modifiers: 'LDS', 'BAR'; '': not known
  UNIQUE (launch_id, function_source_id, pc_offset)
) STRICT;

-- A count of one instruction, summed over all warps. If there is no row, the metric does not apply to the instruction,
-- or it was not counted (the launch's reading of the metric says which).
CREATE TABLE instruction_value (
  instruction_id INTEGER NOT NULL REFERENCES instruction(id) ON DELETE CASCADE,
  metric_id      INTEGER NOT NULL REFERENCES metric(id),
  value          REAL    NOT NULL,
  PRIMARY KEY (instruction_id, metric_id)
) STRICT, WITHOUT ROWID;

-- How the first warp of a stage's block accesses shared memory, as the program of a run declares it. Like a build, it
-- belongs to the run and not to the stage's text, because two runs may declare a stage differently.
CREATE TABLE shared_access (
  run_id     INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
  stage_id   INTEGER NOT NULL REFERENCES stage(id),
  name       TEXT    NOT NULL,  -- 'store A'
  position   INTEGER NOT NULL,  -- in the order of the declaration
  array      TEXT    NOT NULL,  -- 'A': accesses of one array share its layout
  -- Bytes from one row of the array to the next, with padding; 0: the array has no rows.
  row_bytes  INTEGER NOT NULL CHECK (row_bytes >= 0),
  op         TEXT    NOT NULL CHECK (op = 'ld' OR op = 'st' OR op = 'ldsm' OR op = 'stsm'),
  lane_bytes INTEGER NOT NULL CHECK (lane_bytes IN (4, 8, 16)),  -- bytes that each lane accesses
  addresses  TEXT    NOT NULL,  -- JSON array: byte address in the array for each of the 32 lanes; null: inactive
  PRIMARY KEY (run_id, stage_id, name)
) STRICT, WITHOUT ROWID;
