-- with: v_study.sql
-- v1_6 takes twice the time of its parent, a quarter of cuBLAS's speed. Nothing to compare with at 500.
-- A stage with half-precision input is no share of the FFMA peak, and of the reference with that input alone.
INSERT INTO stage(id, key, family, parent, idea, "constraint", source_file, source_line, factors) VALUES
(4, 'cublas_hgemm', 'reference', '', 'the library', 'any size', 'kernels/cublas.cpp', 20, '{"input":"fp16"}'),
(5, 'hgemm_wmma', 'hgemm', '', 'tensor cores', 'any size', 'kernels/hgemm.cu', 10, '{"input":"fp16"}');
INSERT INTO stage_factor(stage_id, factor, value) VALUES (4, 'input', 'fp16'), (5, 'input', 'fp16');
INSERT INTO run_stage(run_id, stage_id, position) VALUES (1, 4, 4), (1, 5, 5);
INSERT INTO launch(id, run_id, stage_id, arch, shape, kernel, grid_x, grid_y, grid_z, block_x, block_y, block_z, dynamic_shared_bytes,
                   flop, min_bytes, state, message, verify_error_over_bound, verify_reference) VALUES
(7, 1, 4, '', '1000x1000x1000', 'hopper_hgemm', 8, 8, 1, 256, 1, 1, 0, 2e9, 8e6, 'ok', '', 0.25, 'cublas'),
(8, 1, 5, 'sm_90', '1000x1000x1000', 'hgemm_wmma', 8, 8, 1, 256, 1, 1, 0, 2e9, 8e6, 'ok', '', 0.25, 'cublas');
INSERT INTO sample(launch_id, seq, repetition, time_us, clock_mhz, low_clock) VALUES (7, 0, 0, 100, 980, 0), (8, 0, 0, 400, 980, 0);
