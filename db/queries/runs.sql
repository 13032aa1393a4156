-- Runs and the numbers of their measurements, newest first.
-- A run without finished_utc is still running or was interrupted.
SELECT run.id, substr(uuid, 1, 8) AS uuid, label, started_utc, finished_utc, device.name AS device,
       iif(samples_counters, 'sampled', profile) AS profile, l2,
       (SELECT count(*) FROM launch WHERE run_id = run.id) AS launches,
       (SELECT count(*) FROM launch WHERE run_id = run.id AND state = 'failed') AS failed,
       git_sha, git_dirty, driver, cuda_runtime, command_line
FROM run
JOIN toolchain ON toolchain.id = run.toolchain_id
LEFT JOIN device ON device.id = run.device_id
ORDER BY started_utc DESC, run.id DESC;
