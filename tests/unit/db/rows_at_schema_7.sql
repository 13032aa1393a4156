INSERT INTO launch(id, run_id, stage_id, arch, shape, ordinal, kernel, grid_x, grid_y, grid_z, block_x, block_y, block_z,
                   dynamic_shared_bytes, flop, min_bytes, state, message, verify_error_over_bound, verify_reference) VALUES
(33, 7, 11, 'sm_90', '2048x2048x2048', 1, 'v1_7', 16, 16, 1, 256, 1, 1, 0, 17179869184, 50331648, 'ok', '', 0.25, 'cublas');
