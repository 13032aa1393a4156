// SPDX-License-Identifier: Apache-2.0
// One step of a breadth-first search: a warp walks along the neighbours of a vertex and marks those that nobody had
// reached. Vertices are numbered from the one with the most neighbours down.
#include "graph.cuh"
#include "job.h"

namespace {
constexpr int kVertices = 1 << 20, kFrontier = 1 << 17, kThreads = 256, kBlocks = 132 * 8;
constexpr int kWarps = kBlocks * kThreads / 32;

constexpr int NeighboursOf(int vertex) { return 16 + 600'000 / (vertex + 3000); }
}  // namespace

template <int kLanes>
__global__ void __launch_bounds__(kThreads)
    expand_frontier(Graph graph, const int* __restrict__ frontier, int size, Reached reached, int distance) {
  const int lane = threadIdx.x % kLanes, warp = (blockIdx.x * kThreads + threadIdx.x) / kLanes;
#ifdef CHANGE_A
  const int share = (size + kWarps - 1) / kWarps;
  for (int i = warp * share; i < min(size, (warp + 1) * share); ++i) {
#else
  for (int i = warp; i < size; i += kWarps) {
#endif
    const int vertex = frontier[i], end = graph.begin[vertex + 1];
    for (int at = graph.begin[vertex] + lane; at < end; at += kLanes) Visit(reached, graph.neighbour[at], distance);
  }
}

std::vector<double> ExpandFrontier() {
  std::vector<int> begin(kFrontier + 1), frontier(kFrontier), neighbour, distances(kVertices, kUnreached);
  Numbers numbers(18);
  for (int vertex = 0; vertex < kFrontier; ++vertex) {
    frontier[vertex] = vertex, distances[vertex] = 3;
    begin[vertex + 1] = begin[vertex] + NeighboursOf(vertex);
  }
  neighbour.resize(begin.back());
  for (int& other : neighbour) other = static_cast<int>(numbers.Next() % kVertices);
  const Graph graph = {OnDevice(begin), OnDevice(neighbour)};
  const int *vertices = OnDevice(frontier), *start = OnDevice(distances);
  const Reached reached = {OnDevice<int>(kVertices), OnDevice<unsigned char>(kVertices)};
  for (int i = 0; i < kLaunches; ++i) {
    Check(cudaMemcpyAsync(reached.distance, start, kVertices * sizeof(int), cudaMemcpyDeviceToDevice),
          "cudaMemcpyAsync");
    Check(cudaMemsetAsync(reached.marked, 0, kVertices), "cudaMemsetAsync");
    expand_frontier<32><<<kBlocks, kThreads>>>(graph, vertices, kFrontier, reached, 4);
  }
  std::vector<double> result = FromDevice(reached.distance, kVertices);
  if (!results_wanted) return result;
  const std::vector<double> marked = FromDevice(reached.marked, kVertices);
  for (const int other : neighbour)
    if (distances[other] > 4) distances[other] = 4;
  for (int vertex = 0; vertex < kVertices; ++vertex) {
    Hold("expand_frontier's distance", result[vertex], distances[vertex], 0);
    Hold("expand_frontier's mark", marked[vertex], distances[vertex] == 4, 0);
  }
  result.insert(result.end(), marked.begin(), marked.end());
  return result;
}
