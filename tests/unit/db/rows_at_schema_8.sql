INSERT INTO machine_figure(run_id, name, setting, value, unit, measured_in) VALUES
(7, 'l2_latency', 0, 262, 'cycle', 'aaaa0000-0000-4000-8000-000000000000'),
(7, 'l2_latency', 12.5, 301.25, 'cycle', 'aaaa0000-0000-4000-8000-000000000000');
