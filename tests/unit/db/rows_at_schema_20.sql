INSERT INTO run_version(run_id, name, value) VALUES (7, 'torch', '2.10.0+cu130'), (7, 'triton', '3.6.0');
