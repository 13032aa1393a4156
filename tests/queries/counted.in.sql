-- with: v_study.sql
-- Launch 5 counted half of its 1,485,000 timed cycles, launch 2 a tenth more than its 4,000,000; the others lack one side.
INSERT INTO metric(id, key, source, cupti_name, unit, meaning) VALUES
(60, 'sm_cycles_elapsed_max', 'range', 'sm__cycles_elapsed.max', 'cycle', 'from start to end');
INSERT INTO metric_value(launch_id, metric_id, value, status) VALUES
(2, 60, 4400000, 'ok'), (3, 60, 8000000, 'ok'), (4, 60, NULL, 'denied'), (5, 60, 742500, 'ok');
UPDATE sample SET gate_open = 1 WHERE launch_id = 5;
