-- Whether a sample's time may include more than the execution.

-- 1: the timer's gate opened before the launch was enqueued, so the time may include waiting for the host. Recordings
-- from before this migration have 0 because they did not record this.
ALTER TABLE sample ADD COLUMN gate_open INTEGER NOT NULL DEFAULT 0 CHECK (gate_open IN (0, 1));
