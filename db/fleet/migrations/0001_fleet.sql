-- The tables of many machines' runs. 'culprit setup' creates them in the schema culprit. docs/fleet.md explains them.
-- Names (GPUs, workloads, launch classes, metrics) are stored once. `key` is a digest of a name, because an index cannot
-- hold long names; the lengths in it keep "ab" + "c" apart from "a" + "bc".

CREATE TABLE culprit.gpu (
  id           integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name         text    NOT NULL,  -- 'NVIDIA H100 80GB HBM3'; '': the run names no GPU
  chip         text    NOT NULL,  -- 'GH100'
  sm_count     integer NOT NULL,
  memory_bytes bigint  NOT NULL,  -- in whole GiB, because drivers reserve more or less of it
  UNIQUE (name, chip, sm_count, memory_bytes)
);

CREATE TABLE culprit.workload (
  id      integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind    text NOT NULL CHECK (kind IN ('program', 'benchmark')),
  name    text NOT NULL,  -- 'train.py'
  command text NOT NULL,  -- without the folder of the program; of a benchmark, its name
  key     uuid NOT NULL GENERATED ALWAYS AS (md5(kind || length(name)::text || ':' || name || command)::uuid) STORED UNIQUE
);

-- The launches of one kernel with one shape, block and NVTX range. It is what is compared from run to run.
CREATE TABLE culprit.launch_class (
  id          integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  workload_id integer NOT NULL REFERENCES culprit.workload,
  kernel      text    NOT NULL,  -- as 'culprit list' shows it: 'gather_rows'
  name        text    NOT NULL,  -- readable, in full
  shape       text    NOT NULL,
  block       text    NOT NULL,  -- '256x1x1'
  nvtx        text    NOT NULL,
  ordinal     integer NOT NULL,  -- numbers classes that are equal in everything else, from 0
  key         uuid    NOT NULL GENERATED ALWAYS AS (
    md5(workload_id::text || ':' || length(kernel)::text || ':' || kernel || length(name)::text || ':' || name ||
        length(shape)::text || ':' || shape || length(block)::text || ':' || block || length(nvtx)::text || ':' || nvtx ||
        ordinal::text)::uuid) STORED UNIQUE
);
CREATE INDEX launch_class_by_kernel ON culprit.launch_class (md5(kernel));
CREATE INDEX launch_class_by_workload ON culprit.launch_class (workload_id);

CREATE TABLE culprit.metric (
  id     integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name   text NOT NULL,  -- 'shared_load_wavefronts'
  source text NOT NULL,  -- 'range', 'sass' or 'sampled'
  unit   text NOT NULL,
  UNIQUE (name, source, unit)
);

CREATE TABLE culprit.run (
  id            integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  uuid          uuid        NOT NULL UNIQUE,
  content       text        NOT NULL,  -- the checksum of all that the run holds
  started       timestamptz NOT NULL,
  finished      timestamptz NOT NULL,
  pushed        timestamptz NOT NULL DEFAULT now(),
  label         text        NOT NULL,
  git_sha       text        NOT NULL,  -- '': not known
  git_dirty     boolean     NOT NULL,
  branch        text        NOT NULL,  -- '': not known
  profile       text        NOT NULL,
  gpu_id        integer     NOT NULL REFERENCES culprit.gpu,
  gpu_uuids     text        NOT NULL,  -- '': not known
  driver        text        NOT NULL,
  cuda          text        NOT NULL,
  workload_id   integer     NOT NULL REFERENCES culprit.workload,
  base_uuid     uuid,  -- the run that its verdicts compare it with; NULL: it was not judged
  launches      integer     NOT NULL,
  metric_values bigint      NOT NULL,
  gpu_us        double precision CHECK (gpu_us >= 0 AND gpu_us < 1e13),  -- of all kernels; NULL: not measured
  archive_bytes bigint      NOT NULL CHECK (archive_bytes BETWEEN 1 AND 4294967296)
);
CREATE INDEX run_by_time ON culprit.run (started);
CREATE INDEX run_by_workload ON culprit.run (workload_id, gpu_id, started);

-- The whole run as 'culprit export' writes it, compressed by Zstandard and cut into parts. 'culprit prune' deletes it.
CREATE TABLE culprit.archive (
  run_id integer NOT NULL REFERENCES culprit.run,
  part   integer NOT NULL CHECK (part >= 0),
  bytes  bytea   NOT NULL,
  PRIMARY KEY (run_id, part)
);
ALTER TABLE culprit.archive ALTER bytes SET STORAGE EXTERNAL;  -- compressed already

-- Kept for ever.
CREATE TABLE culprit.kernel_time (
  run_id      integer NOT NULL REFERENCES culprit.run,
  class_id    integer NOT NULL REFERENCES culprit.launch_class,
  samples     integer NOT NULL,
  median_us   double precision NOT NULL CHECK (median_us > 0 AND median_us < 1e13),
  low_us      double precision,  -- 95 % interval of the median; NULL: too few samples
  high_us     double precision,
  clock_mhz   real CHECK (clock_mhz > 0 AND clock_mhz < 1e6),  -- NULL: not measured
  calls       bigint NOT NULL,
  total_us    double precision CHECK (total_us >= 0 AND total_us < 1e13),  -- of all calls; NULL: not measured
  same_code   boolean,           -- as in the base; NULL: not known, or no base
  verdict     text,              -- 'slower', 'faster', 'same', 'ambiguous', 'new'; NULL: not judged
  change      real,              -- from the base, 0.02 for 2 %, with its 99 % interval
  change_low  real,
  change_high real,
  cause       text,              -- the first cause; NULL: none, or none may be named alone
  cause_share real,              -- of the change
  source      text,              -- 'gather.cu:26-28'
  PRIMARY KEY (class_id, run_id)
);
CREATE INDEX kernel_time_by_run ON culprit.kernel_time (run_id);

