-- Where and with what something was measured.

-- 'CULP': tells our files from other people's SQLite databases.
PRAGMA application_id = 1129663568;

-- A GPU as one machine reported it. Identical reports share a row.
CREATE TABLE device (
  id                  INTEGER PRIMARY KEY,
  name                TEXT    NOT NULL,  -- 'NVIDIA H100 80GB HBM3'
  chip                TEXT    NOT NULL,  -- CUPTI's name, 'GH100'; '' when CUPTI does not know it
  cc_major            INTEGER NOT NULL,
  cc_minor            INTEGER NOT NULL,
  sm_count            INTEGER NOT NULL,
  fp32_lanes_per_sm   INTEGER NOT NULL,  -- FFMA per SM and cycle
  sm_clock_mhz        REAL    NOT NULL,  -- the maximum that the driver names
  dram_bytes_per_s    REAL    NOT NULL,  -- theoretical
  memory_bytes        INTEGER NOT NULL,
  l2_bytes            INTEGER NOT NULL,
  shared_bytes_per_sm INTEGER NOT NULL,
  registers_per_sm    INTEGER NOT NULL,
  max_threads_per_sm  INTEGER NOT NULL,
  max_blocks_per_sm   INTEGER NOT NULL,
  UNIQUE (name, chip, cc_major, cc_minor, sm_count, fp32_lanes_per_sm, sm_clock_mhz, dram_bytes_per_s, memory_bytes,
          l2_bytes, shared_bytes_per_sm, registers_per_sm, max_threads_per_sm, max_blocks_per_sm)
) STRICT;

CREATE TABLE toolchain (
  id              INTEGER PRIMARY KEY,
  driver          TEXT NOT NULL,
  cuda_driver_api TEXT NOT NULL,
  cuda_runtime    TEXT NOT NULL,
  cupti           TEXT NOT NULL,
  nvcc            TEXT NOT NULL,
  host_compiler   TEXT NOT NULL,
  UNIQUE (driver, cuda_driver_api, cuda_runtime, cupti, nvcc, host_compiler)
) STRICT;

-- One invocation of a recording binary. Its UUID is the key under which databases merge.
CREATE TABLE run (
  id           INTEGER PRIMARY KEY,
  uuid         TEXT    NOT NULL UNIQUE,
  started_utc  TEXT    NOT NULL,
  finished_utc TEXT,              -- NULL: still running, or killed before it could finish
  label        TEXT    NOT NULL,
  command_line TEXT    NOT NULL,
  profile      TEXT    NOT NULL CHECK (profile IN ('none', 'core', 'full')),
  l2           TEXT    NOT NULL CHECK (l2 IN ('hot', 'flush')),
  seed         INTEGER NOT NULL,
  git_sha      TEXT    NOT NULL,
  git_dirty    INTEGER NOT NULL CHECK (git_dirty IN (0, 1)),
  -- The recording process: tells a run in progress on this machine from one that was killed. Does not travel.
  boot_id       TEXT    NOT NULL DEFAULT '',  -- /proc/sys/kernel/random/boot_id
  pid           INTEGER NOT NULL DEFAULT 0,
  process_start INTEGER NOT NULL DEFAULT 0,   -- clock ticks after boot: a reused pid is another process
  device_id    INTEGER REFERENCES device(id),  -- NULL: recorded on a machine without a GPU
  toolchain_id INTEGER NOT NULL REFERENCES toolchain(id)
) STRICT;
