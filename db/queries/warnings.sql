-- Warnings of a run; stage is empty when a warning concerns the whole run.
-- :run  run id; default: the newest complete run
SELECT warning.code, stage.key AS stage, launch.shape, warning.text
FROM warning
LEFT JOIN launch ON launch.id = warning.launch_id
LEFT JOIN stage ON stage.id = launch.stage_id
WHERE warning.run_id = coalesce(:run, (SELECT run_id FROM newest_run))
ORDER BY warning.id;
