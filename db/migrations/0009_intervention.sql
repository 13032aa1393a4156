-- What a launch takes with one thing about it changed.

-- Each is timed on the same binary and the same inputs, in turn with the others of its kind, so that what differs is the
-- setting alone. Compare only rows of one launch and kind.
CREATE TABLE intervention (
  launch_id INTEGER NOT NULL REFERENCES launch(id) ON DELETE CASCADE,
  -- 'occupancy': setting is how many bytes of dynamic shared memory were added, with the largest shared carve-out.
  -- 'carveout': setting is the share of L1's memory that shared memory was to have, in percent; -1: as CUDA chooses.
  -- 'l2': setting is 1 where L2 was flushed before each launch, 0 where the same launch ran right before.
  kind      TEXT    NOT NULL CHECK (kind IN ('occupancy', 'carveout', 'l2')),
  setting   REAL    NOT NULL,
  -- On an SM, as the driver computes it and the grid fills it. NULL: not known, or the launch is of several kernels.
  resident_blocks INTEGER CHECK (resident_blocks > 0),
  resident_warps  INTEGER CHECK (resident_warps > 0),
  time_us   REAL    NOT NULL,  -- median of the samples
  least_us  REAL    NOT NULL,
  most_us   REAL    NOT NULL,
  clock_mhz REAL,              -- median; NULL: not measured
  samples   INTEGER NOT NULL CHECK (samples > 0),
  PRIMARY KEY (launch_id, kind, setting)
) STRICT, WITHOUT ROWID;
