-- The machine code of every launch with a row in `sampling`: one row per launch and instruction.
-- opcode, operands: '' if the encoding is not in our tables. source_file, source_line: '' and 0 if not known.
-- frames: JSON array of [file, line] of inlined code, innermost first.
-- write_scoreboard is released when the results are written, read_scoreboard when the operands have been read; NULL:
-- none. wait_mask: if bit n is set, the instruction waits until scoreboard n is free
CREATE VIEW machine_code AS
SELECT launch.id AS launch_id, launch.run_id, stage.key AS stage, launch.shape, code.function, code.digest,
       at.pc_offset, instruction.opcode, instruction.operands, coalesce(line.source_file, '') AS source_file,
       coalesce(line.source_line, 0) AS source_line, coalesce(line.frames, '[]') AS frames, instruction.stall_cycles,
       instruction.yield, nullif(instruction.write_scoreboard, -1) AS write_scoreboard,
       nullif(instruction.read_scoreboard, -1) AS read_scoreboard, instruction.wait_mask, instruction.encoding
FROM launch
JOIN stage ON stage.id = launch.stage_id
JOIN sampled_code ON sampled_code.launch_id = launch.id
JOIN code ON code.id = sampled_code.code_id
JOIN code_instruction AS at ON at.code_id = code.id
JOIN machine_instruction AS instruction ON instruction.id = at.machine_instruction_id
LEFT JOIN line_chain AS line ON line.id = at.line_chain_id;
