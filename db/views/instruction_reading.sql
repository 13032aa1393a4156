-- What was counted at each machine instruction: one row per launch, instruction and metric.
-- source_line: 0 where no line is known. value: summed over the launch, never 0 for "not measured".
CREATE VIEW instruction_reading AS
SELECT launch.id AS launch_id, launch.run_id, stage.key AS stage, launch.shape, instruction.id AS instruction_id,
       function_source.function, instruction.pc_offset, function_source.source_file, instruction.source_line,
       instruction.opcode, metric.key, instruction_value.value
FROM launch
JOIN stage ON stage.id = launch.stage_id
JOIN instruction ON instruction.launch_id = launch.id
JOIN function_source ON function_source.id = instruction.function_source_id
JOIN instruction_value ON instruction_value.instruction_id = instruction.id
JOIN metric ON metric.id = instruction_value.metric_id;
