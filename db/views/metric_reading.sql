-- Every requested metric of every launch with its definition. value is NULL, never 0, unless status is 'ok'.
CREATE VIEW metric_reading AS
SELECT metric_value.launch_id, metric.key, metric.source, metric_value.value, metric_value.status, metric.unit,
       metric.cupti_name, metric.meaning
FROM metric_value
JOIN metric ON metric.id = metric_value.metric_id;
