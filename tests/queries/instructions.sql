-- Instructions of v1_7 at 1000, in addition to v_study.sql. Its readings say 2900 wavefronts, 2000 of them ideal, and
-- 1640 sectors, 410 of them ideal: the instructions below add up to that.
--   line 20  STS of 32 bit    200 executed, 1000 wavefronts where 200 would do: the strided store
--   line 21  LDS of 128 bit   300 executed, 1200 wavefronts, no conflict
--   line 21  LDS of 128 bit   150 executed, 700 wavefronts where 600 would do
--   line 0   LDG of 32 bit    100 executed, 1640 sectors where 410 would do; no line information
--   line 22  BAR               50 executed: the only one that touches no memory
INSERT INTO metric(id, key, source, cupti_name, unit, meaning) VALUES
(60, 'sass_inst', 'sass', 'smsp__sass_inst_executed', 'inst', 'all'),
(61, 'sass_shared_inst', 'sass', 'smsp__sass_inst_executed_op_shared', 'inst', 'shared'),
(62, 'sass_shared_load_inst', 'sass', 'smsp__sass_inst_executed_op_shared_ld', 'inst', 'shared loads'),
(63, 'sass_shared_store_inst', 'sass', 'smsp__sass_inst_executed_op_shared_st', 'inst', 'shared stores'),
(64, 'sass_memory_128b_inst', 'sass', 'smsp__sass_inst_executed_op_memory_128b', 'inst', 'of 128 bit'),
(65, 'sass_memory_32b_inst', 'sass', 'smsp__sass_inst_executed_op_memory_32b', 'inst', 'of 32 bit'),
(66, 'sass_global_inst', 'sass', 'smsp__sass_inst_executed_op_global', 'inst', 'global'),
(67, 'sass_global_load_inst', 'sass', 'smsp__sass_inst_executed_op_global_ld', 'inst', 'global loads'),
(68, 'sass_ldsm_inst', 'sass', 'smsp__sass_inst_executed_op_ldsm', 'inst', 'LDSM'),
(69, 'sass_ldgsts_inst', 'sass', 'smsp__sass_inst_executed_op_ldgsts', 'inst', 'LDGSTS');
INSERT INTO function_source(id, function, source_file) VALUES (1, 'v1_7', ''), (2, 'v1_7', 'kernels/v1_7.cu');
INSERT INTO instruction(id, launch_id, function_source_id, pc_offset, source_line, opcode) VALUES
(1, 2, 1, 160, 0, 'LDG'),
(2, 2, 2, 176, 20, 'STS'),
(3, 2, 2, 256, 21, 'LDS'),
(4, 2, 2, 272, 21, 'LDS'),
(9, 2, 2, 288, 22, 'BAR');
INSERT INTO instruction_value(instruction_id, metric_id, value) VALUES
(1, 60, 100), (1, 65, 100), (1, 66, 100), (1, 67, 100), (1, 33, 1640), (1, 34, 410),
(2, 60, 200), (2, 61, 200), (2, 63, 200), (2, 65, 200), (2, 23, 1000), (2, 24, 200),
(3, 60, 300), (3, 61, 300), (3, 62, 300), (3, 64, 300), (3, 23, 1200), (3, 24, 1200),
(4, 60, 150), (4, 61, 150), (4, 62, 150), (4, 64, 150), (4, 23, 700), (4, 24, 600),
(9, 60, 50);
