// SPDX-License-Identifier: Apache-2.0
// What this machine has: for the run record and for --doctor.
#pragma once
#include <optional>
#include <string>

#include "db/records.h"

namespace culprit {

// The current device, or nullopt when there is no driver or no GPU; `why` then says so in one sentence.
std::optional<Device> CurrentDevice(std::string* why = nullptr);

// Of any device, without its chip. Makes no context.
Device DescribeDevice(int ordinal);
// Tells one GPU from another of its model.
std::string DeviceUuid(int ordinal);

// CUPTI's name of the current device's chip, "GH100"; empty when CUPTI does not know it.
std::string ChipName();

// "sm_90"
std::string ArchOf(const Device& device);

// Versions of what is in use; the compilers are those that built this binary.
Toolchain CurrentToolchain();

}  // namespace culprit
