-- Whether a timed execution may hold more than the execution.

-- 1: the timer's gate gave up before the launch was enqueued, so the time may hold waiting for the host. Recordings from
-- before this migration did not say; 0 there means that nothing is known against the sample.
ALTER TABLE sample ADD COLUMN gate_open INTEGER NOT NULL DEFAULT 0 CHECK (gate_open IN (0, 1));
