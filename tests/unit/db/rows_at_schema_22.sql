INSERT INTO python_frame(launch_id, depth, file, line, function) VALUES
(31, 0, '/home/me/models/attention.py', 77, 'forward'), (31, 1, 'train.py', 42, 'step');
