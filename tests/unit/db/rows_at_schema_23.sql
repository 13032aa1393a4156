INSERT INTO timeline_total(run_id, gpu, metric_id, counted, kernels, copies) VALUES (7, 0, 41, 12000, 11000.5, 200);
