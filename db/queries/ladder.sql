-- Every launch of a run: time, speed and the kernel's resources, in the ladder's order, largest shape first.
-- :run    run id; default: the newest complete run
-- :shape  "4096" or "4096x4096x4096"; default: every shape
-- pct_of_reference: compared with the fastest stage of family 'reference' with the same input at the same shape.
-- times_faster: compared with its parent. If there are several launches, the first is used.
WITH picked AS (
  SELECT k.*, launch.flop, run_stage.position
  FROM kernel_summary AS k
  JOIN launch ON launch.id = k.launch_id
  JOIN run_stage ON run_stage.run_id = launch.run_id AND run_stage.stage_id = launch.stage_id
  WHERE k.run_id = coalesce(:run, (SELECT run_id FROM newest_run))
    AND (:shape IS NULL OR k.shape IN (:shape, :shape || 'x' || :shape, :shape || 'x' || :shape || 'x' || :shape)))
SELECT launch_id, shape, stage, state, median_us, gflops, pct_of_ffma_peak_at_max_clock,
       100.0 * (SELECT min(r.median_us) FROM picked AS r
                WHERE r.shape = p.shape AND r.input = p.input AND r.family = 'reference' AND r.state = 'ok')
       / CASE state WHEN 'ok' THEN median_us END AS pct_of_reference,
       (SELECT b.median_us FROM picked AS b WHERE b.shape = p.shape AND b.stage = p.parent AND b.ordinal = 0 AND b.state = 'ok')
       / CASE state WHEN 'ok' THEN median_us END AS times_faster,
       registers, stack_frame_bytes, spill_bytes, achieved_occupancy_pct, samples, low_clock_samples, message
FROM picked AS p
ORDER BY flop DESC, shape, position, ordinal;
