// SPDX-License-Identifier: Apache-2.0
// A graph by its vertices' neighbours.
#pragma once

struct Graph {
  const int* begin;      // of each vertex where its neighbours begin, and where the last one's end
  const int* neighbour;  // of all vertices, one after the other
};

constexpr int kUnreached = 1 << 30;

// What a search knows so far.
struct Reached {
  int* distance;
  unsigned char* marked;  // has to be walked on from
};

__device__ __forceinline__ void Visit(const Reached& reached, int vertex, int distance) {
  if (reached.distance[vertex] <= distance) return;
  reached.distance[vertex] = distance;
#ifdef CHANGE_B
  __threadfence();
#endif
  reached.marked[vertex] = 1;
}
