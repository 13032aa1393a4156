-- Whether what was counted is what was timed: one row per launch. Counters are collected in executions of their own; where
-- those took other cycles than the timed ones, the counts describe another execution (a colder cache, the host waiting).
-- counted_cycles: SM cycles of the counted execution from start to end, longest SM; the median of its repetitions
-- timed_cycles: median over the timed samples of time x SM clock, samples at a low clock left out as in launch_time; the
--   time is less launch_overhead_us, what the interval holds besides the kernel, where the run measured that
-- counted_over_timed: their ratio, 1 where the two agree. NULL: not measured.
CREATE VIEW counted_against_timed AS
SELECT launch_id, run_id, counted_cycles, timed_cycles, counted_cycles / nullif(timed_cycles, 0) AS counted_over_timed
FROM (SELECT launch.id AS launch_id, launch.run_id,
             (SELECT value FROM metric_reading AS r
              WHERE r.launch_id = launch.id AND r.key = 'sm_cycles_elapsed_max') AS counted_cycles,
             (SELECT avg(cycles)
              FROM (SELECT (time_us - overhead_us) * clock_mhz AS cycles,
                           row_number() OVER (ORDER BY (time_us - overhead_us) * clock_mhz) AS place,
                           count(*) OVER () AS n
                    FROM sample,
                         (SELECT coalesce((SELECT value FROM metric_reading AS r
                                           WHERE r.launch_id = launch.id AND r.key = 'launch_overhead_us'),
                                          0) AS overhead_us)
                    WHERE sample.launch_id = launch.id AND low_clock = 0 AND clock_mhz IS NOT NULL)
              WHERE place IN ((n + 1) / 2, (n + 2) / 2)) AS timed_cycles
      FROM launch);
