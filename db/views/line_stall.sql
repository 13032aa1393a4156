-- Where a sampler found the warps of a launch, by source line: one row per launch, line and reason.
-- The line is the reader's own: where CUDA's headers were inlined, the line that calls them; '' and 0: not known.
-- instructions: those with such samples. share, us: as in instruction_stall.
CREATE VIEW line_stall AS
SELECT launch_id, run_id, stage, shape, source_file, source_line, reason, count(*) AS instructions,
       sum(samples) AS samples, sum(not_issued) AS not_issued, sum(share) AS share, sum(us) AS us
FROM instruction_stall
GROUP BY launch_id, source_file, source_line, reason;
