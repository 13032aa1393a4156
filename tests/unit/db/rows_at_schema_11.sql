INSERT INTO program(run_id, source, exit_status, processes, gpus, wall_us, counted_wall_us, span_us, idle_us, lost_launches)
VALUES (7, 'record', 0, 1, 1, 2500000.5, NULL, 1200.25, 300, 2);
INSERT INTO program_copy(run_id, kind, calls, bytes, time_us, share_us) VALUES (7, 'to_device', 3, 4096, 12.5, 12.25);
INSERT INTO program_launch(launch_id, name, nvtx, first, calls, time_us, share_us, graph_calls, counted, not_counted) VALUES
(31, 'void sgemm<128>(float*)', 'step #/forward', 4, 100, 900, 888, 50, 3, '');
