// SPDX-License-Identifier: Apache-2.0
// Describes this machine's GPU and software, for the run record and for culprit doctor.
#pragma once
#include <optional>
#include <string>

#include "db/records.h"

namespace culprit {

// The current device. Nullopt when there is no driver or no GPU; `why` then gets one sentence.
std::optional<Device> CurrentDevice(std::string* why = nullptr);

// Describes any device, without `chip`. Needs no context.
Device DescribeDevice(int ordinal);
// The device's UUID, because several GPUs can be of the same model.
std::string DeviceUuid(int ordinal);
std::string CurrentDeviceUuid();  // of the current device

// CUPTI's name of the current device's chip, "GH100"; empty when CUPTI does not know it.
std::string ChipName();

// Versions of the installed software; the compilers are those that built this binary.
Toolchain CurrentToolchain();

}  // namespace culprit
