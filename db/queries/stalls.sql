-- The time of each launch by stall reason: one row per launch and reason, longest first within each launch.
-- :run    run id; default: the newest complete run
-- :stage  default: every stage
-- :shape  "4096" or "4096x4096x4096"; default: every shape
SELECT launch_id, shape, stage, reason, us, 100.0 * share AS pct, warp_cycles
FROM stall_stack
WHERE run_id = coalesce(:run, (SELECT run_id FROM newest_run))
  AND (:stage IS NULL OR stage = :stage)
  AND (:shape IS NULL OR shape IN (:shape, :shape || 'x' || :shape, :shape || 'x' || :shape || 'x' || :shape))
  AND status = 'ok'
ORDER BY launch_id, warp_cycles DESC, reason;
