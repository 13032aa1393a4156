-- Each instruction on shared memory: operation, width, wavefronts, and bank conflicts.
-- :run    run id; default: the newest complete run
-- :stage  default: every stage
-- :shape  "4096" or "4096x4096x4096"; default: every shape
SELECT launch_id, shape, stage, function, pc_offset, source_file, source_line, opcode, op, width_bits, executed,
       wavefronts, wavefronts_ideal, excess, wavefronts_per_request
FROM shared_instruction
WHERE run_id = coalesce(:run, (SELECT run_id FROM newest_run))
  AND (:stage IS NULL OR stage = :stage)
  AND (:shape IS NULL OR shape IN (:shape, :shape || 'x' || :shape, :shape || 'x' || :shape || 'x' || :shape))
ORDER BY launch_id, function, pc_offset;
