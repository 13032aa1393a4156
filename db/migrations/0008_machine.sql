-- What the very GPU of a run can do.

-- Measured by micro-benchmarks: db/machine_figure.h lists what there is, with units.
CREATE TABLE machine_figure (
  run_id  INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
  name    TEXT NOT NULL,  -- 'l2_bytes'
  setting REAL NOT NULL,  -- what it was measured at, such as the load of a latency; 0 where it has none
  value   REAL NOT NULL,
  unit    TEXT NOT NULL,
  -- uuid of the run that measured it: this one, or an earlier one on the same machine since it was started.
  measured_in TEXT NOT NULL,
  PRIMARY KEY (run_id, name, setting)
) STRICT, WITHOUT ROWID;
