-- Correct single-precision launches farthest from the FP32 peak, then launches without declared operations.
-- The longest launch without declared operations comes first. Each row has the two longest stalls of its launch.
-- :run    run id; default: the newest complete run
-- :limit  how many of each kind; default: 10
WITH ranked AS (
  SELECT *, gflops IS NULL AS by_time,
         row_number() OVER (PARTITION BY gflops IS NULL
                            ORDER BY pct_of_ffma_peak_at_max_clock, median_us DESC, launch_id) AS place
  FROM kernel_summary
  WHERE run_id = coalesce(:run, (SELECT run_id FROM newest_run)) AND state = 'ok'
    AND (pct_of_ffma_peak_at_max_clock IS NOT NULL OR (gflops IS NULL AND median_us IS NOT NULL)))
SELECT k.launch_id, k.shape, k.stage, k.median_us, k.gflops, k.pct_of_ffma_peak_at_max_clock,
       (SELECT reason FROM stall_stack AS s
        WHERE s.launch_id = k.launch_id AND s.reason <> 'selected' AND s.status = 'ok'
        ORDER BY warp_cycles DESC LIMIT 1) AS longest_stall,
       (SELECT reason FROM stall_stack AS s
        WHERE s.launch_id = k.launch_id AND s.reason <> 'selected' AND s.status = 'ok'
        ORDER BY warp_cycles DESC LIMIT 1 OFFSET 1) AS second_stall
FROM ranked AS k
WHERE k.place <= CAST(coalesce(:limit, 10) AS INTEGER)
ORDER BY k.by_time, k.place;
