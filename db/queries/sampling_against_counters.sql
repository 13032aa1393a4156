-- Stall shares from instruction samples and from hardware counters: one row per launch and stall reason that has both.
-- Largest difference first within each launch. Both are shares of the resident warps' time. `sampling_error` is the
-- variance of a share for independent samples; `sigmas_squared` is the squared difference / that variance. Samples of
-- one SM follow each other closely, so values of some tens are usual; judge by `difference`.
-- :run    run id; default: the newest complete run
-- :stage  default: every stage
WITH sampled AS (
  SELECT sampled_code.launch_id, sample_reason.name AS reason, sum(instruction_sample.samples) AS samples
  FROM sampled_code
  JOIN instruction_sample ON instruction_sample.sampled_code_id = sampled_code.id
  JOIN sample_reason ON sample_reason.id = instruction_sample.sample_reason_id
  GROUP BY sampled_code.launch_id, sample_reason.name),
whole AS (
  SELECT launch_id, sum(samples) AS samples FROM sampled GROUP BY launch_id),
compared AS (
  SELECT stall_stack.launch_id, stall_stack.shape, stall_stack.stage, stall_stack.reason, stall_stack.share AS counted,
         coalesce(sampled.samples, 0) AS samples, whole.samples AS all_samples,
         1.0 * coalesce(sampled.samples, 0) / whole.samples AS sampled
  FROM stall_stack
  JOIN whole ON whole.launch_id = stall_stack.launch_id AND whole.samples > 0
  LEFT JOIN sampled ON sampled.launch_id = stall_stack.launch_id AND sampled.reason = stall_stack.reason
  WHERE stall_stack.run_id = coalesce(:run, (SELECT run_id FROM newest_run))
    AND (:stage IS NULL OR stall_stack.stage = :stage)
    AND stall_stack.status = 'ok')
SELECT launch_id, shape, stage, reason, samples, all_samples, sampled, counted, sampled - counted AS difference,
       counted * (1 - counted) / all_samples AS sampling_error,
       (sampled - counted) * (sampled - counted) / nullif(counted * (1 - counted) / all_samples, 0) AS sigmas_squared
FROM compared
ORDER BY launch_id, abs(sampled - counted) DESC, reason;
