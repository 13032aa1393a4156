// SPDX-License-Identifier: Apache-2.0
// A library that Python programs of tests load to read their own stack as the injected library does.
#include <fmt/format.h>

#include <string>
#include <thread>

#include "profiler/inject/python_stack.h"

namespace {

std::string Text() {
  static const auto stack = culprit::PythonStack::OfThisProcess();
  if (!stack) return "unknown\n";
  std::string text;
  for (const culprit::PythonFrame& frame : stack->Frames())
    text += fmt::format("{}:{} ({})\n", frame.file, frame.line, frame.function);
  return text;
}

}  // namespace

// A frame a line, innermost first; "unknown" if this Python's frames cannot be read. Valid until the thread's next call.
extern "C" const char* read_stack() {
  static thread_local std::string text;
  text = Text();
  return text.c_str();
}

// The same of a thread that Python does not know.
extern "C" const char* read_stack_elsewhere() {
  static thread_local std::string text;
  std::thread([into = &text] { *into = Text(); }).join();
  return text.c_str();
}