-- `list`: ids of metrics. `statuses`: a letter for each: o (ok), u (unsupported), d (denied), f (failed).
CREATE TABLE culprit.metric_set (
  id       integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  list     integer[] NOT NULL,
  statuses text      NOT NULL,
  key      uuid      NOT NULL UNIQUE
);

-- In single precision, for charts; the archive has the exact values. NULL: the status says why.
CREATE TABLE culprit.metric_values (
  run_id   integer NOT NULL REFERENCES culprit.run,
  class_id integer NOT NULL REFERENCES culprit.launch_class,
  set_id   integer NOT NULL REFERENCES culprit.metric_set,
  list     real[]  NOT NULL,
  PRIMARY KEY (run_id, class_id)
);
ALTER TABLE culprit.metric_values ALTER list SET COMPRESSION pglz;

-- Who adds a run may not add to another.
CREATE FUNCTION culprit.of_this_push() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = culprit AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM run WHERE id = NEW.run_id AND pushed = now()) THEN
    RAISE EXCEPTION 'run % was stored before; its rows cannot be added to', NEW.run_id USING ERRCODE = '42501';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER of_this_push BEFORE INSERT ON culprit.archive FOR EACH ROW EXECUTE FUNCTION culprit.of_this_push();
CREATE TRIGGER of_this_push BEFORE INSERT ON culprit.kernel_time FOR EACH ROW EXECUTE FUNCTION culprit.of_this_push();
CREATE TRIGGER of_this_push BEFORE INSERT ON culprit.metric_values FOR EACH ROW EXECUTE FUNCTION culprit.of_this_push();

CREATE VIEW culprit.fleet_run AS
SELECT r.uuid AS run, r.started, r.finished, r.pushed, r.label, r.git_sha, r.git_dirty, r.branch, w.kind AS workload_kind,
       w.name AS workload, w.command, g.name AS gpu, g.chip, r.gpu_uuids, r.driver, r.cuda, r.profile, r.base_uuid AS base,
       r.launches, r.metric_values, r.gpu_us, r.archive_bytes,
       NOT EXISTS (SELECT FROM culprit.archive a WHERE a.run_id = r.id) AS pruned
FROM culprit.run r JOIN culprit.workload w ON w.id = r.workload_id JOIN culprit.gpu g ON g.id = r.gpu_id;

CREATE VIEW culprit.fleet_kernel_time AS
SELECT r.started AS time, r.git_sha, r.branch, r.label, g.name AS gpu, w.name AS workload, c.kernel, c.shape, c.block,
       c.nvtx, c.ordinal, t.median_us, t.low_us, t.high_us, t.clock_mhz, t.samples, t.calls, t.total_us, t.verdict,
       t.change, t.change_low, t.change_high, t.cause, t.cause_share, t.source, t.same_code, r.uuid AS run,
       r.base_uuid AS base, t.class_id
FROM culprit.kernel_time t
JOIN culprit.run r ON r.id = t.run_id
JOIN culprit.launch_class c ON c.id = t.class_id
JOIN culprit.workload w ON w.id = r.workload_id
JOIN culprit.gpu g ON g.id = r.gpu_id;

CREATE VIEW culprit.fleet_metric AS
SELECT r.started AS time, r.git_sha, r.branch, g.name AS gpu, c.kernel, c.shape, c.nvtx, m.name AS metric, m.source, m.unit,
       v.list[at] AS value, CASE substr(s.statuses, at::integer, 1)
         WHEN 'o' THEN 'ok' WHEN 'u' THEN 'unsupported' WHEN 'd' THEN 'denied' ELSE 'failed' END AS status,
       r.uuid AS run, v.class_id
FROM culprit.metric_values v
JOIN culprit.metric_set s ON s.id = v.set_id
CROSS JOIN LATERAL unnest(s.list) WITH ORDINALITY AS of(metric_id, at)
JOIN culprit.metric m ON m.id = of.metric_id
JOIN culprit.run r ON r.id = v.run_id
JOIN culprit.launch_class c ON c.id = v.class_id
JOIN culprit.gpu g ON g.id = r.gpu_id;

GRANT USAGE ON SCHEMA culprit TO culprit_add, culprit_read, culprit_maintain;
GRANT SELECT ON ALL TABLES IN SCHEMA culprit TO culprit_read, culprit_maintain;
-- Who adds reads names, and which runs are there, but no measurements.
GRANT INSERT ON culprit.gpu, culprit.workload, culprit.launch_class, culprit.metric, culprit.metric_set, culprit.run,
  culprit.archive, culprit.kernel_time, culprit.metric_values TO culprit_add, culprit_maintain;
GRANT SELECT ON culprit.version, culprit.gpu, culprit.workload, culprit.launch_class, culprit.metric, culprit.metric_set
  TO culprit_add;
GRANT SELECT (id, uuid, content) ON culprit.run TO culprit_add;
GRANT DELETE ON culprit.archive, culprit.metric_values TO culprit_maintain;
