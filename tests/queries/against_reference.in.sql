-- with: v_study.sql
-- v1_7 takes twice cuBLAS's time at 1000, and as long at 100, where its samples scatter: geometric mean sqrt(1/2). v1_6 failed at 500.
INSERT INTO launch(id, run_id, stage_id, arch, shape, kernel, grid_x, grid_y, grid_z, block_x, block_y, block_z, dynamic_shared_bytes,
                   flop, min_bytes, state, message, verify_error_over_bound, verify_reference) VALUES
(7, 1, 1, '', '100x100x100', 'ampere_sgemm', 8, 8, 1, 256, 1, 1, 0, 2e6, 8e4, 'ok', '', NULL, ''),
(8, 1, 2, 'sm_90', '100x100x100', 'v1_7', 8, 8, 1, 256, 1, 1, 0, 2e6, 8e4, 'ok', '', 0.25, 'cublas');
INSERT INTO sample(launch_id, seq, repetition, time_us, clock_mhz, low_clock) VALUES
(7, 0, 0, 9, 980, 0), (7, 1, 0, 10, 980, 0), (7, 2, 0, 10, 980, 0), (7, 3, 0, 12, 980, 0), (7, 4, 0, 99, 500, 1),
(8, 0, 0, 8, 980, 0), (8, 1, 0, 10, 980, 0), (8, 2, 0, 10, 980, 0), (8, 3, 0, 15, 980, 0);
