-- One wide row per launch; ordinal numbers several launches of a stage at a shape in a run. NULL: not measured.
-- Times leave out samples at a low clock (launch_time).
-- gflops: useful operations / median time. pct_of_ffma_peak_at_max_clock: 100 % is 2 * lanes * SMs * the driver's
-- maximum clock, while culprit show and report use the clock measured during the samples. Both only for correct results
-- (state 'ok') with stated operations; the percentage only for stages with single-precision input, because others do
-- not compute with FFMA.
-- input: the factor of this name; fp32 when a stage states none. spill_bytes: spill stores + loads per thread.
CREATE VIEW kernel_summary AS
WITH
-- What the compiler made of the kernel that a launch ran. Looked up by launch: to gather it for a whole file first would
-- read the whole file for one launch of it.
attribute AS NOT MATERIALIZED (
  SELECT launch.id AS launch_id, static_value.name, static_value.value
  FROM launch
  JOIN static_value USING (run_id, stage_id, arch))
SELECT launch.id AS launch_id,
       run.id AS run_id,
       run.uuid AS run_uuid,
       run.label AS run_label,
       run.started_utc,
       device.name AS device,
       stage.key AS stage,
       stage.family,
       stage.parent,
       coalesce(input.value, 'fp32') AS input,
       launch.shape,
       launch.ordinal,
       launch.state,
       time.median_us,
       time.min_us,
       time.samples,
       time.low_clock_samples,
       time.clock_mhz,
       CASE launch.state WHEN 'ok' THEN nullif(launch.flop, 0) / (time.median_us * 1e3) END AS gflops,
       CASE
         WHEN launch.state = 'ok' AND coalesce(input.value, 'fp32') = 'fp32'
         THEN 100.0 * nullif(launch.flop, 0)
              / (time.median_us * 2 * nullif(device.fp32_lanes_per_sm, 0) * device.sm_count * device.sm_clock_mhz)
       END AS pct_of_ffma_peak_at_max_clock,
       (SELECT value FROM attribute WHERE launch_id = launch.id AND name = 'registers') AS registers,
       (SELECT value FROM attribute WHERE launch_id = launch.id AND name = 'stack_frame_bytes') AS stack_frame_bytes,
       (SELECT value FROM attribute WHERE launch_id = launch.id AND name = 'spill_store_bytes')
       + (SELECT value FROM attribute WHERE launch_id = launch.id AND name = 'spill_load_bytes') AS spill_bytes,
       (SELECT value FROM attribute WHERE launch_id = launch.id AND name = 'static_shared_bytes') AS static_shared_bytes,
       launch.dynamic_shared_bytes,
       100.0 * (SELECT value FROM attribute WHERE launch_id = launch.id AND name = 'theoretical_occupancy') AS theoretical_occupancy_pct,
       (SELECT value FROM metric_reading WHERE launch_id = launch.id AND key = 'achieved_occupancy_pct') AS achieved_occupancy_pct,
       launch.kernel,
       launch.arch,
       launch.verify_error_over_bound,
       launch.message
FROM launch
JOIN run ON run.id = launch.run_id
JOIN stage ON stage.id = launch.stage_id
JOIN launch_time AS time ON time.launch_id = launch.id
LEFT JOIN stage_factor AS input ON input.stage_id = stage.id AND input.factor = 'input'
LEFT JOIN device ON device.id = run.device_id;
