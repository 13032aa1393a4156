-- The compiled kernel of each stage: one row per stage and architecture, in the ladder's order.
-- :run    run id; default: the newest complete run that has builds
-- :stage  default: every stage
-- NULL: no source has the value.
SELECT stage.key AS stage, build.arch,
       max(CASE a.name WHEN 'registers' THEN a.value END) AS registers,
       max(CASE a.name WHEN 'stack_frame_bytes' THEN a.value END) AS stack_frame_bytes,
       max(CASE a.name WHEN 'spill_store_bytes' THEN a.value END) AS spill_store_bytes,
       max(CASE a.name WHEN 'spill_load_bytes' THEN a.value END) AS spill_load_bytes,
       max(CASE a.name WHEN 'static_shared_bytes' THEN a.value END) AS static_shared_bytes,
       max(CASE a.name WHEN 'constant_bytes' THEN a.value END) AS constant_bytes,
       max(CASE a.name WHEN 'code_bytes' THEN a.value END) AS code_bytes,
       max(CASE a.name WHEN 'max_threads' THEN a.value END) AS max_threads,
       100.0 * max(CASE a.name WHEN 'theoretical_occupancy' THEN a.value END) AS theoretical_occupancy_pct,
       build.cubin_digest
FROM build
JOIN stage ON stage.id = build.stage_id
LEFT JOIN run_stage ON run_stage.run_id = build.run_id AND run_stage.stage_id = build.stage_id
LEFT JOIN static_value AS a ON a.build_id = build.id
WHERE build.run_id = coalesce(:run, (SELECT id FROM run WHERE EXISTS (SELECT 1 FROM build WHERE build.run_id = run.id)
                                     ORDER BY finished_utc IS NULL, started_utc DESC, id DESC LIMIT 1))
  AND (:stage IS NULL OR stage.key = :stage)
GROUP BY build.id
ORDER BY run_stage.position, build.arch;
