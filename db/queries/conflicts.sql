-- Shared-memory bank conflicts of each launch: the exact count and the hardware counter's value, largest share first.
-- :run  run id; default: the newest complete run
-- pct: share of the wavefronts that a layout without conflicts would save.
SELECT t.launch_id, t.shape, t.stage, t.wavefronts, t.conflicts_exact, t.conflicts_hardware,
       100.0 * t.conflicts_exact
       / nullif((SELECT value FROM metric_reading AS r
                 WHERE r.launch_id = t.launch_id AND r.key = 'sass_shared_wavefronts'), 0) AS pct
FROM shared_memory_table AS t
WHERE t.run_id = coalesce(:run, (SELECT run_id FROM newest_run)) AND t.operation = 'Total'
  AND (t.conflicts_exact IS NOT NULL OR t.conflicts_hardware IS NOT NULL)
ORDER BY pct DESC NULLS LAST, t.launch_id;
