-- A library's kernel, a stage and the stage made from it, on an invented GPU that does 2 * 100 lanes * 10 SMs * 1000
-- MHz = 2000 GFLOP/s.
-- At 1000x1000x1000 (2e9 operations): cublas 2000 us, v1_7 4000 us, v1_6 8000 us. v1_6 changes one factor and uses
-- local memory.
INSERT INTO device(id, name, chip, cc_major, cc_minor, sm_count, fp32_lanes_per_sm, sm_clock_mhz, dram_bytes_per_s, memory_bytes,
                   l2_bytes, shared_bytes_per_sm, registers_per_sm, max_threads_per_sm, max_blocks_per_sm) VALUES
(1, 'Invented GPU', 'GX1', 9, 0, 10, 100, 1000, 1e12, 1000000000, 1000000, 200000, 65536, 2048, 32);
INSERT INTO toolchain(id, driver, cuda_driver_api, cuda_runtime, cupti, nvcc, host_compiler) VALUES
(1, '580.1', '13.0', '13.0', '26', '13.0.88', 'g++ 12.2.0');
-- Newest first: 3 launched nothing, 2 was killed; 1 is the one that is meant when none is named.
INSERT INTO run(id, uuid, started_utc, finished_utc, label, command_line, profile, l2, seed, git_sha, git_dirty, device_id,
                toolchain_id) VALUES
(1, 'aaaa0000-0000-4000-8000-000000000000', '2026-01-01T00:00:00Z', '2026-01-01T00:05:00Z', 'first', 'gemm_bench', 'core', 'hot', 42,
 '0123abc', 0, 1, 1),
(2, 'bbbb0000-0000-4000-8000-000000000000', '2026-01-02T00:00:00Z', NULL, 'killed', 'gemm_bench', 'none', 'hot', 42, '0123abc', 0, 1, 1),
(3, 'cccc0000-0000-4000-8000-000000000000', '2026-01-03T00:00:00Z', '2026-01-03T00:00:01Z', '', 'gemm_bench --static', 'none', 'hot', 42,
 '0123abc', 1, NULL, 1);
INSERT INTO stage(id, key, family, parent, idea, "constraint", source_file, source_line, factors) VALUES
(1, 'cublas_sgemm', 'reference', '', 'the library', 'any size', 'kernels/cublas.cpp', 10, '{}'),
(2, 'v1_7', 'v_study', '', 'k outermost', 'any size', 'kernels/v1_7.cu', 10, '{"load width":"1","loop nest":"k->m->n"}'),
(3, 'v1_6', 'v_study', 'v1_7', 'k innermost', 'any size', 'kernels/v1_6.cu', 10, '{"load width":"1","loop nest":"m->n->k"}');
INSERT INTO stage_factor(stage_id, factor, value) VALUES
(2, 'load width', '1'), (2, 'loop nest', 'k->m->n'),
(3, 'load width', '1'), (3, 'loop nest', 'm->n->k');
INSERT INTO run_stage(run_id, stage_id, position) VALUES (1, 1, 3), (1, 2, 1), (1, 3, 2), (2, 2, 1), (3, 2, 1);
INSERT INTO build(id, run_id, stage_id, arch, kernel, cubin_digest) VALUES
(1, 1, 2, 'sm_90', 'v1_7', 'c0ffee07'), (2, 1, 3, 'sm_90', 'v1_6', 'c0ffee06'), (3, 1, 3, 'sm_80', 'v1_6', 'c0ffee86');
INSERT INTO static_attribute(build_id, name, source, value, status) VALUES
(1, 'registers', 'cubin', 121, 'ok'), (1, 'registers', 'runtime', 122, 'ok'), (1, 'stack_frame_bytes', 'cubin', 0, 'ok'),
(1, 'spill_store_bytes', 'compiler', 0, 'ok'), (1, 'spill_load_bytes', 'compiler', 0, 'ok'), (1, 'static_shared_bytes', 'cubin', 8192, 'ok'),
(1, 'theoretical_occupancy', 'model', 0.25, 'ok'),
(2, 'registers', 'cubin', 120, 'ok'), (2, 'registers', 'runtime', NULL, 'failed'), (2, 'stack_frame_bytes', 'cubin', 256, 'ok'),
(2, 'spill_store_bytes', 'compiler', 8, 'ok'), (2, 'spill_load_bytes', 'compiler', 16, 'ok'),
(3, 'registers', 'cubin', 64, 'ok'), (3, 'stack_frame_bytes', 'cubin', 0, 'ok');
INSERT INTO launch(id, run_id, stage_id, arch, shape, kernel, grid_x, grid_y, grid_z, block_x, block_y, block_z, dynamic_shared_bytes,
                   flop, min_bytes, state, message, verify_error_over_bound, verify_reference) VALUES
