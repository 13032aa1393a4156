-- The kernels that were measured.

-- A stage as it was when it was recorded. If its description is edited, a new row has the same key.
CREATE TABLE stage (
  id          INTEGER PRIMARY KEY,
  key         TEXT    NOT NULL,  -- 'v1_6': never renamed, never reused
  family      TEXT    NOT NULL,
  parent      TEXT    NOT NULL,  -- key of the stage it was changed from, '' for a root
  idea        TEXT    NOT NULL,
  "constraint" TEXT   NOT NULL,
  source_file TEXT    NOT NULL,
  source_line INTEGER NOT NULL,
  factors     TEXT    NOT NULL,  -- the rows of stage_factor as sorted JSON; they identify the row
  UNIQUE (key, family, parent, idea, "constraint", source_file, source_line, factors)
) STRICT;

-- If these rows of a parent and its child differ in one value, the two are a one-factor experiment.
CREATE TABLE stage_factor (
  stage_id INTEGER NOT NULL REFERENCES stage(id) ON DELETE CASCADE,
  factor   TEXT    NOT NULL,  -- 'loop nest'
  value    TEXT    NOT NULL,  -- 'k->m->n'
  PRIMARY KEY (stage_id, factor)
) STRICT, WITHOUT ROWID;

-- The stages that a run's program offered, launched or not. Within a run, a key belongs to one row of stage.
CREATE TABLE run_stage (
  run_id   INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
  stage_id INTEGER NOT NULL REFERENCES stage(id),
  position INTEGER NOT NULL,  -- the order of the ladder
  PRIMARY KEY (run_id, stage_id)
) STRICT, WITHOUT ROWID;

-- The compiled kernel of a stage for one architecture, in the program of a run.
CREATE TABLE build (
  id           INTEGER PRIMARY KEY,
  run_id       INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
  stage_id     INTEGER NOT NULL REFERENCES stage(id),
  arch         TEXT    NOT NULL,  -- 'sm_90'
  kernel       TEXT    NOT NULL,  -- symbol
  cubin_digest TEXT    NOT NULL,  -- FNV-1a 64 of the code bytes; '' if only the runtime was asked
  UNIQUE (run_id, stage_id, arch)
) STRICT;

-- Registers, stack frame, spills and others, one row for each name and source.
CREATE TABLE static_attribute (
  build_id INTEGER NOT NULL REFERENCES build(id) ON DELETE CASCADE,
  name     TEXT    NOT NULL,
  source   TEXT    NOT NULL CHECK (source IN ('cubin', 'compiler', 'runtime', 'model')),
  value    REAL,
  status   TEXT    NOT NULL CHECK (status IN ('ok', 'unsupported', 'denied', 'failed')),
  PRIMARY KEY (build_id, name, source),
  CHECK ((status = 'ok') = (value IS NOT NULL))
) STRICT, WITHOUT ROWID;
