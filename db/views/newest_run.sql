-- The run that is meant when none is named: the newest complete one that launched something.
-- One row, none in an empty file. Without a complete run the newest interrupted one, without launches the newest of
-- all.
CREATE VIEW newest_run AS
SELECT id AS run_id
FROM run
ORDER BY EXISTS (SELECT 1 FROM launch WHERE launch.run_id = run.id) DESC, finished_utc IS NULL, started_utc DESC,
         id DESC
LIMIT 1;
