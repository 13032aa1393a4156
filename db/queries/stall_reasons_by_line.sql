-- What warps waited for at each source line: one row per launch, line and reason; most samples first within each line.
-- :run    run id; default: the newest complete run
-- :stage  default: every stage
-- :shape  "4096" or "4096x4096x4096"; default: every shape
-- us: share of the launch's median time. pct: of all samples of the launch. not_issued_pct: share of these samples in
-- cycles in which the scheduler issued nothing.
SELECT launch_id, shape, stage, source_file, source_line, reason, instructions, samples, us, 100 * share AS pct,
       100.0 * not_issued / nullif(samples, 0) AS not_issued_pct
FROM line_stall
WHERE run_id = coalesce(:run, (SELECT run_id FROM newest_run))
  AND (:stage IS NULL OR stage = :stage)
  AND (:shape IS NULL OR shape IN (:shape, :shape || 'x' || :shape, :shape || 'x' || :shape || 'x' || :shape))
ORDER BY launch_id, source_file, source_line, samples DESC, reason;
