-- Launches that use local memory: register arrays or spills in device memory. Most traffic first.
-- :run  run id; default: the newest complete run
-- A stack frame without spills is an array that the compiler could not keep in registers.
WITH used AS (
  SELECT launch_id, operation, instructions, sectors
  FROM memory_table
  WHERE run_id = coalesce(:run, (SELECT run_id FROM newest_run)) AND operation IN ('Local Load', 'Local Store'))
SELECT k.launch_id, k.shape, k.stage, loads.instructions AS load_inst, stores.instructions AS store_inst,
       32 * (loads.sectors + stores.sectors) AS bytes, k.stack_frame_bytes, k.spill_bytes, k.median_us
FROM kernel_summary AS k
JOIN used AS loads ON loads.launch_id = k.launch_id AND loads.operation = 'Local Load'
JOIN used AS stores ON stores.launch_id = k.launch_id AND stores.operation = 'Local Store'
WHERE k.run_id = coalesce(:run, (SELECT run_id FROM newest_run)) AND loads.instructions + stores.instructions > 0
ORDER BY bytes DESC, k.launch_id;
