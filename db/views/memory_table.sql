-- Global and local memory, caches and DRAM, ten rows per launch. NULL: not measured, or no counter exists for that cell.
-- sectors are 32 bytes. hit_pct: the percentage of sector look-ups that hit.
-- sectors_exact: sectors that the addresses touch, from exact counts. sectors_ideal: the same if coalesced. Both
-- include loads and stores together, so they have a separate row.
CREATE VIEW memory_table AS
WITH
-- Metric keys are a stem and a suffix: global_load_inst, global_load_requests, sass_global_sectors, l1_sectors_hit.
operation(position, name, stem) AS (
  VALUES (1, 'Global Load', 'global_load'), (2, 'Global Store', 'global_store'), (3, 'Global Total', 'global'),
         (4, 'Local Load', 'local_load'), (5, 'Local Store', 'local_store'), (6, 'Local Total', 'local'),
         (7, 'L1', 'l1'), (8, 'L2', 'l2'), (9, 'DRAM Read', 'dram_read'), (10, 'DRAM Write', 'dram_write')),
counted AS (
  SELECT launch.id AS launch_id, launch.run_id, stage.key AS stage, launch.shape, position, operation.name AS operation,
         (SELECT value FROM metric_reading
          WHERE launch_id = launch.id AND key IN (stem || '_inst', 'sass_' || stem || '_inst')) AS instructions,
         (SELECT value FROM metric_reading WHERE launch_id = launch.id AND key = stem || '_requests') AS requests,
         (SELECT value FROM metric_reading WHERE launch_id = launch.id AND key = stem || '_sectors') AS sectors,
         (SELECT value FROM metric_reading WHERE launch_id = launch.id AND key = stem || '_bytes') AS bytes,
         (SELECT value FROM metric_reading WHERE launch_id = launch.id AND key = 'sass_' || stem || '_sectors') AS sectors_exact,
         (SELECT value FROM metric_reading
          WHERE launch_id = launch.id AND key = 'sass_' || stem || '_sectors_ideal') AS sectors_ideal,
         (SELECT value FROM metric_reading WHERE launch_id = launch.id AND key = stem || '_sectors_hit') AS hits,
         (SELECT value FROM metric_reading WHERE launch_id = launch.id AND key = stem || '_sectors_miss') AS misses
  FROM launch
  JOIN stage ON stage.id = launch.stage_id
  CROSS JOIN operation)
SELECT launch_id, run_id, stage, shape, position, operation, instructions, requests, sectors,
       sectors / nullif(requests, 0) AS sectors_per_request, coalesce(bytes, 32 * sectors) AS bytes,
       sectors_exact, sectors_ideal, 100.0 * hits / nullif(hits + misses, 0) AS hit_pct
FROM counted;
