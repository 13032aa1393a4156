-- Every stage compared with its parent: their differences and the change of time, largest loss first.
-- :run    run id; default: the newest complete run
-- :shape  "4096" or "4096x4096x4096"; default: every shape
SELECT shape, base, candidate, factors_changed, changes, base_us, candidate_us, delta_us,
       100.0 * delta_us / nullif(base_us, 0) AS pct, base_launch_id, candidate_launch_id
FROM edge
WHERE run_id = coalesce(:run, (SELECT run_id FROM newest_run))
  AND (:shape IS NULL OR shape IN (:shape, :shape || 'x' || :shape, :shape || 'x' || :shape || 'x' || :shape))
ORDER BY delta_us DESC, candidate_launch_id;
