-- with: v_study.sql
-- Launch 5 counted half of its 1,485,000 timed cycles, in 98 % of its time. Launch 2 counted a ninth more than its
-- 3,960,000 cycles: 40 us of its 4,000 are not the kernel. The others lack one side.
INSERT INTO metric(id, key, source, cupti_name, unit, meaning) VALUES
(60, 'sm_cycles_elapsed_max', 'range', 'sm__cycles_elapsed.max', 'cycle', 'from start to end'),
(61, 'counted_time_ns', 'range', 'gpu__time_duration.sum', 'ns', 'time of the counted execution'),
(62, 'launch_overhead_us', 'launch', '', 'us', 'not the kernel');
INSERT INTO metric_value(launch_id, metric_id, value, status) VALUES
(2, 60, 4400000, 'ok'), (3, 60, 8000000, 'ok'), (4, 60, NULL, 'denied'), (5, 60, 742500, 'ok'),
(5, 61, 1470000, 'ok'), (2, 62, 40, 'ok');
UPDATE sample SET gate_open = 1 WHERE launch_id = 5;
