// SPDX-License-Identifier: Apache-2.0
#include "bench/new_run.h"

#include "bench/build_info.h"
#include "db/new_run_id.h"
#include "profiler/device_info.h"

namespace culprit {

RunRecord NewRun() {
  RunRecord run;
  run.uuid = NewUuid();
  run.started_utc = NowUtc();
  run.git_sha = kGitSha;
  run.git_dirty = kGitDirty;
  run.toolchain = CurrentToolchain();
  return run;
}

}  // namespace culprit
