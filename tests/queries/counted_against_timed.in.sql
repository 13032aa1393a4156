-- with: v_study.sql
-- Launch 2: median of 4000 us x 1000 MHz, 5000 x 950 and 3000 x 840 is 4,000,000 cycles, without the sample at a low
-- clock; counted 4,400,000. Launch 1: the median of 2100 x 980, 1900 x 980 and 2000 x 980; nothing counted. Launch 3:
-- counted, and no clock measured. Launch 4: the driver refused to count.
INSERT INTO metric(id, key, source, cupti_name, unit, meaning) VALUES
(60, 'sm_cycles_elapsed_max', 'range', 'sm__cycles_elapsed.max', 'cycle', 'from start to end'),
(61, 'counted_time_ns', 'range', 'gpu__time_duration.sum', 'ns', 'time of the counted execution');
INSERT INTO metric_value(launch_id, metric_id, value, status) VALUES
(2, 60, 4400000, 'ok'), (3, 60, 8000000, 'ok'), (4, 60, NULL, 'denied'), (5, 60, 742500, 'ok'),
(5, 61, 1470000, 'ok');
