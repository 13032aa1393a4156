INSERT INTO sample(launch_id, seq, repetition, time_us, clock_mhz, low_clock, gate_open) VALUES
(31, 7, 1, 4096.5, 1755, 0, 1);
