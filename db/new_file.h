// SPDX-License-Identifier: Apache-2.0
// A file that appears under its name when it is complete. Private to db/.
#pragma once
#include <filesystem>
#include <span>

namespace culprit {

// False when somebody has made `target` meanwhile, which stays as it is. The bytes have no name until they are all on
// the disk, so that not even kill -9 leaves a part of them. What the disk refuses is an SQLite::Exception.
bool MakeFile(const std::filesystem::path& target, std::span<const unsigned char> bytes);

// The same where files without a name are not known (NFS): killed on the way, it leaves "m.db.unfinished-0" beside
// `target`. Nobody deletes that later: it may be the work of a process on another machine.
bool MakeFileByName(const std::filesystem::path& target, std::span<const unsigned char> bytes);

}  // namespace culprit
