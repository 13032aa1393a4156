-- Every reading of one launch with its unit and meaning.
-- :launch  launch id; default: the first launch of the largest shape of the newest complete run
SELECT r.key AS metric, source, value, status, unit, cupti_name, meaning, stage.key AS stage, shape, launch_id
FROM metric_reading AS r
JOIN launch ON launch.id = r.launch_id
JOIN stage ON stage.id = launch.stage_id
WHERE launch_id = coalesce(:launch, (SELECT id FROM launch WHERE run_id = (SELECT run_id FROM newest_run)
                                     ORDER BY state = 'ok' DESC, flop DESC, id LIMIT 1))
ORDER BY r.key, source;
