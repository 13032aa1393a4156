-- The process that took a sample. The speed of a kernel may differ between processes and stay the same within one.

-- 0, 1, 2 in the order in which the processes of the run timed. A process that failed leaves a gap. Recordings from
-- before this migration and recordings without --processes have one process, 0.
ALTER TABLE sample ADD COLUMN process INTEGER NOT NULL DEFAULT 0 CHECK (process >= 0);
