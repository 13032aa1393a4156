-- with: v_study.sql
-- with: instructions.sql
-- In another launch: a store, a copy to shared memory and an atomic, whose opcode is not known.
INSERT INTO metric(id, key, source, cupti_name, unit, meaning) VALUES
(70, 'sass_global_store_inst', 'sass', 'smsp__sass_inst_executed_op_global_st', 'inst', 'global stores');
INSERT INTO function_source(id, function, source_file) VALUES (3, 'v1_6', 'kernels/v1_6.cu');
INSERT INTO instruction(id, launch_id, function_source_id, pc_offset, source_line, opcode) VALUES
(5, 3, 3, 16, 30, 'STG'),
(6, 3, 3, 32, 31, 'LDGSTS'),
(7, 3, 3, 48, 32, '');
INSERT INTO instruction_value(instruction_id, metric_id, value) VALUES
(5, 60, 10), (5, 66, 10), (5, 70, 10), (5, 64, 10), (5, 33, 160), (5, 34, 160),
(6, 60, 10), (6, 69, 10), (6, 64, 10), (6, 23, 40), (6, 24, 40), (6, 33, 160), (6, 34, 160),
(7, 60, 10), (7, 66, 10), (7, 33, 10), (7, 34, 10);
