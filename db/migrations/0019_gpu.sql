-- Which GPU a run used. Two GPUs of one model differ in clock and memory.

-- The UUIDs of all GPUs that the run used, sorted, separated by commas. '': not known, as in runs from before this
-- migration and in reports of other tools.
ALTER TABLE run ADD COLUMN gpu_uuids TEXT NOT NULL DEFAULT '';
