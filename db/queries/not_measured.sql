-- Metrics that were requested but not measured, with the reason and the stages that lack them.
-- :run  run id; default: the newest complete run
-- unsupported: this chip, toolkit or machine has no such counter. denied: the driver refused. failed: anything else.
WITH missing AS (
  SELECT v.metric_id, v.status, launch.id AS launch_id, launch.run_id, launch.stage_id
  FROM launch
  JOIN metric_value AS v ON v.launch_id = launch.id
  WHERE launch.run_id = coalesce(:run, (SELECT run_id FROM newest_run)) AND v.status <> 'ok')
SELECT metric.key AS metric, metric.source, missing.status, count(*) AS launches,
       (SELECT group_concat(key, ' ')
        FROM (SELECT DISTINCT stage.key, run_stage.position
              FROM missing AS m
              JOIN stage ON stage.id = m.stage_id
              JOIN run_stage ON run_stage.run_id = m.run_id AND run_stage.stage_id = m.stage_id
              WHERE m.metric_id = missing.metric_id AND m.status = missing.status
              ORDER BY run_stage.position)) AS stages,
       metric.meaning
FROM missing
JOIN metric ON metric.id = missing.metric_id
GROUP BY missing.metric_id, missing.status
ORDER BY missing.status, metric.key;
