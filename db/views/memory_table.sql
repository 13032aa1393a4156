-- Global and local memory, caches and DRAM, ten rows per launch. NULL: not measured, or no counter exists for that cell.
-- sectors are 32 bytes. sectors_exact: that the addresses touch, by patched code; sectors_ideal: that the same bytes would touch
-- if coalesced; both for loads and stores together. hit_pct: sector look-ups that hit.
CREATE VIEW memory_table AS
SELECT launch_id, run_id, stage, shape, position, operation, instructions, requests, sectors,
       sectors / nullif(requests, 0) AS sectors_per_request, coalesce(bytes, 32 * sectors) AS bytes, sectors_exact, sectors_ideal,
       100.0 * hits / nullif(hits + misses, 0) AS hit_pct
FROM (
  SELECT launch.id AS launch_id, launch.run_id, stage.key AS stage, launch.shape, cell.position, cell.operation,
         (SELECT value FROM metric_reading AS r WHERE r.launch_id = launch.id AND r.key = cell.inst_key) AS instructions,
         (SELECT value FROM metric_reading AS r WHERE r.launch_id = launch.id AND r.key = cell.request_key) AS requests,
         (SELECT value FROM metric_reading AS r WHERE r.launch_id = launch.id AND r.key = cell.sector_key) AS sectors,
         (SELECT value FROM metric_reading AS r WHERE r.launch_id = launch.id AND r.key = cell.byte_key) AS bytes,
         (SELECT value FROM metric_reading AS r WHERE r.launch_id = launch.id AND r.key = cell.exact_key) AS sectors_exact,
         (SELECT value FROM metric_reading AS r WHERE r.launch_id = launch.id AND r.key = cell.ideal_key) AS sectors_ideal,
         (SELECT value FROM metric_reading AS r WHERE r.launch_id = launch.id AND r.key = cell.hit_key) AS hits,
         (SELECT value FROM metric_reading AS r WHERE r.launch_id = launch.id AND r.key = cell.miss_key) AS misses
  FROM launch
  JOIN stage ON stage.id = launch.stage_id
  CROSS JOIN (
    SELECT 1 AS position, 'Global Load' AS operation, 'global_load_inst' AS inst_key, 'global_load_requests' AS request_key,
           'global_load_sectors' AS sector_key, NULL AS byte_key, NULL AS exact_key, NULL AS ideal_key, NULL AS hit_key,
           NULL AS miss_key
    UNION ALL SELECT 2, 'Global Store', 'global_store_inst', 'global_store_requests', 'global_store_sectors', NULL, NULL, NULL,
                     NULL, NULL
    UNION ALL SELECT 3, 'Global Total', NULL, NULL, NULL, NULL, 'sass_global_sectors', 'sass_global_sectors_ideal', NULL, NULL
    UNION ALL SELECT 4, 'Local Load', 'local_load_inst', 'local_load_requests', 'local_load_sectors', NULL, NULL, NULL, NULL, NULL
    UNION ALL SELECT 5, 'Local Store', 'local_store_inst', 'local_store_requests', 'local_store_sectors', NULL, NULL, NULL, NULL,
                     NULL
    UNION ALL SELECT 6, 'Local Total', 'sass_local_inst', NULL, NULL, NULL, 'sass_local_sectors', NULL, NULL, NULL
    UNION ALL SELECT 7, 'L1', NULL, NULL, NULL, NULL, NULL, NULL, 'l1_sectors_hit', 'l1_sectors_miss'
    UNION ALL SELECT 8, 'L2', NULL, NULL, 'l2_sectors', NULL, NULL, NULL, 'l2_sectors_hit', 'l2_sectors_miss'
    UNION ALL SELECT 9, 'DRAM Read', NULL, NULL, NULL, 'dram_read_bytes', NULL, NULL, NULL, NULL
    UNION ALL SELECT 10, 'DRAM Write', NULL, NULL, NULL, 'dram_write_bytes', NULL, NULL, NULL, NULL) AS cell);
