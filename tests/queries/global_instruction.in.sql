-- with: v_study.sql
-- with: instructions.sql
-- In another launch: a store, a copy to shared memory and an atomic.
INSERT INTO metric(id, key, source, cupti_name, unit, meaning) VALUES
(70, 'sass_global_store_inst', 'sass', 'smsp__sass_inst_executed_op_global_st', 'inst', 'global stores');
INSERT INTO instruction(id, launch_id, function, pc_offset, source_file, source_line) VALUES
(5, 3, 'v1_6', 16, 'kernels/v1_6.cu', 30),
(6, 3, 'v1_6', 32, 'kernels/v1_6.cu', 31),
(7, 3, 'v1_6', 48, 'kernels/v1_6.cu', 32);
INSERT INTO instruction_value(instruction_id, metric_id, value) VALUES
(5, 60, 10), (5, 66, 10), (5, 70, 10), (5, 64, 10), (5, 33, 160), (5, 34, 160),
(6, 60, 10), (6, 69, 10), (6, 64, 10), (6, 23, 40), (6, 24, 40), (6, 33, 160), (6, 34, 160),
(7, 60, 10), (7, 66, 10), (7, 33, 10), (7, 34, 10);
