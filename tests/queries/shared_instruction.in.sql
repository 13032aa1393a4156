-- with: v_study.sql
-- with: instructions.sql
-- In another launch: a matrix load, which no counter of widths counts; a copy from global memory; an atomic whose ideal
-- was not counted; an instruction of which every thread was predicated off.
INSERT INTO function_source(id, function, source_file) VALUES (3, 'v1_6', 'kernels/v1_6.cu');
INSERT INTO instruction(id, launch_id, function_source_id, pc_offset, source_line, opcode) VALUES
(5, 3, 3, 16, 30, 'LDSM'),
(6, 3, 3, 32, 31, 'LDGSTS'),
(7, 3, 3, 48, 32, 'ATOMS'),
(8, 3, 3, 64, 33, '');
INSERT INTO instruction_value(instruction_id, metric_id, value) VALUES
(5, 60, 10), (5, 61, 10), (5, 68, 10), (5, 23, 80), (5, 24, 40),
(6, 60, 10), (6, 69, 10), (6, 64, 10), (6, 23, 40), (6, 24, 40), (6, 33, 160), (6, 34, 160),
(7, 60, 10), (7, 61, 10), (7, 65, 10), (7, 23, 320),
(8, 60, 10), (8, 61, 10), (8, 62, 10), (8, 65, 10), (8, 23, 0), (8, 24, 0);
