-- with: v_study.sql
-- :stage = v1_6
-- Counted: 60 % long_scoreboard, 30 % barrier, 10 % selected. Sampled: 620, 300 and 80 of 1000; of one reason that is not
-- counted, nothing.
INSERT INTO sampling(launch_id, period_cycles, launches, samples, dropped) VALUES (3, 256, 1, 1000, 0), (2, 256, 1, 10, 0);
INSERT INTO code(id, function, digest, listing) VALUES (1, 'v1_6', '', ''), (2, 'v1_7', '', '');
INSERT INTO sampled_code(id, launch_id, code_id) VALUES (1, 3, 1), (2, 2, 2);
INSERT INTO sample_reason(id, name) VALUES (1, 'long_scoreboard'), (2, 'barrier'), (3, 'selected');
INSERT INTO instruction_sample(sampled_code_id, pc_offset, sample_reason_id, samples, not_issued) VALUES
(1, 0, 1, 500, 400), (1, 16, 1, 120, 100), (1, 32, 2, 300, 300), (1, 48, 3, 80, 0), (2, 0, 1, 10, 0);
