-- Samples of instructions against the hardware's own counters: one row per launch that has both and reason to stall,
-- launch by launch, where they differ most first. Both are shares of the time of resident warps. `sampling_error` is the
-- variance of a share of independent samples; `sigmas_squared` is the difference squared over it: samples of one SM
-- follow each other closely, so some tens are usual, and what counts is `difference`.
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
