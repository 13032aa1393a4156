-- A stage compared with the fastest of family 'reference' with the same input, at every shape where both are correct.
-- Also the geometric mean over these shapes. The shape with the most work comes first.
-- :stage  key of a stage; default: every stage that is not a reference
-- :run    id or label of a run; default: the newest complete run
-- times_as_fast: from the medians. slowest, fastest: worst and best case, from the quartiles of the stage's and the
-- reference's samples. kernel: the launched kernel, or the one that represents a launch of several kernels.
WITH picked AS (
  SELECT k.launch_id, k.stage, k.family, k.input, k.shape, k.median_us, launch.flop, launch.kernel
  FROM kernel_summary AS k
  JOIN launch ON launch.id = k.launch_id
  WHERE k.run_id = coalesce((SELECT max(id) FROM run WHERE id = :run OR label = :run), (SELECT run_id FROM newest_run))
    AND k.state = 'ok' AND k.median_us > 0),
placed AS (
  SELECT launch_id, time_us, row_number() OVER (PARTITION BY launch_id ORDER BY time_us) AS place, count(*) OVER (PARTITION BY launch_id) AS n
  FROM sample WHERE low_clock = 0 AND launch_id IN (SELECT launch_id FROM picked)),
quartiles AS (
  SELECT launch_id, min(CASE WHEN 4 * place >= n THEN time_us END) AS lower_us, min(CASE WHEN 4 * place >= 3 * n THEN time_us END) AS upper_us
  FROM placed GROUP BY launch_id),
fastest AS (
  SELECT shape, input, launch_id, min(median_us) AS median_us FROM picked WHERE family = 'reference' GROUP BY shape, input),
paired AS (
  SELECT p.stage, p.shape, p.flop, f.median_us AS reference_us, p.median_us, f.median_us / p.median_us AS times_as_fast,
         qf.lower_us / qp.upper_us AS slowest, qf.upper_us / qp.lower_us AS fastest, p.kernel
  FROM picked AS p
  JOIN fastest AS f ON f.shape = p.shape AND f.input = p.input
  JOIN quartiles AS qp ON qp.launch_id = p.launch_id
  JOIN quartiles AS qf ON qf.launch_id = f.launch_id
  WHERE p.family <> 'reference' AND p.stage = coalesce(:stage, p.stage))
SELECT stage, shape, round(reference_us, 2) AS reference_us, round(median_us, 2) AS median_us, round(times_as_fast, 3) AS times_as_fast,
       round(slowest, 3) AS slowest, round(fastest, 3) AS fastest, kernel
FROM (
  SELECT 0 AS is_mean, * FROM paired
  UNION ALL
  SELECT 1, stage, 'geometric mean', 0, NULL, NULL, exp(avg(ln(times_as_fast))), NULL, NULL, '' FROM paired GROUP BY stage)
ORDER BY stage, is_mean, flop DESC, shape;
