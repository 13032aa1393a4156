-- Where Python launched a kernel. Its name says what ran, and the line that called it says why.

-- The stack of Python at the first call of a launch that the recorder saw. A launch that was not made from Python, or
-- whose stack could not be read, has none, and neither has any from before this migration.
CREATE TABLE python_frame (
  launch_id INTEGER NOT NULL REFERENCES launch(id) ON DELETE CASCADE,
  depth     INTEGER NOT NULL CHECK (depth >= 0),  -- 0: the innermost, which launched it; frames of packages are left out
  file      TEXT    NOT NULL,  -- as Python has it: mostly an absolute path; "<string>" of python -c
  line      INTEGER NOT NULL CHECK (line > 0),
  function  TEXT    NOT NULL,  -- without its class
  PRIMARY KEY (launch_id, depth)
) STRICT, WITHOUT ROWID;
