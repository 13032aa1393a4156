// SPDX-License-Identifier: Apache-2.0
// program_kinds KIND [SECONDS]: runs a program of this kind. Exit status: 0 if it computed the right thing, 1 if not.
#include <string_view>

#include "kinds.h"

namespace {

struct Kind {
  std::string_view name;
  const char* what;
  bool (*run)(double seconds);
};

constexpr Kind kKinds[] = {
    {"numerics", "six kernels of the usual kinds of numerical programs, in turns", kinds::Numerics},
    {"waiting", "kernels that wait for the host and for each other, and long kernels", kinds::Waiting},
    {"memory", "kernels that fill 70 % of the GPU's memory", kinds::Memory},
    {"graph_solver", "conjugate gradients in a CUDA graph that is replayed", kinds::GraphSolver},
    {"shrinking", "Gaussian elimination: kernels of one grid whose work shrinks from launch to launch",
     kinds::Shrinking},
    {"launches", "launches of about 3 us, one after the other", kinds::Launches},
};

}  // namespace

int main(int argc, char** argv) {
  const std::string_view name = argc > 1 ? argv[1] : "";
  const double seconds = argc > 2 ? std::atof(argv[2]) : 1;
  for (const Kind& kind : kKinds)
    if (kind.name == name && seconds > 0 && argc <= 3) return kind.run(seconds) ? 0 : 1;
  std::fprintf(stderr, "usage: %s KIND [SECONDS]\n", argv[0]);
  for (const Kind& kind : kKinds) std::fprintf(stderr, "  %-13s %s\n", kind.name.data(), kind.what);
  return 2;
}
