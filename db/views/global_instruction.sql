-- Accesses of each machine instruction to global memory, from exact counts: one row per launch and instruction.
-- op: 'ld', 'st', 'ldgsts' (copy to shared memory), or 'other': atomics and reductions
-- width_bits: bits per thread; NULL if no counter of widths includes the instruction
-- executed: warp instructions, each of which makes one request
-- sectors: 32-byte sectors that the addresses touch. sectors_ideal: the same if coalesced. excess: the difference.
CREATE VIEW global_instruction AS
WITH counted AS (
  SELECT launch_id, run_id, stage, shape, function, pc_offset, source_file, source_line, opcode,
         max(value) FILTER (WHERE key = 'sass_global_load_inst') AS load,
         max(value) FILTER (WHERE key = 'sass_global_store_inst') AS store,
         max(value) FILTER (WHERE key = 'sass_ldgsts_inst') AS ldgsts,
         max(width_bits) AS width_bits,
         max(value) FILTER (WHERE key IN ('sass_global_inst', 'sass_ldgsts_inst')) AS executed,
         max(value) FILTER (WHERE key = 'sass_global_sectors') AS sectors,
         max(value) FILTER (WHERE key = 'sass_global_sectors_ideal') AS sectors_ideal
  FROM instruction_reading
  GROUP BY launch_id, instruction_id)
SELECT launch_id, run_id, stage, shape, function, pc_offset, source_file, source_line, opcode,
       CASE
         WHEN load > 0 THEN 'ld'
         WHEN store > 0 THEN 'st'
         WHEN ldgsts > 0 THEN 'ldgsts'
         ELSE 'other'
       END AS op,
       width_bits, executed, sectors, sectors_ideal, sectors - sectors_ideal AS excess,
       sectors / nullif(executed, 0) AS sectors_per_request
FROM counted
WHERE sectors IS NOT NULL;
