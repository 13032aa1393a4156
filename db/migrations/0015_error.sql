-- How far a reading may be off.

-- One standard deviation of a value that was sampled, in the metric's unit. NULL: it was counted, or its error is not
-- known.
ALTER TABLE metric_value ADD COLUMN error REAL;
