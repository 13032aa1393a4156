INSERT INTO program(run_id, source, exit_status, processes, gpus, wall_us, counted_wall_us, span_us, idle_us, lost_launches, capture)
VALUES (8, 'pytorch', NULL, 1, 2, NULL, NULL, 800.5, 200.25, 0, '');
