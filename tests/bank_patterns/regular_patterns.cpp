// SPDX-License-Identifier: Apache-2.0
#include "kernels/sgemm/lane_map.h"
#include "tests/bank_patterns/patterns.h"

namespace culprit::testing {
namespace {

int ReverseBits(int lane) {
  int reversed = 0;
  for (int bit = 0; bit < 5; ++bit) reversed |= (lane >> bit & 1) << (4 - bit);
  return reversed;
}

void AddStrides(int bytes, NamedLanes& patterns) {
  for (int stride = 1; stride <= 33; ++stride)
    patterns.emplace_back("stride " + std::to_string(stride), EachLane([&](int l) { return l * stride * bytes; }));
  patterns.emplace_back("stride 64", EachLane([&](int l) { return l * 64 * bytes; }));
}

void AddPermutations(int bytes, NamedLanes& patterns) {
  const auto add = [&](const char* name, auto element) {
    patterns.emplace_back(name, EachLane([&](int l) { return static_cast<std::int64_t>(element(l)) * bytes; }));
  };
  add("reversed", [](int l) { return 31 - l; });
  add("rotated by 1", [](int l) { return (l + 1) % 32; });
  add("rotated by 5 in quarters", [](int l) { return l / 8 * 8 + (l + 5) % 8; });
  add("reversed in quarters", [](int l) { return l ^ 7; });
  add("xor 5", [](int l) { return l ^ 5; });
  add("xor 16", [](int l) { return l ^ 16; });
  add("bits reversed", [](int l) { return ReverseBits(l); });
  add("4x8 transposed", [](int l) { return l % 4 * 8 + l / 4; });
  add("8x4 transposed", [](int l) { return l % 8 * 4 + l / 8; });
  add("16x2 transposed", [](int l) { return l % 16 * 2 + l / 16; });
  add("2x16 transposed", [](int l) { return l % 2 * 16 + l / 2; });
  add("times 7 modulo 32", [](int l) { return l * 7 % 32; });
  add("off by one element", [](int l) { return l + 1; });
}

// Rows of 32 and 64 elements, and tiles of floats as kernels lay them out.
void AddTiles(int bytes, NamedLanes& patterns) {
  const int wide = 128;  // bytes of a row of 32 floats
  for (const int row : {wide, wide + bytes, wide + 16, wide + 32, 2 * wide, 2 * wide + 16, 64, 80, 96}) {
    if (row % bytes != 0) continue;
    const std::string rows = " of rows of " + std::to_string(row) + " bytes";
    patterns.emplace_back("column" + rows, EachLane([&](int l) { return l * row; }));
    patterns.emplace_back("2 columns" + rows, EachLane([&](int l) { return l / 2 * row + l % 2 * bytes; }));
    patterns.emplace_back("2 columns, halves apart," + rows,
                          EachLane([&](int l) { return l % 16 * row + l / 16 * bytes; }));
    patterns.emplace_back("4 columns" + rows, EachLane([&](int l) { return l / 4 * row + l % 4 * bytes; }));
    patterns.emplace_back("8 columns" + rows, EachLane([&](int l) { return l / 8 * row + l % 8 * bytes; }));
  }
  const int chunks = wide / bytes;
  patterns.emplace_back("column swizzled by its row", EachLane([&](int l) { return l * wide + (l % chunks) * bytes; }));
  patterns.emplace_back("column 5 swizzled by its row",
                        EachLane([&](int l) { return l * wide + ((5 ^ l) % chunks) * bytes; }));
  patterns.emplace_back("column swizzled by half its row",
                        EachLane([&](int l) { return l * wide + (l / 2 % chunks) * bytes; }));
  patterns.emplace_back("4 columns swizzled by their row",
                        EachLane([&](int l) { return l % 8 * wide + ((l / 8 ^ l % 8) % chunks) * bytes; }));
  patterns.emplace_back("diagonal", EachLane([&](int l) { return l % chunks * (wide + bytes); }));
}

// What the stages do, as byte addresses of a tile of floats: an element (row, column) of rows of `row` floats.
void AddKernels(int bytes, NamedLanes& patterns) {
  const auto floats = [](int row, int column, int width) { return 4 * (row * width + column); };
  if (bytes == 4) {
    for (const int width : {128, 128 + 4, 128 + 1})
      for (const int piece : {0, 3})
        patterns.emplace_back("transposed tile of " + std::to_string(width) + ", element " + std::to_string(piece),
                              EachLane([&](int l) { return floats(l % 2 * 4 + piece, l / 2, width); }));
    patterns.emplace_back("row-major tile of 8, rows of 8 results apart",
                          EachLane([&](int l) { return floats(l / 16 * 8, 0, 8); }));
    patterns.emplace_back("row-major tile of 128, columns of 8 results apart",
                          EachLane([&](int l) { return floats(0, l % 16 * 8, 128); }));
    patterns.emplace_back("mma fragment of rows of 16 floats",
                          EachLane([&](int l) { return floats(l / 4, l % 4, 16); }));
    patterns.emplace_back("mma fragment of rows of 20 floats",
                          EachLane([&](int l) { return floats(l / 4, l % 4, 20); }));
  }
  if (bytes == 16) {
    for (const int piece : {0, 4}) {
      const std::string which = piece == 0 ? ", first four" : ", last four";
      patterns.emplace_back("8x8 results a thread, A" + which,
                            EachLane([&](int l) { return floats(0, l / 16 * 8 + piece, 128); }));
      patterns.emplace_back("8x8 results a thread, B" + which,
                            EachLane([&](int l) { return floats(0, l % 16 * 8 + piece, 128); }));
      patterns.emplace_back("z-order, A" + which,
                            EachLane([&](int l) { return floats(0, ZOrderRow(l) * 8 + piece, 128); }));
      patterns.emplace_back("z-order, B" + which,
                            EachLane([&](int l) { return floats(0, ZOrderColumn(l) * 8 + piece, 128); }));
    }
    // 8 halves a lane into rows of 32 or 256 halves, without and with 8 halves of padding.
    for (const int row : {64, 80})
      patterns.emplace_back("wmma A in rows of " + std::to_string(row) + " bytes",
                            EachLane([&](int l) { return l / 4 * row + l % 4 * 16; }));
    patterns.emplace_back("wmma A in rows of 64 bytes, swizzled",
                          EachLane([&](int l) { return l / 4 * 64 + ((l % 4) ^ (l / 8 % 4)) * 16; }));
  }
}

}  // namespace

NamedLanes RegularPatterns(int bytes) {
  NamedLanes patterns;
  AddStrides(bytes, patterns);
  AddPermutations(bytes, patterns);
  AddTiles(bytes, patterns);
  AddKernels(bytes, patterns);
  return patterns;
}

}  // namespace culprit::testing
