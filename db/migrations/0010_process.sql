-- Which process took a sample: one kernel may run in a mode that stays for a process.

-- 0, 1, 2 in the order in which the processes of the run timed; a process that was lost leaves a gap. Recordings from
-- before this migration, and those without --processes, timed in one process: 0.
ALTER TABLE sample ADD COLUMN process INTEGER NOT NULL DEFAULT 0 CHECK (process >= 0);
