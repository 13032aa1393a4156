INSERT INTO sample(launch_id, seq, repetition, time_us, clock_mhz, low_clock, gate_open, process) VALUES
(31, 8, 0, 4097.5, 1755, 0, 0, 3);
