INSERT INTO launch(id, run_id, stage_id, arch, shape, kernel, grid_x, grid_y, grid_z, block_x, block_y, block_z, dynamic_shared_bytes,
                   flop, min_bytes, state, message, verify_error_over_bound, verify_reference) VALUES
(31, 7, 11, 'sm_90', '2048x2048x2048', 'v1_7', 16, 16, 1, 256, 1, 1, 0, 17179869184, 50331648, 'ok', '', 0.25, 'cublas'),
(32, 7, 12, 'sm_90', '2048x2048x2048', 'v1_6', 16, 16, 1, 256, 1, 1, 0, 17179869184, 50331648, 'failed', 'wrong', NULL, '');
INSERT INTO sample(launch_id, seq, repetition, time_us, clock_mhz, low_clock) VALUES
(31, 0, 0, 705.25, 1755.5, 0),
(31, 1, 1, 900, NULL, 1);
INSERT INTO metric(id, key, source, cupti_name, unit, meaning) VALUES
(41, 'inst_issued', 'range', 'smsp__inst_issued.sum', 'inst', 'warp instructions issued'),
(42, 'stall_gmma', 'range', '', 'warp-cycle', 'waiting for a warpgroup matrix instruction');
INSERT INTO metric_value(launch_id, metric_id, value, status) VALUES
(31, 41, 379000000, 'ok'),
(31, 42, NULL, 'unsupported');
INSERT INTO warning(id, run_id, launch_id, code, text) VALUES
(51, 7, NULL, 'dirty', 'built from uncommitted changes'),
(52, 7, 31, 'low_clock', 'one sample of two');
