-- with: v_study.sql
-- Only at 1000: the candidate of the smaller shape failed.
-- A second stage that changes two factors and drops one.
INSERT INTO stage(id, key, family, parent, idea, "constraint", source_file, source_line, factors) VALUES
(9, 'v0', 'v_study', 'v1_6', 'two at once', 'any size', 'kernels/v0.cu', 10, '{"loop nest":"tiled","padding":"4"}');
INSERT INTO stage_factor(stage_id, factor, value) VALUES (9, 'loop nest', 'tiled'), (9, 'padding', '4');
INSERT INTO run_stage(run_id, stage_id, position) VALUES (1, 9, 4);
INSERT INTO launch(id, run_id, stage_id, arch, shape, kernel, grid_x, grid_y, grid_z, block_x, block_y, block_z, dynamic_shared_bytes,
                   flop, min_bytes, state, message, verify_error_over_bound, verify_reference) VALUES
(9, 1, 9, 'sm_90', '1000x1000x1000', 'v0', 8, 8, 1, 256, 1, 1, 0, 2e9, 12e6, 'ok', '', 0.25, 'cublas');
INSERT INTO sample(launch_id, seq, repetition, time_us, clock_mhz, low_clock) VALUES (9, 0, 0, 3000, 990, 0);
-- Its second launch is no pair of its own.
INSERT INTO launch(id, run_id, stage_id, arch, shape, ordinal, kernel, grid_x, grid_y, grid_z, block_x, block_y, block_z, dynamic_shared_bytes,
                   flop, min_bytes, state, message, verify_error_over_bound, verify_reference) VALUES
(10, 1, 9, 'sm_90', '1000x1000x1000', 1, 'v0', 8, 8, 1, 256, 1, 1, 0, 2e9, 12e6, 'ok', '', 0.25, 'cublas');
INSERT INTO sample(launch_id, seq, repetition, time_us, clock_mhz, low_clock) VALUES (10, 0, 0, 2000, 990, 0);
