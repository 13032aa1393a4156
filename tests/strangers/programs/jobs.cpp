// SPDX-License-Identifier: Apache-2.0
// Eight kernels of the usual kinds.
#include "job.h"

std::vector<double> Stencil();
std::vector<double> Histogram();
std::vector<double> Scan();
std::vector<double> SparseProduct();
std::vector<double> Softmax();
std::vector<double> Solver();
std::vector<double> Bodies();
std::vector<double> TurnAndTotal();

std::vector<Job> Jobs() {
  return {{"stencil", Stencil}, {"histogram", Histogram}, {"scan", Scan},     {"sparse", SparseProduct},
          {"softmax", Softmax}, {"solver", Solver},       {"bodies", Bodies}, {"turn", TurnAndTotal}};
}
