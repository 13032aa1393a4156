-- Compares the counted execution of each launch with its timed samples, largest difference first.
-- See counted_against_timed.
-- :run  run id; default: the newest complete run
-- difference_pct: counted / timed in %, minus 100. gate_open_samples: timed samples that may include waiting for the
-- host.
SELECT launch.id AS launch_id, launch.shape, stage.key AS stage, c.counted_cycles, c.timed_cycles,
       c.counted_us, c.timed_us, c.counted_over_timed, 100.0 * (c.counted_over_timed - 1) AS difference_pct, time.median_us, time.samples,
       time.gate_open_samples
FROM counted_against_timed AS c
JOIN launch ON launch.id = c.launch_id
JOIN stage ON stage.id = launch.stage_id
JOIN launch_time AS time ON time.launch_id = launch.id
WHERE launch.run_id = coalesce(:run, (SELECT run_id FROM newest_run))
ORDER BY abs(c.counted_over_timed - 1) DESC NULLS LAST, launch.id;
