-- Static attributes of builds, one row per name. If several sources have a value, the loaded kernel's value is used,
-- else the file's, else a model's.
CREATE VIEW static_value AS
SELECT build.id AS build_id, build.run_id, build.stage_id, build.arch, attribute.name, attribute.value, attribute.source
FROM build
JOIN static_attribute AS attribute ON attribute.build_id = build.id
WHERE attribute.source = (
  SELECT best.source
  FROM static_attribute AS best
  WHERE best.build_id = attribute.build_id AND best.name = attribute.name AND best.status = 'ok'
  ORDER BY CASE best.source WHEN 'runtime' THEN 1 WHEN 'cubin' THEN 2 WHEN 'compiler' THEN 3 ELSE 4 END
  LIMIT 1);
