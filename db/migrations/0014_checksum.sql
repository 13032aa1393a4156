-- Whether a run is still what was recorded.

-- Made when the run is complete, over all its rows in every table, and those that it shares with others. A run without a
-- row here was not finished, or was recorded before this migration: nobody knows whether it is intact.
CREATE TABLE run_checksum (
  run_id  INTEGER PRIMARY KEY REFERENCES run(id) ON DELETE CASCADE,
  -- The schema whose columns the sums are over: a later one may have more.
  version INTEGER NOT NULL,
  -- 16 hexadecimal digits each (db/checksum.h). Of what the run is and of which launches it has: by these a run is chosen
  -- when several are there, so they are looked at without reading all of it. And of everything.
  itself   TEXT NOT NULL,
  launches TEXT NOT NULL,
  content  TEXT NOT NULL
) STRICT;

-- The last position of a run is asked for with every stage that is stored.
CREATE INDEX run_stage_by_position ON run_stage (run_id, position);
