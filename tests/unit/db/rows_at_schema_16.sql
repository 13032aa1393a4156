INSERT INTO timeline(run_id, span_ns, bin_ns, left_out) VALUES (7, 400000, 100000, 3);
INSERT INTO timeline_window(run_id, start_ns, end_ns) VALUES (7, 0, 150000), (7, 200000, 300000);
INSERT INTO timeline_range(run_id, number, path) VALUES (7, 0, 'step 17/forward');
INSERT INTO timeline_launch(launch_id, seq, gpu, stream, start_ns, duration_ns, from_graph, range_number) VALUES
(31, 0, 0, 7, 1000, 70525, 0, 0),
(31, 1, 0, 7, 210000, 90000, 1, NULL);
INSERT INTO timeline_copy(run_id, seq, kind, gpu, bytes, start_ns, duration_ns) VALUES (7, 0, 'to_device', 0, 4096, 0, 800);
INSERT INTO timeline_turn(id, run_id, gpu, position, covered_ns) VALUES (101, 7, 0, 0, '[100000,50000,0,100000]');
INSERT INTO timeline_counter(timeline_turn_id, metric_id, sums) VALUES (101, 41, '[12000,3500.5,null,0]');
INSERT INTO phase_profile(launch_id, metric_id, duration_ns, edges, counts, errors) VALUES
(31, 41, 80262.5, '[0,0.25,1]', '[1000,9000]', '[10,20.5]');