(1, 1, 1, '', '1000x1000x1000', 'ampere_sgemm', 8, 8, 1, 256, 1, 1, 0, 2e9, 12e6, 'ok', '', NULL, ''),
(2, 1, 2, 'sm_90', '1000x1000x1000', 'v1_7', 8, 8, 1, 256, 1, 1, 0, 2e9, 12e6, 'ok', '', 0.25, 'cublas'),
(3, 1, 3, 'sm_90', '1000x1000x1000', 'v1_6', 8, 8, 1, 256, 1, 1, 0, 2e9, 12e6, 'ok', '', 0.5, 'cublas'),
(4, 1, 2, 'sm_90', '500x500x500', 'v1_7', 4, 4, 1, 256, 1, 1, 0, 25e7, 3e6, 'ok', '', 0.25, 'cublas'),
(5, 1, 3, 'sm_90', '500x500x500', 'v1_6', 4, 4, 1, 256, 1, 1, 0, 25e7, 3e6, 'failed', 'element (3, 4) is off', 17.5, 'cublas'),
(6, 2, 2, 'sm_90', '1000x1000x1000', 'v1_7', 8, 8, 1, 256, 1, 1, 0, 2e9, 12e6, 'ok', '', 0.25, 'cublas');
-- Medians: 2000; 4000 (9000 was at a low clock); 8000 (of two); 1000.
INSERT INTO sample(launch_id, seq, repetition, time_us, clock_mhz, low_clock) VALUES
(1, 0, 0, 2100, 980, 0), (1, 1, 1, 1900, 980, 0), (1, 2, 2, 2000, 980, 0),
(2, 0, 0, 4000, 1000, 0), (2, 1, 1, 9000, 400, 1), (2, 2, 2, 5000, 950, 0), (2, 3, 3, 3000, 840, 0),
(3, 0, 0, 7000, NULL, 0), (3, 1, 1, 9000, NULL, 0),
(4, 0, 0, 1000, 990, 0),
(5, 0, 0, 1500, 990, 0),
(6, 0, 0, 4100, 990, 0);
INSERT INTO warning(id, run_id, launch_id, code, text) VALUES
(1, 1, NULL, 'toolkit_mismatch', 'CUPTI is newer than the driver'),
(2, 1, 2, 'low_clock', 'one sample of four ran at a low clock'),
(3, 2, NULL, 'counters_denied', 'of another run');
INSERT INTO metric(id, key, source, cupti_name, unit, meaning) VALUES
(1, 'warps_active', 'range', 'smsp__warps_active.sum', 'warp-cycle', 'resident warps, summed over cycles (W)'),
(2, 'stall_selected', 'range', 'smsp__warps_issue_stalled_selected.sum', 'warp-cycle', 'issuing'),
(3, 'stall_long_scoreboard', 'range', 'smsp__warps_issue_stalled_long_scoreboard.sum', 'warp-cycle', 'waiting for memory'),
(4, 'stall_barrier', 'range', 'smsp__warps_issue_stalled_barrier.sum', 'warp-cycle', 'waiting for sibling warps'),
(5, 'stall_wait', 'range', 'smsp__warps_issue_stalled_wait.sum', 'warp-cycle', 'fixed-latency dependency'),
(6, 'stall_imc_miss', 'range', '', 'warp-cycle', 'immediate constant cache miss'),
(7, 'achieved_occupancy_pct', 'range', 'sm__warps_active.avg.pct_of_peak_sustained_active', '%', 'resident warps'),
(10, 'shared_load_inst', 'range', 'smsp__inst_executed_op_shared_ld.sum', 'inst', 'shared loads'),
(11, 'shared_ldsm_inst', 'range', 'smsp__inst_executed_op_ldsm.sum', 'inst', 'matrix loads'),
(12, 'shared_store_inst', 'range', 'smsp__inst_executed_op_shared_st.sum', 'inst', 'shared stores'),
(13, 'shared_atom_inst', 'range', 'smsp__inst_executed_op_shared_atom.sum', 'inst', 'shared atomics'),
(14, 'shared_wavefronts', 'range', 'l1tex__data_pipe_lsu_wavefronts_mem_shared.sum', 'wavefront', 'all'),
(15, 'shared_load_wavefronts', 'range', 'l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum', 'wavefront', 'loads'),
(16, 'shared_store_wavefronts', 'range', 'l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum', 'wavefront', 'stores'),
(17, 'shared_wavefronts_pct', 'range', 'l1tex__data_pipe_lsu_wavefronts_mem_shared.pct', '%', 'all'),
(18, 'shared_load_wavefronts_pct', 'range', 'l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.pct', '%', 'loads'),
(19, 'shared_store_wavefronts_pct', 'range', 'l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.pct', '%', 'stores'),
(20, 'shared_conflicts_hw', 'range', 'l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum', 'wavefront', 'all'),
(21, 'shared_load_conflicts_hw', 'range', 'l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum', 'wavefront', 'loads'),
(22, 'shared_store_conflicts_hw', 'range', 'l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum', 'wavefront', 'stores'),
(23, 'sass_shared_wavefronts', 'sass', 'smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared', 'wavefront', 'required'),
(24, 'sass_shared_wavefronts_ideal', 'sass', 'smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared_ideal', 'wavefront', 'without conflicts'),
(30, 'global_load_inst', 'range', 'smsp__inst_executed_op_global_ld.sum', 'inst', 'global loads'),
(31, 'global_load_requests', 'range', 'l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum', 'request', 'global loads'),
(32, 'global_load_sectors', 'range', 'l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum', 'sector', 'global loads'),
(33, 'sass_global_sectors', 'sass', 'smsp__sass_sectors_mem_global', 'sector', 'touched'),
(34, 'sass_global_sectors_ideal', 'sass', 'smsp__sass_sectors_mem_global_ideal', 'sector', 'touched if coalesced'),
(35, 'local_load_inst', 'range', 'smsp__inst_executed_op_local_ld.sum', 'inst', 'local loads'),
(36, 'local_store_inst', 'range', 'smsp__inst_executed_op_local_st.sum', 'inst', 'local stores'),
(37, 'local_load_requests', 'range', 'l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum', 'request', 'local loads'),
(38, 'local_store_requests', 'range', 'l1tex__t_requests_pipe_lsu_mem_local_op_st.sum', 'request', 'local stores'),
(39, 'local_load_sectors', 'range', 'l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum', 'sector', 'local loads'),
(40, 'local_store_sectors', 'range', 'l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum', 'sector', 'local stores'),
(41, 'l1_sectors_hit', 'range', 'l1tex__t_sectors_lookup_hit.sum', 'sector', 'hits'),
(42, 'l1_sectors_miss', 'range', 'l1tex__t_sectors_lookup_miss.sum', 'sector', 'misses'),
(43, 'l2_sectors', 'range', 'lts__t_sectors.sum', 'sector', 'L2 sectors'),
(44, 'l2_sectors_hit', 'range', 'lts__t_sectors_lookup_hit.sum', 'sector', 'hits'),
(45, 'l2_sectors_miss', 'range', 'lts__t_sectors_lookup_miss.sum', 'sector', 'misses'),
(46, 'dram_read_bytes', 'range', 'dram__bytes_read.sum', 'byte', 'read'),
(47, 'dram_write_bytes', 'range', 'dram__bytes_write.sum', 'byte', 'written'),
(48, 'sass_local_sectors', 'sass', 'smsp__sass_sectors_mem_local', 'sector', 'touched'),
(49, 'sass_local_inst', 'sass', 'smsp__sass_inst_executed_op_local', 'inst', 'local');
-- v1_7
INSERT INTO metric_value(launch_id, metric_id, value, status) VALUES
(2, 1, 1000, 'ok'), (2, 2, 400, 'ok'), (2, 3, 100, 'ok'), (2, 4, 200, 'ok'), (2, 5, 300, 'ok'), (2, 6, NULL, 'unsupported'),
(2, 7, 25, 'ok'),
(2, 10, 1000, 'ok'), (2, 11, 0, 'ok'), (2, 12, 200, 'ok'), (2, 13, 0, 'ok'),
(2, 14, 3000, 'ok'), (2, 15, 2400, 'ok'), (2, 16, 500, 'ok'),
(2, 17, 30, 'ok'), (2, 18, 24, 'ok'), (2, 19, 5, 'ok'),
(2, 20, 700, 'ok'), (2, 21, 600, 'ok'), (2, 22, 50, 'ok'),
(2, 23, 2900, 'ok'), (2, 24, 2000, 'ok'),
(2, 30, 100, 'ok'), (2, 31, 100, 'ok'), (2, 32, 1600, 'ok'), (2, 33, 1640, 'ok'), (2, 34, 410, 'ok'),
(2, 35, 0, 'ok'), (2, 36, 0, 'ok'), (2, 37, 0, 'ok'), (2, 38, 0, 'ok'), (2, 39, 0, 'ok'), (2, 40, 0, 'ok'),
(2, 41, 900, 'ok'), (2, 42, 300, 'ok'), (2, 43, 2000, 'ok'), (2, 44, 1200, 'ok'), (2, 45, 300, 'ok'),
(2, 46, 1e6, 'ok'), (2, 47, 2e5, 'ok'), (2, 48, 0, 'ok'), (2, 49, 0, 'ok');
-- v1_6: fewer shared loads, local memory; the driver refused the patched counts of shared memory.
INSERT INTO metric_value(launch_id, metric_id, value, status) VALUES
(3, 1, 2000, 'ok'), (3, 2, 200, 'ok'), (3, 3, 1200, 'ok'), (3, 4, 600, 'ok'), (3, 5, 0, 'ok'), (3, 6, NULL, 'unsupported'),
(3, 7, 12.5, 'ok'),
(3, 10, 500, 'ok'), (3, 11, NULL, 'failed'), (3, 12, 200, 'ok'), (3, 13, 0, 'ok'),
(3, 14, 1600, 'ok'), (3, 15, 1000, 'ok'), (3, 16, 500, 'ok'),
(3, 17, 16, 'ok'), (3, 18, 10, 'ok'), (3, 19, 5, 'ok'),
(3, 20, 300, 'ok'), (3, 21, 150, 'ok'), (3, 22, 50, 'ok'),
(3, 23, NULL, 'denied'), (3, 24, NULL, 'denied'),
(3, 30, 100, 'ok'), (3, 31, 100, 'ok'), (3, 32, 1600, 'ok'),
(3, 35, 800, 'ok'), (3, 36, 200, 'ok'), (3, 37, 800, 'ok'), (3, 38, 200, 'ok'), (3, 39, 3200, 'ok'), (3, 40, 800, 'ok'),
(3, 43, 20000, 'ok'), (3, 44, 12000, 'ok'), (3, 45, 8000, 'ok'),
(3, 46, 4e6, 'ok'), (3, 47, 8e6, 'ok'), (3, 48, 4000, 'ok'), (3, 49, 1000, 'ok');
