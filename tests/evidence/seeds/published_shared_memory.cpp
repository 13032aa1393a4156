// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "tests/evidence/seeds/published.h"

namespace culprit {
namespace {

// A row's name is that of analysis/launch/memory_table.h, then the column. The requests and the bank conflicts of the
// padded kernel's load row, and some zeros, are lost in the text.
constexpr std::array kRows{
    Published{"sgemm_padded", "shared_load.instructions", 134217728, "inst", 4096},
    Published{"sgemm_padded", "shared_load.requests", 134217728, "request", 4096},
    Published{"sgemm_padded", "shared_load.wavefronts", 402657486, "wavefront", 4096},
    Published{"sgemm_padded", "shared_load.peak_pct", 47.26, "%", 4096},
    Published{"sgemm_padded", "shared_store.instructions", 20971520, "inst", 4096},
    Published{"sgemm_padded", "shared_store.requests", 20971520, "request", 4096},
    Published{"sgemm_padded", "shared_store.wavefronts", 50331648, "wavefront", 4096},
    Published{"sgemm_padded", "shared_store.peak_pct", 1.48, "%", 4096},
    Published{"sgemm_padded", "shared_store.conflicts", 16777216, "wavefront", 4096},
    Published{"sgemm_padded", "shared_store_from_global_load.instructions", 0, "inst", 4096},
    Published{"sgemm_padded", "shared_store_from_global_load.wavefronts", 0, "wavefront", 4096},
    Published{"sgemm_padded", "shared_store_from_global_load.peak_pct", 0, "%", 4096},
    Published{"sgemm_padded", "shared_store_from_global_load.conflicts", 0, "wavefront", 4096},
    Published{"sgemm_padded", "shared_atomic.wavefronts", 0, "wavefront", 4096},
    Published{"sgemm_padded", "shared_atomic.peak_pct", 0, "%", 4096},
    Published{"sgemm_padded", "other.wavefronts", 557076, "wavefront", 4096},
    Published{"sgemm_padded", "other.peak_pct", 4.50, "%", 4096},
    Published{"sgemm_padded", "other.conflicts", 0, "wavefront", 4096},
    Published{"sgemm_padded", "total.instructions", 155189248, "inst", 4096},
    Published{"sgemm_padded", "total.requests", 155189248, "request", 4096},
    Published{"sgemm_padded", "total.wavefronts", 453546210, "wavefront", 4096},
    Published{"sgemm_padded", "total.peak_pct", 53.23, "%", 4096},
    Published{"sgemm_padded", "total.conflicts", 16777216, "wavefront", 4096},

    Published{"sgemm_zorder", "shared_load.instructions", 134217728, "inst", 4096},
    Published{"sgemm_zorder", "shared_load.requests", 134217728, "request", 4096},
    Published{"sgemm_zorder", "shared_load.wavefronts", 268441315, "wavefront", 4096},
    Published{"sgemm_zorder", "shared_load.peak_pct", 30.02, "%", 4096},
    Published{"sgemm_zorder", "shared_load.conflicts", 0, "wavefront", 4096},
    Published{"sgemm_zorder", "shared_load_matrix.requests", 0, "request", 4096},
    Published{"sgemm_zorder", "shared_store.instructions", 20971520, "inst", 4096},
    Published{"sgemm_zorder", "shared_store.requests", 20971520, "request", 4096},
    Published{"sgemm_zorder", "shared_store.wavefronts", 33554432, "wavefront", 4096},
    Published{"sgemm_zorder", "shared_store.peak_pct", 0.94, "%", 4096},
    Published{"sgemm_zorder", "shared_store.conflicts", 0, "wavefront", 4096},
    Published{"sgemm_zorder", "shared_store_from_global_load.instructions", 0, "inst", 4096},
    Published{"sgemm_zorder", "shared_store_from_global_load.conflicts", 0, "wavefront", 4096},
    Published{"sgemm_zorder", "shared_atomic.peak_pct", 0, "%", 4096},
    Published{"sgemm_zorder", "shared_atomic.conflicts", 0, "wavefront", 4096},
    Published{"sgemm_zorder", "other.wavefronts", 1081104, "wavefront", 4096},
    Published{"sgemm_zorder", "other.peak_pct", 2.93, "%", 4096},
    Published{"sgemm_zorder", "total.instructions", 155189248, "inst", 4096},
    Published{"sgemm_zorder", "total.requests", 155189248, "request", 4096},
    Published{"sgemm_zorder", "total.wavefronts", 303076851, "wavefront", 4096},
    Published{"sgemm_zorder", "total.peak_pct", 33.89, "%", 4096},
    Published{"sgemm_zorder", "total.conflicts", 0, "wavefront", 4096},
};

}  // namespace

const PublishedTable& PublishedSharedMemory() {
  static constexpr PublishedTable table{"seeds/000", "implementation: profiler tables", "RTX 3090", kRows};
  return table;
}

}  // namespace culprit
