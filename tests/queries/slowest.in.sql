-- with: v_study.sql
-- :limit = 3
-- By percent of peak: 12.5 (twice), 25. 'selected' is work, so never the longest stall. Then what states no operations:
-- 9000 us before 20 us, neither of them at 0 % of the peak.
INSERT INTO launch(id, run_id, stage_id, arch, shape, kernel, grid_x, grid_y, grid_z, block_x, block_y, block_z, dynamic_shared_bytes,
                   flop, min_bytes, state, message, verify_error_over_bound, verify_reference) VALUES
(60, 1, 2, 'sm_90', '7', 'v1_7', 8, 8, 1, 256, 1, 1, 0, 0, 0, 'ok', '', NULL, ''),
(61, 1, 2, 'sm_90', '9', 'v1_7', 8, 8, 1, 256, 1, 1, 0, 0, 0, 'ok', '', NULL, '');
INSERT INTO sample(launch_id, seq, repetition, time_us, clock_mhz, low_clock) VALUES (60, 0, 0, 20, 990, 0), (61, 0, 0, 9000, 990, 0);
