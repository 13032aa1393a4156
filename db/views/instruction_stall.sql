-- Samples of warps by instruction: one row per launch, instruction and reason. A sample is a warp that was about to
-- issue the instruction ('selected': that issued it). share: of all samples of the launch. us: median time x share.
-- Both add up to the launch's total, except for samples without a known instruction. If opcode, source_file or
-- source_line is not known, it is '' or 0.
CREATE VIEW instruction_stall AS
WITH whole AS MATERIALIZED (
  SELECT sampling.launch_id, CAST(nullif(sampling.samples, 0) AS REAL) AS samples, time.median_us
  FROM sampling
  JOIN launch_time AS time ON time.launch_id = sampling.launch_id)
SELECT launch.id AS launch_id, launch.run_id, stage.key AS stage, launch.shape, code.function, here.pc_offset,
       coalesce(instruction.opcode, '') AS opcode, coalesce(instruction.operands, '') AS operands,
       coalesce(line.source_file, '') AS source_file, coalesce(line.source_line, 0) AS source_line,
       reason.name AS reason, here.samples, here.not_issued, here.samples / whole.samples AS share,
       whole.median_us * here.samples / whole.samples AS us
FROM launch
JOIN stage ON stage.id = launch.stage_id
JOIN whole ON whole.launch_id = launch.id
JOIN sampled_code ON sampled_code.launch_id = launch.id
JOIN code ON code.id = sampled_code.code_id
JOIN instruction_sample AS here ON here.sampled_code_id = sampled_code.id
JOIN sample_reason AS reason ON reason.id = here.sample_reason_id
LEFT JOIN code_instruction AS at ON at.code_id = code.id AND at.pc_offset = here.pc_offset
LEFT JOIN machine_instruction AS instruction ON instruction.id = at.machine_instruction_id
LEFT JOIN line_chain AS line ON line.id = at.line_chain_id;
