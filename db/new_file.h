// SPDX-License-Identifier: Apache-2.0
// Makes a file appear under its name only when it is complete. Private to db/.
#pragma once
#include <filesystem>
#include <span>

namespace culprit {

// False when somebody else has created `target` meanwhile; that file stays unchanged. The file gets its name when all
// bytes are on the disk, so not even kill -9 leaves a partial file. Disk errors are SQLite::Exceptions.
bool MakeFile(const std::filesystem::path& target, std::span<const unsigned char> bytes);

// The same for file systems without unnamed files (NFS). If the process is killed, "m.db.unfinished-0" stays beside
// `target`. Nobody deletes it later, because it may belong to a process on another machine.
bool MakeFileByName(const std::filesystem::path& target, std::span<const unsigned char> bytes);

}  // namespace culprit
