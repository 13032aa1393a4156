-- Times of every launch. Samples far below the run's usual clock are counted, but left out of all other columns.
-- gate_open_samples: samples that may include waiting for the host; they are not left out.
-- clock_mhz: median of the measured clocks. NULL: no sample, or none with a clock.
CREATE VIEW launch_time AS
WITH kept AS NOT MATERIALIZED (SELECT launch_id, time_us, clock_mhz FROM sample WHERE low_clock = 0)
SELECT launch.id AS launch_id,
       (SELECT avg(time_us)
        FROM (SELECT time_us, row_number() OVER (ORDER BY time_us) AS place, count(*) OVER () AS n
              FROM kept
              WHERE launch_id = launch.id)
        WHERE place IN ((n + 1) / 2, (n + 2) / 2)) AS median_us,
       (SELECT min(time_us) FROM kept WHERE launch_id = launch.id) AS min_us,
       (SELECT max(time_us) FROM kept WHERE launch_id = launch.id) AS max_us,
       (SELECT count(*) FROM sample WHERE launch_id = launch.id) AS samples,
       (SELECT count(*) FROM sample WHERE launch_id = launch.id AND low_clock = 1) AS low_clock_samples,
       (SELECT count(*) FROM sample WHERE launch_id = launch.id AND gate_open = 1) AS gate_open_samples,
       (SELECT avg(clock_mhz)
        FROM (SELECT clock_mhz, row_number() OVER (ORDER BY clock_mhz) AS place, count(*) OVER () AS n
              FROM kept
              WHERE launch_id = launch.id AND clock_mhz IS NOT NULL)
        WHERE place IN ((n + 1) / 2, (n + 2) / 2)) AS clock_mhz
FROM launch;
