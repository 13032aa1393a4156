-- Every reading of one launch with its unit and meaning.
-- :launch  launch id; default: the first launch of the largest shape of the newest complete run
SELECT key AS metric, source, value, status, unit, cupti_name, meaning
FROM metric_reading
WHERE launch_id = coalesce(:launch, (SELECT id FROM launch WHERE run_id = (SELECT run_id FROM newest_run)
                                     ORDER BY state = 'ok' DESC, flop DESC, id LIMIT 1))
ORDER BY key, source;
