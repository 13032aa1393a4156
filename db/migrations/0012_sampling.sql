-- Machine code with all of its instructions, and samples of program counters.

-- Two tables have machine instructions. `instruction` (0004) has exact counts from patched code for memory accesses and
-- barriers. `code_instruction` has all instructions of a kernel, once for all launches, without counts, and
-- `instruction_sample` says how often a sampler saw a warp there. Join them by function and pc_offset, if the function
-- has the same code (build.cubin_digest = code.digest).

-- The source lines of an instruction. Inlined code has a line in each function of the chain of calls. Shared by all
-- code.
CREATE TABLE line_chain (
  id          INTEGER PRIMARY KEY,
  -- The user's own line: the innermost one outside headers of CUDA and the system, otherwise the innermost one.
  source_file TEXT    NOT NULL,  -- relative to the repository root, or the name if it is elsewhere
  source_line INTEGER NOT NULL,
  frames      TEXT    NOT NULL,  -- JSON array of [file, line], innermost first; the last is in the kernel itself
  UNIQUE (source_file, source_line, frames)
) STRICT;

-- A decoded instruction without its place. Shared by all code, because a third of the instructions of our kernels occur
-- more than once, and a changed kernel keeps most of its instructions.
CREATE TABLE machine_instruction (
  id       INTEGER PRIMARY KEY,
  -- The instruction, the more significant half first. The other columns are decoded from it.
  encoding TEXT    NOT NULL CHECK (length(encoding) = 32 AND encoding NOT GLOB '*[^0-9a-f]*'),
  opcode   TEXT    NOT NULL,  -- with modifiers: 'LDG.E.128'; '': not in our tables
  operands TEXT    NOT NULL,  -- 'R4, desc[UR4][R2.64+0x10]'; '': none, or not decoded
  stall_cycles     INTEGER NOT NULL CHECK (stall_cycles BETWEEN 0 AND 15),  -- at least, until the warp's next one
  yield            INTEGER NOT NULL CHECK (yield IN (0, 1)),  -- 1: the scheduler should take another warp
  write_scoreboard INTEGER NOT NULL CHECK (write_scoreboard BETWEEN -1 AND 6),  -- released with the results; -1: none
  read_scoreboard  INTEGER NOT NULL CHECK (read_scoreboard BETWEEN -1 AND 6),   -- when operands were read; -1: none
  wait_mask        INTEGER NOT NULL CHECK (wait_mask BETWEEN 0 AND 63),  -- bit n: waits until scoreboard n is free
  UNIQUE (encoding, opcode, operands, stall_cycles, yield, write_scoreboard, read_scoreboard, wait_mask)
) STRICT;

-- Machine code of a function. Shared by all launches and runs of it.
CREATE TABLE code (
  id       INTEGER PRIMARY KEY,
  function TEXT NOT NULL,  -- symbol
  digest   TEXT NOT NULL,  -- of its bytes, as build.cubin_digest; '': its module was not available
  -- A digest of its instructions and their lines as stored here, because the same bytes from an edited file have other
  -- lines. '': no instructions are known.
  listing  TEXT NOT NULL,
  UNIQUE (function, digest, listing)
) STRICT;

CREATE TABLE code_instruction (
  code_id                INTEGER NOT NULL REFERENCES code(id) ON DELETE CASCADE,
  pc_offset              INTEGER NOT NULL,  -- bytes from the function's start
  machine_instruction_id INTEGER NOT NULL REFERENCES machine_instruction(id),
  line_chain_id          INTEGER REFERENCES line_chain(id),  -- NULL: no line information
  PRIMARY KEY (code_id, pc_offset)
) STRICT, WITHOUT ROWID;

-- The sampling of a launch, which ran alone once or several times. A launch without a row was not sampled.
CREATE TABLE sampling (
  launch_id     INTEGER PRIMARY KEY REFERENCES launch(id) ON DELETE CASCADE,
  period_cycles INTEGER NOT NULL CHECK (period_cycles > 0),  -- between two samples of an SM
  launches      INTEGER NOT NULL CHECK (launches > 0),       -- repetitions
  samples       INTEGER NOT NULL CHECK (samples >= 0),  -- all, also those without a known instruction
  dropped       INTEGER NOT NULL CHECK (dropped >= 0)   -- lost samples, as CUPTI counted them
) STRICT;

-- Code that a sampled launch ran.
CREATE TABLE sampled_code (
  id        INTEGER PRIMARY KEY,
  launch_id INTEGER NOT NULL REFERENCES launch(id) ON DELETE CASCADE,
  code_id   INTEGER NOT NULL REFERENCES code(id),
  UNIQUE (launch_id, code_id)
) STRICT;

-- The state of a warp. The names are in this table because a name would be half of every row of samples.
CREATE TABLE sample_reason (
  id   INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE  -- 'long_scoreboard', 'selected', ...: CUPTI's name without the common prefix
) STRICT;

-- Samples of one instruction in one state: warps that were about to issue it. If there is no row, there are no samples.
-- In an export, an instruction takes about 20 bytes in each code, 100 if it is new, and 20 for each reason and launch.
CREATE TABLE instruction_sample (
  sampled_code_id  INTEGER NOT NULL REFERENCES sampled_code(id) ON DELETE CASCADE,
  pc_offset        INTEGER NOT NULL,  -- of a code_instruction, if the code has instructions
  sample_reason_id INTEGER NOT NULL REFERENCES sample_reason(id),
  samples          INTEGER NOT NULL,
  not_issued       INTEGER NOT NULL,  -- of these, samples in cycles in which the scheduler issued nothing
  PRIMARY KEY (sampled_code_id, pc_offset, sample_reason_id),
  CHECK (not_issued BETWEEN 0 AND samples)
) STRICT, WITHOUT ROWID;
