INSERT INTO device(id, name, chip, cc_major, cc_minor, sm_count, fp32_lanes_per_sm, sm_clock_mhz, dram_bytes_per_s, memory_bytes,
                   l2_bytes, shared_bytes_per_sm, registers_per_sm, max_threads_per_sm, max_blocks_per_sm) VALUES
(3, 'NVIDIA H100 80GB HBM3', 'GH100', 9, 0, 132, 128, 1980, 3.35e12, 85000000000, 52428800, 233472, 65536, 2048, 32);
INSERT INTO toolchain(id, driver, cuda_driver_api, cuda_runtime, cupti, nvcc, host_compiler) VALUES
(5, '580.159.04', '13.0', '13.0', '26', '13.0.88', 'g++ 12.2.0');
INSERT INTO run(id, uuid, started_utc, finished_utc, label, command_line, profile, l2, seed, git_sha, git_dirty, device_id,
                toolchain_id) VALUES
(7, 'aaaa0000-0000-4000-8000-000000000000', '2026-01-01T00:00:00Z', '2026-01-01T00:05:00Z', 'first', 'gemm_bench', 'core', 'hot', 42,
 '0123abc', 0, 3, 5),
(8, 'bbbb0000-0000-4000-8000-000000000000', '2026-01-02T00:00:00Z', NULL, 'killed', 'gemm_bench', 'none', 'flush', -1, '', 1, NULL, 5);
