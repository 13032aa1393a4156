-- with: v_study.sql
-- v1_7: other wavefronts 3000 - 2400 - 500, exact conflicts 2900 - 2000. v1_6: LDSM was not measured, so the total is
-- not known.
-- v1_7: 600 of all wavefronts are matrix loads: as large a part of the peak. They are in the 2400 of the loads too.
INSERT INTO metric(id, key, source, cupti_name, unit, meaning) VALUES
(101, 'shared_ldsm_wavefronts', 'range', 'ldsm_wavefronts', 'wavefront', 'matrix loads'),
(102, 'shared_ldsm_conflicts_hw', 'range', 'ldsm_conflicts', 'wavefront', 'matrix loads');
INSERT INTO metric_value(launch_id, metric_id, value, status) VALUES (2, 101, 600, 'ok'), (2, 102, 150, 'ok');
