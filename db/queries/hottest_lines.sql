-- Source lines with the most warp samples, hottest first within each launch.
-- :run    run id; default: the newest complete run
-- :stage  default: every stage
-- :shape  "4096" or "4096x4096x4096"; default: every shape
-- us: the line's share of the launch's median time. pct: of all samples of the launch. reason: the most frequent one.
-- Without line information source_file is '' and source_line 0.
SELECT launch_id, shape, stage, source_file, source_line, sum(samples) AS samples, sum(us) AS us,
       100 * sum(share) AS pct, max(reason) FILTER (WHERE place = 1) AS reason,
       100.0 * max(samples) / sum(samples) AS reason_pct
FROM (SELECT *, row_number() OVER (PARTITION BY launch_id, source_file, source_line
                                   ORDER BY samples DESC, reason) AS place
      FROM line_stall
      WHERE run_id = coalesce(:run, (SELECT run_id FROM newest_run))
        AND (:stage IS NULL OR stage = :stage)
        AND (:shape IS NULL OR shape IN (:shape, :shape || 'x' || :shape, :shape || 'x' || :shape || 'x' || :shape)))
GROUP BY launch_id, source_file, source_line
ORDER BY launch_id, sum(samples) DESC, source_file, source_line;
