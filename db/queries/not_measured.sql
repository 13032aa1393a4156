-- Metrics that were asked for and not measured, with the reason and the launches that lack them.
-- :run  run id; default: the newest complete run
-- unsupported: this chip, toolkit or machine has no such counter. denied: the driver refused. failed: anything else.
SELECT metric.key AS metric, metric.source, v.status, count(*) AS launches, group_concat(DISTINCT stage.key) AS stages, metric.meaning
FROM launch
JOIN stage ON stage.id = launch.stage_id
JOIN metric_value AS v ON v.launch_id = launch.id
JOIN metric ON metric.id = v.metric_id
WHERE launch.run_id = coalesce(:run, (SELECT run_id FROM newest_run)) AND v.status <> 'ok'
GROUP BY metric.id, v.status
ORDER BY v.status, metric.key;
