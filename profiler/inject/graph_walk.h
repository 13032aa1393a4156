// SPDX-License-Identifier: Apache-2.0
// Takes a CUDA graph apart, because CUPTI cannot count the kernels of a graph that is launched as one: the kernels to count
// are launched alone, and what is before, between and after them in the walk order as graphs. All of this together does
// once what the graph does. What could run at the same time runs one after the other.
#pragma once
#include <cuda.h>

#include <cstddef>
#include <functional>
#include <vector>

namespace culprit {

enum class Walked { kAll, kPart, kNothing };

class GraphWalk {
 public:
  using IsWanted = std::function<bool(std::size_t number)>;  // by the numbers of kernels in KernelsOf(graph)

  // `graph` must outlive the walk. Throws Error when the driver refuses something. Nothing has been launched then.
  GraphWalk(CUcontext context, CUgraph graph, const IsWanted& is_wanted);
  ~GraphWalk();
  GraphWalk(const GraphWalk&) = delete;

  // Launches a kernel to count and returns the driver's result.
  using Launch = std::function<CUresult()>;
  // Launches everything before Rest() on the stream, the kernels to count through `count`. Stops when a launch fails.
  Walked Run(CUstream stream, const std::function<CUresult(std::size_t number, const Launch& launch)>& count) const;
  // What comes after the last kernel to count. May be an empty graph.
  CUgraphExec Rest() const { return steps_.back().exec; }

 private:
  struct Step {
    CUgraphExec exec = nullptr;    // or
    CUgraphNode kernel = nullptr;  // a kernel to count
    std::size_t number = 0;
  };

  void Add(CUgraph graph, const IsWanted& is_wanted, bool is_whole);
  void AddPart(CUgraph graph, const std::vector<CUgraphNode>& nodes);
  void Clear();

  const CUcontext context_;
  std::size_t kernels_ = 0;  // so far
  std::vector<Step> steps_;
};

}  // namespace culprit
