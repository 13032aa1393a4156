-- Each instruction on global memory: operation, width, sectors, and excess sectors compared with a coalesced access.
-- :run    run id; default: the newest complete run
-- :stage  default: every stage
-- :shape  "4096" or "4096x4096x4096"; default: every shape
SELECT launch_id, shape, stage, function, pc_offset, source_file, source_line, opcode, op, width_bits, executed,
       sectors, sectors_ideal, excess, sectors_per_request
FROM global_instruction
WHERE run_id = coalesce(:run, (SELECT run_id FROM newest_run))
  AND (:stage IS NULL OR stage = :stage)
  AND (:shape IS NULL OR shape IN (:shape, :shape || 'x' || :shape, :shape || 'x' || :shape || 'x' || :shape))
ORDER BY launch_id, function, pc_offset;
