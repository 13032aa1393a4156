-- Samples taken far below the usual clock of their run. All medians leave them out.
-- :run  run id; default: the newest complete run
SELECT launch.id AS launch_id, launch.shape, stage.key AS stage, sample.seq, sample.repetition, sample.time_us,
       sample.clock_mhz, time.median_us, time.clock_mhz AS usual_clock_mhz
FROM launch
JOIN stage ON stage.id = launch.stage_id
JOIN launch_time AS time ON time.launch_id = launch.id
JOIN sample ON sample.launch_id = launch.id
WHERE launch.run_id = coalesce(:run, (SELECT run_id FROM newest_run)) AND sample.low_clock = 1
ORDER BY launch.id, sample.seq;
