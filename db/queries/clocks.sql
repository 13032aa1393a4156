-- SM clock of each launch during its samples compared with the driver's maximum clock, and the spread of the times.
-- :run  run id; default: the newest complete run
-- spread_pct: (max - min) / min over the samples at the usual clock; NULL for a single one.
SELECT launch.id AS launch_id, launch.shape, stage.key AS stage, time.clock_mhz, device.sm_clock_mhz AS max_clock_mhz,
       100.0 * time.clock_mhz / nullif(device.sm_clock_mhz, 0) AS pct_of_max,
       (SELECT min(clock_mhz) FROM sample WHERE sample.launch_id = launch.id) AS slowest_sample_mhz,
       time.samples, time.low_clock_samples, CASE WHEN time.samples - time.low_clock_samples > 1
            THEN 100.0 * (time.max_us - time.min_us) / nullif(time.min_us, 0) END AS spread_pct
FROM launch
JOIN run ON run.id = launch.run_id
JOIN stage ON stage.id = launch.stage_id
JOIN launch_time AS time ON time.launch_id = launch.id
LEFT JOIN device ON device.id = run.device_id
WHERE run.id = coalesce(:run, (SELECT run_id FROM newest_run)) AND time.samples > 0
ORDER BY launch.id;
