INSERT INTO metric_repeat(launch_id, metric_id, repetition, value) VALUES
(31, 41, 0, 379000000),
(31, 41, 1, 378000000),
(31, 41, 2, 380500000.5);
