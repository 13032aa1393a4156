-- What a GPU sampled of a metric while that had its turns, and how much of it the program's kernels got, and its copies
-- and memsets. The rest was counted while nothing of the program ran: by other processes, or by an idle GPU. What other
-- processes count beside a launch is among the launch's. Counts of kernels are as sampled, so that all adds up: they
-- have the instructions that the recorder's stamps add to each warp.
CREATE TABLE timeline_total (
  run_id    INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
  gpu       INTEGER NOT NULL CHECK (gpu >= 0),
  metric_id INTEGER NOT NULL REFERENCES metric(id),
  counted   REAL    NOT NULL,
  kernels   REAL    NOT NULL,
  copies    REAL    NOT NULL,
  PRIMARY KEY (run_id, gpu, metric_id)
) STRICT, WITHOUT ROWID;
