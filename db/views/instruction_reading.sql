-- Counts of each machine instruction: one row per launch, instruction and metric.
-- source_line: 0 if not known. value: summed over the launch.
-- width_bits: per thread, if the metric counts accesses of one width and is not 0; otherwise NULL
CREATE VIEW instruction_reading AS
SELECT launch.id AS launch_id, launch.run_id, stage.key AS stage, launch.shape, instruction.id AS instruction_id,
       function_source.function, instruction.pc_offset, function_source.source_file, instruction.source_line,
       instruction.opcode, metric.key, instruction_value.value,
       CASE WHEN instruction_value.value > 0 THEN
         CASE metric.key
           WHEN 'sass_memory_128b_inst' THEN 128
           WHEN 'sass_memory_64b_inst' THEN 64
           WHEN 'sass_memory_32b_inst' THEN 32
           WHEN 'sass_memory_16b_inst' THEN 16
           WHEN 'sass_memory_8b_inst' THEN 8
         END
       END AS width_bits
FROM launch
JOIN stage ON stage.id = launch.stage_id
JOIN instruction ON instruction.launch_id = launch.id
JOIN function_source ON function_source.id = instruction.function_source_id
JOIN instruction_value ON instruction_value.instruction_id = instruction.id
JOIN metric ON metric.id = instruction_value.metric_id;
