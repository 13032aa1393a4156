-- A run may launch one stage at one shape several times, for example if a program runs its kernels in a loop.

-- The column is in a UNIQUE constraint, so the table is created again (https://www.sqlite.org/lang_altertable.html,
-- "Making Other Kinds Of Table Schema Changes"). With legacy_alter_table, renaming ignores the views of users.
PRAGMA legacy_alter_table = ON;
CREATE TABLE launch_with_ordinal (
  id        INTEGER PRIMARY KEY,
  run_id    INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
  stage_id  INTEGER NOT NULL REFERENCES stage(id),
  arch      TEXT    NOT NULL,  -- of the build that ran; '' if not known
  shape     TEXT    NOT NULL,  -- '4096x4096x4096', outermost extent first (GEMM: MxNxK)
  -- Numbers the launches of this stage and shape in this run: 0, 1, 2 without a gap. The first is judged.
  ordinal   INTEGER NOT NULL DEFAULT 0 CHECK (ordinal >= 0),
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
  UNIQUE (run_id, stage_id, shape, ordinal)
) STRICT;
INSERT INTO launch_with_ordinal
SELECT id, run_id, stage_id, arch, shape, 0, kernel, grid_x, grid_y, grid_z, block_x, block_y, block_z,
       dynamic_shared_bytes, flop, min_bytes, state, message, verify_error_over_bound, verify_reference
FROM launch;
DROP TABLE launch;
ALTER TABLE launch_with_ordinal RENAME TO launch;
CREATE INDEX launch_by_stage ON launch (stage_id, shape);
PRAGMA legacy_alter_table = OFF;
