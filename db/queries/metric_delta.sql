-- Metrics that were measured in both of two launches, largest relative change first.
-- :base, :cand  launch ids; default: the stage and its parent whose times differ most in the newest complete run
-- A metric that was 0 in the base has no ratio; it sorts last.
WITH pair AS (
  SELECT coalesce(:base, base_launch_id) AS base_id, coalesce(:cand, candidate_launch_id) AS cand_id
  FROM (SELECT 1)
  LEFT JOIN (SELECT base_launch_id, candidate_launch_id
             FROM edge
             WHERE run_id = (SELECT run_id FROM newest_run)
             ORDER BY abs(delta_us) DESC, base_launch_id, candidate_launch_id
             LIMIT 1))
SELECT b.key AS metric, b.value AS base, c.value AS cand, c.value - b.value AS delta,
       c.value / nullif(b.value, 0) - 1 AS change, b.unit,
       base_stage.key AS base_stage, base.shape AS base_shape, base.id AS base_launch_id,
       cand_stage.key AS cand_stage, cand.shape AS cand_shape, cand.id AS cand_launch_id
FROM pair
JOIN launch AS base ON base.id = CAST(pair.base_id AS INTEGER)
JOIN launch AS cand ON cand.id = CAST(pair.cand_id AS INTEGER)
JOIN stage AS base_stage ON base_stage.id = base.stage_id
JOIN stage AS cand_stage ON cand_stage.id = cand.stage_id
JOIN metric_reading AS b ON b.launch_id = base.id
JOIN metric_reading AS c ON c.launch_id = cand.id AND c.key = b.key AND c.source = b.source
WHERE b.status = 'ok' AND c.status = 'ok'
ORDER BY abs(c.value / nullif(b.value, 0) - 1) DESC NULLS LAST, b.key;
