-- with: v_study.sql
-- v1_7: other wavefronts 3000 - 2400 - 500, exact conflicts 2900 - 2000. v1_6: LDSM was not measured, so the total is
-- not known.
-- v1_7: 600 of all 3000 wavefronts are matrix loads: as large a part of the peak. The counters of loads have them too, so
-- 2400 - 600 are left for Shared Load, as are 600 - 150 of the conflicts. v1_6: nobody counted matrix loads apart.
-- v1_7 at 500: matrix loads alone, so nothing is left for Shared Load, and the parts add up to the total.
INSERT INTO metric(id, key, source, cupti_name, unit, meaning) VALUES
(101, 'shared_ldsm_wavefronts', 'range', 'ldsm_wavefronts', 'wavefront', 'matrix loads'),
(102, 'shared_ldsm_conflicts_hw', 'range', 'ldsm_conflicts', 'wavefront', 'matrix loads');
INSERT INTO metric_value(launch_id, metric_id, value, status) VALUES (2, 101, 600, 'ok'), (2, 102, 150, 'ok'),
(4, 101, 800, 'ok'), (4, 102, 70, 'ok');
INSERT INTO metric_value(launch_id, metric_id, value, status)
SELECT 4, id, CASE key WHEN 'shared_load_inst' THEN 0 WHEN 'shared_ldsm_inst' THEN 100
                       WHEN 'shared_load_conflicts_hw' THEN 70 WHEN 'shared_conflicts_hw' THEN 70
                       WHEN 'shared_wavefronts_pct' THEN 80 WHEN 'shared_load_wavefronts_pct' THEN 80
                       WHEN 'shared_wavefronts' THEN 800 WHEN 'shared_load_wavefronts' THEN 800 ELSE 0 END, 'ok'
FROM metric
WHERE key IN ('shared_load_inst', 'shared_ldsm_inst', 'shared_store_inst', 'shared_atom_inst', 'shared_wavefronts',
              'shared_load_wavefronts', 'shared_store_wavefronts', 'shared_wavefronts_pct', 'shared_load_wavefronts_pct',
              'shared_store_wavefronts_pct', 'shared_conflicts_hw', 'shared_load_conflicts_hw',
              'shared_store_conflicts_hw');
