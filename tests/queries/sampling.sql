-- What sampling saw of v1_7 and v1_6 at 1000, in addition to v_study.sql. Of v1_6, 1000 samples of 8000 us, 8 us each:
--   line 20  LDG, and an LDL that a header of CUDA's brought: 600 long_scoreboard, 40 selected
--   line 21  FFMA: 200 wait, 60 selected
--   line 0   EXIT has no line: 10 selected
--   helper   its module was not at hand: 40 selected
--   the remaining 50 have no known instruction.
-- v1_7 has the FFMA of v1_6 in its own code, and 100 of 400 samples there: 1000 of 4000 us.
INSERT INTO line_chain(id, source_file, source_line, frames) VALUES
(1, 'kernels/v1_6.cu', 20, '[["kernels/v1_6.cu",20]]'),
(2, 'kernels/v1_6.cu', 20, '[["cuda_fp16.hpp",7],["kernels/v1_6.cu",20]]'),
(3, 'kernels/v1_6.cu', 21, '[["kernels/v1_6.cu",21]]'),
(4, 'kernels/v1_7.cu', 30, '[["kernels/v1_7.cu",30]]');
INSERT INTO machine_instruction(id, encoding, opcode, operands, stall_cycles, yield, write_scoreboard, read_scoreboard, wait_mask) VALUES
(1, '000ea2000c1e19000000000402047981', 'LDG.E', 'R4, [R2.64]', 4, 1, 2, -1, 0),
(2, '000ee200001008000000000001057983', 'LDL', 'R5, [R1]', 4, 1, 3, 0, 0),
(3, '00cfca00000000060000000405067223', 'FFMA', 'R6, R5, R4, R6', 5, 0, -1, -1, 12),
(4, '000fea0003800000000000000000794d', 'EXIT', '', 5, 1, -1, -1, 0);
INSERT INTO code(id, function, digest, listing) VALUES (1, 'v1_6', 'c0ffee06', '01'), (2, 'v1_7', 'c0ffee07', '02'), (3, 'helper', '', '');
INSERT INTO code_instruction(code_id, pc_offset, machine_instruction_id, line_chain_id) VALUES
(1, 0, 1, 1), (1, 16, 2, 2), (1, 32, 3, 3), (1, 48, 4, NULL),
(2, 0, 3, 4);
INSERT INTO sampling(launch_id, period_cycles, launches, samples, dropped) VALUES (2, 1024, 1, 400, 0), (3, 1024, 2, 1000, 5);
INSERT INTO sampled_code(id, launch_id, code_id) VALUES (1, 3, 1), (2, 3, 3), (3, 2, 2);
INSERT INTO sample_reason(id, name) VALUES (1, 'selected'), (2, 'long_scoreboard'), (3, 'wait');
INSERT INTO instruction_sample(sampled_code_id, pc_offset, sample_reason_id, samples, not_issued) VALUES
(1, 0, 1, 20, 0), (1, 0, 2, 100, 90), (1, 16, 1, 20, 0), (1, 16, 2, 500, 400),
(1, 32, 1, 60, 0), (1, 32, 3, 200, 50),
(1, 48, 1, 10, 0),
(2, 128, 1, 40, 0),
(3, 0, 1, 100, 0);
