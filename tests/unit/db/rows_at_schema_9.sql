INSERT INTO intervention(launch_id, kind, setting, resident_blocks, resident_warps, time_us, least_us, most_us, clock_mhz,
                         samples) VALUES
(31, 'occupancy', 0, 8, 64, 705.5, 701.25, 710, 1980, 7),
(31, 'occupancy', 57344, 4, 32, 1200, 1190, 1210.5, NULL, 7),
(31, 'carveout', -1, 8, 64, 706, 700, 712, 1980, 7),
(31, 'l2', 1, NULL, NULL, 720, 715, 725, 1979.5, 5);
