-- Samples of warps by source line: one row per launch, line and reason.
-- The line is the user's own. For inlined code of CUDA's headers, it is the line that calls it. '' and 0: not known.
-- instructions: the number of instructions with such samples. share, us: as in instruction_stall.
CREATE VIEW line_stall AS
SELECT launch_id, run_id, stage, shape, source_file, source_line, reason, count(*) AS instructions,
       sum(samples) AS samples, sum(not_issued) AS not_issued, sum(share) AS share, sum(us) AS us
FROM instruction_stall
GROUP BY launch_id, source_file, source_line, reason;
