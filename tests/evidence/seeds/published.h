// SPDX-License-Identifier: Apache-2.0
// What the documents that this project re-tests have published, as data: numbers of other people's measurements on
// other GPUs, to stand beside ours. Only what their text shows legibly; a cell that is blank or garbled has no row.
#pragma once
#include <optional>
#include <span>
#include <string_view>

namespace culprit {

struct Published {
  std::string_view stage;   // ours that is built after the kernel
  std::string_view metric;  // "gflops", "time_ms", "shared_load.wavefronts": row and column of the document's table
  double value = 0;
  std::string_view unit;
  int size = 0;  // M = N = K; 0: the document does not say
};

struct PublishedTable {
  std::string_view document;  // "seeds/002"
  std::string_view section;   // heading under which it stands, in English
  std::string_view gpu;
  std::span<const Published> rows;

  // Without a size: of any. None when the document has no legible number there.
  std::optional<double> Find(std::string_view stage, std::string_view metric, int size = 0) const;
};

// Shared-memory tables of a profiler for the padded and the z-order kernel.
const PublishedTable& PublishedSharedMemory();
// GFLOP/s of the thirteen kernels of the V-study and of cuBLAS.
const PublishedTable& PublishedVStudy();
// Milliseconds of five kernels at six sizes.
const PublishedTable& PublishedSizes();

// GPU of the document on padding for tensor cores, whose profiles were pictures.
inline constexpr std::string_view kPaddingDocument = "seeds/004", kPaddingGpu = "RTX 3090";

}  // namespace culprit
