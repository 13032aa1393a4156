-- Compares counted with timed executions: one row per launch. Counters come from separate executions. When these differ
-- from the timed ones, the counts describe another state (a colder cache, the host waiting).
-- counted_cycles: SM cycles of the counted execution from start to end, longest SM; the median of its repetitions
-- counted_us: its time by the GPU's clock, also the median
-- timed_cycles, timed_us: medians of time x SM clock and of time over the timed samples, without those at a low clock,
--   as in launch_time, less launch_overhead_us (the part of the interval outside the kernel) if it was measured
-- counted_over_timed: counted / timed, 1 if they agree; in cycles or in time, whichever agrees better. Another clock
--   changes the time but not the cycles. Under a power limit, the timer's clock includes pulses that the counters do
--   not. NULL: not measured.
CREATE VIEW counted_against_timed AS
WITH
overhead AS (
  SELECT launch_id, value AS us FROM metric_reading WHERE key = 'launch_overhead_us' AND value IS NOT NULL),
kept AS (
  SELECT sample.launch_id, time_us - coalesce(overhead.us, 0) AS us, clock_mhz
  FROM sample LEFT JOIN overhead ON overhead.launch_id = sample.launch_id
  WHERE low_clock = 0 AND clock_mhz IS NOT NULL),
placed AS (
  SELECT launch_id, us, us * clock_mhz AS cycles, count(*) OVER (PARTITION BY launch_id) AS n,
         row_number() OVER (PARTITION BY launch_id ORDER BY us) AS place_us,
         row_number() OVER (PARTITION BY launch_id ORDER BY us * clock_mhz) AS place_cycles
  FROM kept),
timed AS (
  SELECT launch_id, avg(us) FILTER (WHERE place_us IN ((n + 1) / 2, (n + 2) / 2)) AS timed_us,
         avg(cycles) FILTER (WHERE place_cycles IN ((n + 1) / 2, (n + 2) / 2)) AS timed_cycles
  FROM placed GROUP BY launch_id),
both_ways AS (
  SELECT launch.id AS launch_id, launch.run_id, cycles.value AS counted_cycles, time.value / 1000 AS counted_us,
         timed_cycles, timed_us, cycles.value / nullif(timed_cycles, 0) AS in_cycles,
         time.value / 1000 / nullif(timed_us, 0) AS in_time
  FROM launch
  LEFT JOIN timed ON timed.launch_id = launch.id
  LEFT JOIN metric_reading AS cycles ON cycles.launch_id = launch.id AND cycles.key = 'sm_cycles_elapsed_max'
  LEFT JOIN metric_reading AS time ON time.launch_id = launch.id AND time.key = 'counted_time_ns')
SELECT launch_id, run_id, counted_cycles, timed_cycles, counted_us, timed_us,
       CASE WHEN in_time IS NULL OR abs(in_cycles - 1) <= abs(in_time - 1) THEN in_cycles ELSE in_time END
         AS counted_over_timed
FROM both_ways;
