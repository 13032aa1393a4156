-- How much a counter varies from one collection of a launch to the next.

-- One value of one metric in one repetition of the collection, if there were several. metric_value has their median. If
-- there is no row, that repetition did not read the metric.
CREATE TABLE metric_repeat (
  launch_id  INTEGER NOT NULL REFERENCES launch(id) ON DELETE CASCADE,
  metric_id  INTEGER NOT NULL REFERENCES metric(id),
  repetition INTEGER NOT NULL CHECK (repetition >= 0),  -- from 0, in the order of collection
  value      REAL    NOT NULL,
  PRIMARY KEY (launch_id, metric_id, repetition)
) STRICT, WITHOUT ROWID;
