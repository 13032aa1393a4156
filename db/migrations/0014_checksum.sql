-- Checksums that show whether a run is still as it was recorded.

-- Computed when the run is complete, over all its rows in every table, including rows that it shares with other runs. A
-- run without a row here was not finished, or was recorded before this migration. It may be damaged or not.
CREATE TABLE run_checksum (
  run_id  INTEGER PRIMARY KEY REFERENCES run(id) ON DELETE CASCADE,
  -- The schema whose columns the checksums cover. A later schema may have more columns.
  version INTEGER NOT NULL,
  -- 16 hexadecimal digits each (db/checksum.h). `itself` covers the run's properties, and `launches` its list of
  -- launches. Runs are chosen by these, so they can be checked without reading the whole run. `content` covers all.
  itself   TEXT NOT NULL,
  launches TEXT NOT NULL,
  content  TEXT NOT NULL
) STRICT;

-- Every stage that is stored looks up the last position of its run.
CREATE INDEX run_stage_by_position ON run_stage (run_id, position);
