-- The default run: the newest complete run with launches. If there is none, the newest interrupted run with launches,
-- or else the newest run of all. One row, or none in an empty file.
CREATE VIEW newest_run AS
SELECT id AS run_id
FROM run
ORDER BY EXISTS (SELECT 1 FROM launch WHERE launch.run_id = run.id) DESC, finished_utc IS NULL, started_utc DESC,
         id DESC
LIMIT 1;
