-- The shared-memory table of each launch: instructions, requests, wavefronts, % of peak, bank conflicts.
-- :run    run id; default: the newest complete run
-- :stage  default: every stage
-- :shape  "4096" or "4096x4096x4096"; default: every shape
-- conflicts_exact is what the addresses require; conflicts_hardware also counts lost arbitration.
SELECT launch_id, shape, stage, operation, instructions, requests, wavefronts, pct_peak, conflicts_exact,
       conflicts_hardware
FROM shared_memory_table
WHERE run_id = coalesce(:run, (SELECT run_id FROM newest_run))
  AND (:stage IS NULL OR stage = :stage)
  AND (:shape IS NULL OR shape IN (:shape, :shape || 'x' || :shape, :shape || 'x' || :shape || 'x' || :shape))
ORDER BY launch_id, position;
