-- One row per run, shape and pair of a stage and its parent, if both were launched with correct results. If there are
-- several launches, the first.
-- changes: their differences, "factor: base => candidate; ...". If factors_changed is 1, it is a one-factor experiment.
CREATE VIEW edge AS
WITH
-- One row per factor that a stage and the stage it was changed from have not alike.
difference AS (
  SELECT parent.id AS parent_id, child.id AS child_id, f.factor,
         f.factor || ': ' || coalesce(was.value, 'none') || ' => ' || coalesce(became.value, 'none') AS change
  FROM stage AS child
  JOIN stage AS parent ON parent.key = child.parent
  CROSS JOIN (SELECT DISTINCT factor FROM stage_factor) AS f
  LEFT JOIN stage_factor AS was ON was.stage_id = parent.id AND was.factor = f.factor
  LEFT JOIN stage_factor AS became ON became.stage_id = child.id AND became.factor = f.factor
  WHERE was.value IS NOT became.value)
SELECT base.run_id, base.shape, parent.key AS base, child.key AS candidate,
       (SELECT count(*) FROM difference WHERE parent_id = parent.id AND child_id = child.id) AS factors_changed,
       (SELECT group_concat(change, '; ')
        FROM (SELECT change FROM difference WHERE parent_id = parent.id AND child_id = child.id ORDER BY factor))
         AS changes,
       base_time.median_us AS base_us,
       candidate_time.median_us AS candidate_us,
       candidate_time.median_us - base_time.median_us AS delta_us,
       base.id AS base_launch_id,
       candidate.id AS candidate_launch_id
FROM launch AS candidate
JOIN stage AS child ON child.id = candidate.stage_id
JOIN stage AS parent ON parent.key = child.parent
JOIN launch AS base ON base.run_id = candidate.run_id AND base.stage_id = parent.id AND base.shape = candidate.shape
JOIN launch_time AS base_time ON base_time.launch_id = base.id
JOIN launch_time AS candidate_time ON candidate_time.launch_id = candidate.id
WHERE base.state = 'ok' AND candidate.state = 'ok' AND base.ordinal = 0 AND candidate.ordinal = 0;
