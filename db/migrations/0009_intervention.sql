-- The time of a launch with one property changed.

-- All settings of a kind are timed in turns with the same program and the same inputs. So only the setting differs.
-- Compare only rows of one launch and kind.
CREATE TABLE intervention (
  launch_id INTEGER NOT NULL REFERENCES launch(id) ON DELETE CASCADE,
  -- 'occupancy': setting is the added bytes of dynamic shared memory, with the largest carve-out for shared memory.
  -- 'carveout': setting is the requested share of L1's memory for shared memory, in percent; -1: CUDA's choice.
  -- 'l2': setting is 1 if L2 was flushed before each launch, and 0 if the same launch ran just before.
  kind      TEXT    NOT NULL CHECK (kind IN ('occupancy', 'carveout', 'l2')),
  setting   REAL    NOT NULL,
  -- On an SM, as the driver computes it, and at most what the grid fills. NULL: not known, or several kernels.
  resident_blocks INTEGER CHECK (resident_blocks > 0),
  resident_warps  INTEGER CHECK (resident_warps > 0),
  time_us   REAL    NOT NULL,  -- median of the samples
  least_us  REAL    NOT NULL,
  most_us   REAL    NOT NULL,
  clock_mhz REAL,              -- median; NULL: not measured
  samples   INTEGER NOT NULL CHECK (samples > 0),
  PRIMARY KEY (launch_id, kind, setting)
) STRICT, WITHOUT ROWID;
