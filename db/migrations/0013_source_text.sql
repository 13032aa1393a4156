-- The text of source lines as the compiler read them, because files may be edited after the recording.

-- Lines of sampled code and the lines around them, from the user's own files. If there is no row, the file was not
-- available during the recording, or it was changed after it was compiled.
CREATE TABLE source_text (
  run_id      INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
  source_file TEXT    NOT NULL,  -- as in line_chain
  source_line INTEGER NOT NULL CHECK (source_line > 0),
  text        TEXT    NOT NULL,  -- without the newline; long lines are cut
  PRIMARY KEY (run_id, source_file, source_line)
) STRICT, WITHOUT ROWID;
