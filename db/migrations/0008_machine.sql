-- Rates, latencies and other properties of the GPU of a run.

-- Measured by micro-benchmarks. db/machine_figure.h lists them, with units.
CREATE TABLE machine_figure (
  run_id  INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
  name    TEXT NOT NULL,  -- 'l2_bytes'
  setting REAL NOT NULL,  -- the condition of the measurement, such as the load for a latency; 0: none
  value   REAL NOT NULL,
  unit    TEXT NOT NULL,
  -- uuid of the run that measured it: this run, or an earlier run since the same machine was booted.
  measured_in TEXT NOT NULL,
  PRIMARY KEY (run_id, name, setting)
) STRICT, WITHOUT ROWID;
