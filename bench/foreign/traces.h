// SPDX-License-Identifier: Apache-2.0
// Traces of whole programs, by tool.
#pragma once
#include <string_view>

#include "bench/foreign/report.h"

namespace culprit {

// A trace in Chrome's format, of PyTorch's profiler or of JAX.
ForeignReport ReadChromeTrace(std::string_view text, const ForeignFile& file);
ForeignReport ReadPytorchTrace(std::string_view text, const ForeignFile& file);
ForeignReport ReadJaxTrace(std::string_view text, const ForeignFile& file);
// What `nsys export --type sqlite` writes.
bool IsNsysExport(std::string_view bytes, const ForeignFile& file);
ForeignReport ReadNsysExport(std::string_view bytes, const ForeignFile& file);

}  // namespace culprit
