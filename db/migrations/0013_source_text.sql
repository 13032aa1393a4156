-- Text of source lines, as the compiler read them: files are edited after they were recorded.

-- Lines that sampled code comes from and those around them, of the reader's own files. No row: the file was not at hand
-- when it was recorded, or was changed since it had been compiled.
CREATE TABLE source_text (
  run_id      INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
  source_file TEXT    NOT NULL,  -- as line_chain has it
  source_line INTEGER NOT NULL CHECK (source_line > 0),
  text        TEXT    NOT NULL,  -- without the end of the line; long ones are cut
  PRIMARY KEY (run_id, source_file, source_line)
) STRICT, WITHOUT ROWID;
