// SPDX-License-Identifier: Apache-2.0
#include "tests/evidence/seeds/claim.h"

namespace culprit::claims {

std::span<const Untestable> AllUntestable() {
  static constexpr Untestable kAll[] = {
      {"seeds/000", "The peak of the RTX 3090 is 1.695 x 128 x 82 x 2 = 35,581 GFLOPS = 3.6 TFLOPS.",
       "Arithmetic on another GPU's data sheet, and its last step is off by ten: 35,581 GFLOPS are 35.6 TFLOPS."},
      {"seeds/000", "Global memory takes 200 to 300 cycles, shared memory some tens, a multiply-add a few.",
       "No stage chases a pointer: stalls count warps that wait, not how long one access takes."},
      {"seeds/000", "Its profiles show these percentages of peak (47.26 % of loads, 30.02 %, ...).",
       "Shares of an RTX 3090's bandwidth; the counts beside them are claims above."},
      {"seeds/002", "The compiler stays at 128 registers for the sake of occupancy.",
       "Why it chose cannot be observed; what it chose is occupancy_choice."},
      {"seeds/002", "There is no good way to force an array into registers.",
       "Nothing that was tried and failed shows that nothing would work."},
      {"seeds/003", "With BK = 16 and 1x1 results per thread V2 is as fast as V1.", "No stage has these parameters."},
      {"seeds/004", "cuBLAS uses shared memory of exactly tile x pipeline stages, so it pads nothing.",
       "Recorded is how much each launch asks for; the tile is known only from the kernel's undocumented name, and "
       "room "
       "for barriers and results is in the same allocation."},
      {"seeds/004", "Single-precision kernels of such libraries store along diagonals.",
       "The layout of a library's kernel is not recorded, only what its instructions cost."},
  };
  return kAll;
}

}  // namespace culprit::claims
