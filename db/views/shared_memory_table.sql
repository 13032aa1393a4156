-- The profiler's table of shared memory, six rows per launch. NULL: not measured, or no counter exists for that cell.
-- requests           equal to the instructions: each makes exactly one request
-- wavefronts         data-stage cycles. The hardware's counters of loads include matrix loads, which are subtracted
--                    here. Older runs have no counter of matrix loads, so their Shared Load includes both.
--                    Other is the total without loads, matrix loads and stores
-- pct_peak           100 %: one wavefront per SM and cycle
-- conflicts_exact    wavefronts above those of the same bytes without conflicts, from exact counts:
--                    sass_shared_wavefronts - sass_shared_wavefronts_ideal. Exists only for the whole kernel
-- conflicts_hardware by the hardware counter, which also counts lost arbitration, so it may be above 0 without
--                    conflicts
CREATE VIEW shared_memory_table AS
WITH
operation(position, name) AS (
  VALUES (1, 'Shared Load'), (2, 'Shared Load Matrix'), (3, 'Shared Store'), (4, 'Shared Atomic'), (5, 'Other'),
         (6, 'Total')),
-- Looked up one by one: to turn the readings of all launches into columns first is five times as fast for a whole file,
-- and reads the whole file for one launch of it.
counted AS (
  SELECT launch.id AS launch_id, launch.run_id, stage.key AS stage, launch.shape,
         (SELECT value FROM metric_reading WHERE launch_id = launch.id AND key = 'shared_load_inst') AS load_inst,
         (SELECT value FROM metric_reading WHERE launch_id = launch.id AND key = 'shared_ldsm_inst') AS matrix_inst,
         (SELECT value FROM metric_reading WHERE launch_id = launch.id AND key = 'shared_store_inst') AS store_inst,
         (SELECT value FROM metric_reading WHERE launch_id = launch.id AND key = 'shared_atom_inst') AS atomic_inst,
         (SELECT value FROM metric_reading WHERE launch_id = launch.id AND key = 'shared_wavefronts') AS wavefronts,
         (SELECT value FROM metric_reading WHERE launch_id = launch.id AND key = 'shared_load_wavefronts') AS load_wavefronts,
         (SELECT value FROM metric_reading WHERE launch_id = launch.id AND key = 'shared_ldsm_wavefronts') AS matrix_wavefronts,
         (SELECT value FROM metric_reading WHERE launch_id = launch.id AND key = 'shared_store_wavefronts') AS store_wavefronts,
         (SELECT value FROM metric_reading WHERE launch_id = launch.id AND key = 'shared_wavefronts_pct') AS pct,
         (SELECT value FROM metric_reading WHERE launch_id = launch.id AND key = 'shared_load_wavefronts_pct') AS load_pct,
         (SELECT value FROM metric_reading WHERE launch_id = launch.id AND key = 'shared_store_wavefronts_pct') AS store_pct,
         (SELECT value FROM metric_reading WHERE launch_id = launch.id AND key = 'shared_conflicts_hw') AS conflicts,
         (SELECT value FROM metric_reading WHERE launch_id = launch.id AND key = 'shared_load_conflicts_hw') AS load_conflicts,
         (SELECT value FROM metric_reading WHERE launch_id = launch.id AND key = 'shared_ldsm_conflicts_hw') AS matrix_conflicts,
         (SELECT value FROM metric_reading WHERE launch_id = launch.id AND key = 'shared_store_conflicts_hw') AS store_conflicts,
         (SELECT value FROM metric_reading WHERE launch_id = launch.id AND key = 'sass_shared_wavefronts') AS exact,
         (SELECT value FROM metric_reading WHERE launch_id = launch.id AND key = 'sass_shared_wavefronts_ideal') AS ideal
  FROM launch
  JOIN stage ON stage.id = launch.stage_id),
cell AS (
  SELECT launch_id, run_id, stage, shape, position, operation.name AS operation,
         CASE position
           WHEN 1 THEN load_inst
           WHEN 2 THEN matrix_inst
           WHEN 3 THEN store_inst
           WHEN 4 THEN atomic_inst
           WHEN 6 THEN load_inst + matrix_inst + store_inst + atomic_inst
         END AS instructions,
         CASE position
           WHEN 1 THEN load_wavefronts - coalesce(matrix_wavefronts, 0)
           WHEN 2 THEN matrix_wavefronts
           WHEN 3 THEN store_wavefronts
           WHEN 5 THEN wavefronts - load_wavefronts - store_wavefronts
           WHEN 6 THEN wavefronts
         END AS wavefronts,
         CASE position
           WHEN 1 THEN CASE WHEN matrix_wavefronts > 0
                         THEN load_pct * (load_wavefronts - matrix_wavefronts) / load_wavefronts
                         ELSE load_pct
                       END
           WHEN 2 THEN pct * matrix_wavefronts / nullif(wavefronts, 0)
           WHEN 3 THEN store_pct
           WHEN 5 THEN pct - load_pct - store_pct
           WHEN 6 THEN pct
         END AS pct_peak,
         CASE position WHEN 6 THEN exact - ideal END AS conflicts_exact,
         CASE position
           WHEN 1 THEN load_conflicts - coalesce(matrix_conflicts, 0)
           WHEN 2 THEN matrix_conflicts
           WHEN 3 THEN store_conflicts
           WHEN 5 THEN conflicts - load_conflicts - store_conflicts
           WHEN 6 THEN conflicts
         END AS conflicts_hardware
  FROM counted
  CROSS JOIN operation)
SELECT launch_id, run_id, stage, shape, position, operation, instructions, instructions AS requests, wavefronts,
       pct_peak, conflicts_exact, conflicts_hardware
FROM cell;
