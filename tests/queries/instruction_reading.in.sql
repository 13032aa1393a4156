-- with: v_study.sql
-- with: instructions.sql
-- Every row of instruction_value with the instruction, launch and metric that it is of; an instruction without one has
-- none.
INSERT INTO instruction(id, launch_id, function_source_id, pc_offset, source_line, opcode) VALUES
(5, 2, 2, 304, 23, 'EXIT');
