// SPDX-License-Identifier: Apache-2.0
// Where CPython for 64-bit machines keeps the frames of a thread. The offsets are those of its headers
// Include/cpython/{pystate,code,unicodeobject}.h, Include/cpython/frameobject.h (3.9, 3.10) and
// Include/internal/pycore_frame.h (from 3.11), of builds with a lock and without Py_TRACE_REFS.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace culprit {

// How a frame says which instruction it executes.
enum class Executing {
  kByte,     // its offset, 4 bytes
  kUnit,     // its number, 4 bytes; each takes two
  kPointer,  // its address
};

// Offsets in bytes.
struct PythonLayout {
  int minor = 0;  // of 3.x
  // In the state of a thread: its current frame, or what has it at `holder_frame`.
  std::size_t thread_frame = 0;
  std::optional<std::size_t> holder_frame = {};
  // In a frame.
  std::size_t previous = 0, code = 0, instruction = 0;
  std::optional<std::size_t> owner = {};  // one byte; from kNotOfPython on, the frame is of no Python code
  Executing executing = Executing::kPointer;
  // In a code.
  std::size_t file = 0, name = 0;
  std::size_t instructions = 0;  // where they begin, for Executing::kPointer
  // The size of what stands before the characters of an ASCII text.
  std::size_t ascii_header = 0;
};

inline constexpr std::uint8_t kNotOfPython = 3;
// In any object, and in a text.
inline constexpr std::size_t kTypeOfObject = 8, kLengthOfText = 16, kStateOfText = 32;
// In a code, from 3.11 on: how many instructions it has.
inline constexpr std::size_t kUnitsOfCode = 16;
// Bits of the state: the text is in one piece with its header, and is ASCII.
inline constexpr std::uint32_t kCompactAscii = 0x60;

// Read with the Python of each: 3.9.18, 3.10.13, 3.11.2, 3.11.7 and 3.12.1.
inline constexpr std::array kPythonLayouts = {
    PythonLayout{.minor = 9,
                 .thread_frame = 24,
                 .previous = 24,
                 .code = 32,
                 .instruction = 104,
                 .executing = Executing::kByte,
                 .file = 104,
                 .name = 112,
                 .ascii_header = 48},
    PythonLayout{.minor = 10,
                 .thread_frame = 24,
                 .previous = 24,
                 .code = 32,
                 .instruction = 96,
                 .executing = Executing::kUnit,
                 .file = 104,
                 .name = 112,
                 .ascii_header = 48},
    PythonLayout{.minor = 11,
                 .thread_frame = 56,
                 .holder_frame = 8,
                 .previous = 48,
                 .code = 32,
                 .instruction = 56,
                 .owner = 69,
                 .file = 112,
                 .name = 120,
                 .instructions = 184,
                 .ascii_header = 48},
    PythonLayout{.minor = 12,
                 .thread_frame = 56,
                 .holder_frame = 0,
                 .previous = 8,
                 .code = 0,
                 .instruction = 56,
                 .owner = 70,
                 .file = 112,
                 .name = 120,
                 .instructions = 192,
                 .ascii_header = 40},
};

// From 3.13 on, Python publishes its offsets at the begin of _PyRuntime, as 64-bit numbers
// (Include/internal/pycore_runtime.h, in 3.14 pycore_debug_offsets.h). This is where.
struct PublishedLayout {
  int minor = 0;
  std::size_t thread_frame = 0, previous = 0, code = 0, instruction = 0, owner = 0, file = 0, name = 0,
              instructions = 0;
};
inline constexpr char kPublishedCookie[] = "xdebugpy";
inline constexpr std::size_t kPublishedVersion = 8, kPublishedWithoutLock = 16;
// The size of what stands before the characters, which does not stand at one place in both.
inline constexpr std::size_t kPublishedAsciiHeader = 40;

// Read with 3.13.0. That of 3.14 was never tried, so it is used only if every check of what is read passes.
inline constexpr std::array kPublishedLayouts = {
    PublishedLayout{.minor = 13,
                    .thread_frame = 184,
                    .previous = 232,
                    .code = 240,
                    .instruction = 248,
                    .owner = 264,
                    .file = 280,
                    .name = 288,
                    .instructions = 344},
    PublishedLayout{.minor = 14,
                    .thread_frame = 208,
                    .previous = 256,
                    .code = 264,
                    .instruction = 272,
                    .owner = 288,
                    .file = 320,
                    .name = 328,
                    .instructions = 384},
};

}  // namespace culprit
