-- The time of a launch by stall reason: one row per launch and reason. Each resident warp is in exactly one of these
-- states each cycle, so the shares add up to 1 (within the differences of replay passes).
-- share: W_r / W (key warps_active). us: median time x share. 'selected' is work, not a stall. NULL: not measured.
CREATE VIEW stall_stack AS
WITH state AS (
  SELECT launch.id AS launch_id, launch.run_id, stage.key AS stage, launch.shape, substr(metric.key, 7) AS reason,
         reading.value AS warp_cycles, reading.status, time.median_us,
         nullif((SELECT value FROM metric_reading AS r
                 WHERE r.launch_id = launch.id AND r.key = 'warps_active'), 0) AS resident
  FROM launch
  JOIN stage ON stage.id = launch.stage_id
  JOIN launch_time AS time ON time.launch_id = launch.id
  JOIN metric_value AS reading ON reading.launch_id = launch.id
  JOIN metric ON metric.id = reading.metric_id
  WHERE metric.key GLOB 'stall_*')
SELECT launch_id, run_id, stage, shape, reason, warp_cycles, warp_cycles / resident AS share,
       median_us * warp_cycles / resident AS us, status
FROM state;
