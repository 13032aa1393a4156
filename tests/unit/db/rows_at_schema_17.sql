INSERT INTO program_process(run_id, process, pid, rank, calls, time_us) VALUES (7, 0, 4711, 3, 100, 912.5), (7, 1, 4712, NULL, 0, 0.25);
