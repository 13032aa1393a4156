-- Global, local, cache and DRAM traffic of each launch.
-- :run    run id; default: the newest complete run
-- :stage  default: every stage
-- :shape  "4096" or "4096x4096x4096"; default: every shape
SELECT launch_id, shape, stage, operation, instructions, requests, sectors, sectors_per_request, bytes, sectors_exact,
       sectors_ideal, hit_pct
FROM memory_table
WHERE run_id = coalesce(:run, (SELECT run_id FROM newest_run))
  AND (:stage IS NULL OR stage = :stage)
  AND (:shape IS NULL OR shape IN (:shape, :shape || 'x' || :shape, :shape || 'x' || :shape || 'x' || :shape))
ORDER BY launch_id, position;
