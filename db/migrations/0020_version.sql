-- Which versions of libraries a recorded program had loaded. A change of time is often one of theirs.

-- Runs from before this migration have none.
CREATE TABLE run_version (
  run_id INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
  name   TEXT    NOT NULL,  -- 'torch', 'triton', 'cudnn', ...
  value  TEXT    NOT NULL,  -- as its package has it: '2.10.0+cu130'
  PRIMARY KEY (run_id, name)
) STRICT, WITHOUT ROWID;
