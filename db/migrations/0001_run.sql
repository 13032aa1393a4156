-- The machine, the tools and the program of a measurement.

-- 'CULP': distinguishes our files from other SQLite databases.
PRAGMA application_id = 1129663568;

-- A GPU as one machine reported it. Identical reports share a row.
CREATE TABLE device (
  id                  INTEGER PRIMARY KEY,
  name                TEXT    NOT NULL,  -- 'NVIDIA H100 80GB HBM3'
  chip                TEXT    NOT NULL,  -- CUPTI's name, 'GH100'; '' if CUPTI does not know it
  cc_major            INTEGER NOT NULL,
  cc_minor            INTEGER NOT NULL,
  sm_count            INTEGER NOT NULL,
  fp32_lanes_per_sm   INTEGER NOT NULL,  -- FFMA operations per SM and cycle
  sm_clock_mhz        REAL    NOT NULL,  -- the driver's maximum
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

-- One execution of a recording program. Its UUID identifies it when databases are merged.
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
  -- The recording process. It distinguishes a run in progress on this machine from a killed one. Not exported.
  boot_id       TEXT    NOT NULL DEFAULT '',  -- /proc/sys/kernel/random/boot_id
  pid           INTEGER NOT NULL DEFAULT 0,
  process_start INTEGER NOT NULL DEFAULT 0,   -- clock ticks after boot, because a pid may be used again
  device_id    INTEGER REFERENCES device(id),  -- NULL: recorded on a machine without a GPU
  toolchain_id INTEGER NOT NULL REFERENCES toolchain(id)
) STRICT;
