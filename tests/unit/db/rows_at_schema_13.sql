INSERT INTO source_text(run_id, source_file, source_line, text) VALUES
(7, 'kernels/sgemm/v_study.cuh', 101, '  sum += a[k] * b[k];  // it''s the hottest');
