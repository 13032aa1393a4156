INSERT INTO line_chain(id, source_file, source_line, frames) VALUES
(81, 'kernels/sgemm/v_study.cuh', 101, '[["sm_90_intrinsics.hpp",77],["kernels/sgemm/v_study.cuh",101]]');
INSERT INTO machine_instruction(id, encoding, opcode, operands, stall_cycles, yield, write_scoreboard, read_scoreboard, wait_mask) VALUES
(91, '004fde0000000a00000000ff04007388', 'STS', '[R4], R255', 4, 0, -1, 2, 5),
(92, '000fea0003800000000000000000794d', 'EXIT', '', 5, 1, -1, -1, 0);
INSERT INTO code(id, function, digest, listing) VALUES
(95, 'v1_7', '0123456789abcdef', '42a6d15f5dcc1856'),
(96, 'not_at_hand', '', '');
INSERT INTO code_instruction(code_id, pc_offset, machine_instruction_id, line_chain_id) VALUES (95, 1312, 91, 81), (95, 1328, 92, NULL);
INSERT INTO sampling(launch_id, period_cycles, launches, samples, dropped) VALUES (31, 2048, 3, 20500, 12);
INSERT INTO sampled_code(id, launch_id, code_id) VALUES (97, 31, 95), (98, 31, 96);
INSERT INTO sample_reason(id, name) VALUES (85, 'selected'), (86, 'short_scoreboard');
INSERT INTO instruction_sample(sampled_code_id, pc_offset, sample_reason_id, samples, not_issued) VALUES
(97, 1312, 85, 400, 0),
(97, 1312, 86, 20000, 15000),
(98, 16, 85, 50, 0);
