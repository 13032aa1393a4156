-- Accesses of each machine instruction to shared memory, from exact counts: one row per launch and instruction.
-- op: 'ld', 'st', 'ldsm' (matrix load), 'stsm' (matrix store), 'ldgsts' (copy from global memory), or 'other': atomics,
-- warpgroup matrix instructions.
-- width_bits: bits per thread; NULL if no counter of widths includes the instruction
-- executed: warp instructions, each of which makes one request
-- wavefronts_ideal: the same bytes without bank conflicts. excess: wavefronts above that.
CREATE VIEW shared_instruction AS
WITH counted AS (
  SELECT launch_id, run_id, stage, shape, function, pc_offset, source_file, source_line, opcode,
         max(value) FILTER (WHERE key = 'sass_ldsm_inst') AS ldsm,
         max(value) FILTER (WHERE key = 'sass_stsm_inst') AS stsm,
         max(value) FILTER (WHERE key = 'sass_shared_load_inst') AS load,
         max(value) FILTER (WHERE key = 'sass_shared_store_inst') AS store,
         max(value) FILTER (WHERE key = 'sass_ldgsts_inst') AS ldgsts,
         max(width_bits) AS width_bits,
         max(value) FILTER (WHERE key IN ('sass_shared_inst', 'sass_ldgsts_inst')) AS executed,
         max(value) FILTER (WHERE key = 'sass_shared_wavefronts') AS wavefronts,
         max(value) FILTER (WHERE key = 'sass_shared_wavefronts_ideal') AS wavefronts_ideal
  FROM instruction_reading
  GROUP BY launch_id, instruction_id)
SELECT launch_id, run_id, stage, shape, function, pc_offset, source_file, source_line, opcode,
       CASE
         WHEN ldsm > 0 THEN 'ldsm'
         WHEN stsm > 0 THEN 'stsm'
         WHEN load > 0 THEN 'ld'
         WHEN store > 0 THEN 'st'
         WHEN ldgsts > 0 THEN 'ldgsts'
         ELSE 'other'
       END AS op,
       width_bits, executed, wavefronts, wavefronts_ideal, wavefronts - wavefronts_ideal AS excess,
       wavefronts / nullif(executed, 0) AS wavefronts_per_request
FROM counted
WHERE wavefronts IS NOT NULL;
