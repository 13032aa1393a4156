-- Source lines with shared-memory bank conflicts, by operation; most excess wavefronts first within each launch.
-- :run    run id; default: the newest complete run
-- :stage  default: every stage
-- :shape  "4096" or "4096x4096x4096"; default: every shape
-- pct: share of the launch's excess wavefronts on these lines. Without line information source_file is '' and
-- source_line 0.
SELECT launch_id, shape, stage, source_file, source_line, op, count(*) AS instructions, sum(executed) AS executed,
       sum(wavefronts) AS wavefronts, sum(wavefronts_ideal) AS wavefronts_ideal, sum(excess) AS excess,
       100.0 * sum(excess) / sum(sum(excess)) OVER (PARTITION BY launch_id) AS pct
FROM shared_instruction
WHERE run_id = coalesce(:run, (SELECT run_id FROM newest_run))
  AND (:stage IS NULL OR stage = :stage)
  AND (:shape IS NULL OR shape IN (:shape, :shape || 'x' || :shape, :shape || 'x' || :shape || 'x' || :shape))
GROUP BY launch_id, source_file, source_line, op
HAVING sum(excess) > 0
ORDER BY launch_id, excess DESC, source_file, source_line, op;
