INSERT INTO metric(id, key, source, cupti_name, unit, meaning) VALUES
(43, 'sass_shared_wavefronts', 'sass', 'smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared', 'wavefront', 'required');
INSERT INTO metric_value(launch_id, metric_id, value, status) VALUES
(31, 43, 12582912, 'ok');
INSERT INTO shared_access(run_id, stage_id, name, position, array, row_bytes, op, lane_bytes, addresses) VALUES
(7, 11, 'store A', 1, 'A', 512, 'st', 4,
 '[0,512,1024,1536,2048,2560,3072,3584,4,516,1028,1540,2052,2564,3076,3588,8,520,1032,1544,2056,2568,3080,3592,12,524,1036,1548,2060,null,null,null]');
INSERT INTO function_source(id, function, source_file) VALUES
(71, 'v1_7', 'kernels/sgemm/v_study.cuh'),
(72, 'v1_7', '');
INSERT INTO instruction(id, launch_id, function_source_id, pc_offset, source_line, opcode) VALUES
(61, 31, 71, 1312, 101, 'STS'),
(62, 31, 72, 1344, 0, '');
INSERT INTO instruction_value(instruction_id, metric_id, value) VALUES
(61, 43, 8388608),
(62, 43, 4194304);
