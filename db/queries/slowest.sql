-- Correct single-precision launches farthest from the FP32 peak, slowest first, with the two longest stalls.
-- :run    run id; default: the newest complete run
-- :limit  how many; default: 10
SELECT k.launch_id, k.shape, k.stage, k.median_us, k.gflops, k.pct_of_ffma_peak_at_max_clock,
       (SELECT reason FROM stall_stack AS s
        WHERE s.launch_id = k.launch_id AND s.reason <> 'selected' AND s.status = 'ok'
        ORDER BY warp_cycles DESC LIMIT 1) AS longest_stall,
       (SELECT reason FROM stall_stack AS s
        WHERE s.launch_id = k.launch_id AND s.reason <> 'selected' AND s.status = 'ok'
        ORDER BY warp_cycles DESC LIMIT 1 OFFSET 1) AS second_stall
FROM kernel_summary AS k
WHERE k.run_id = coalesce(:run, (SELECT run_id FROM newest_run)) AND k.pct_of_ffma_peak_at_max_clock IS NOT NULL
ORDER BY k.pct_of_ffma_peak_at_max_clock, k.launch_id
LIMIT CAST(coalesce(:limit, 10) AS INTEGER);
