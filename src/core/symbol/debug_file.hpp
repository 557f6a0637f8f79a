// The files with the symbols and the debug information of stripped files.
#pragma once

#include <string>
#include <string_view>

namespace vftrace {

class ElfFile;

// The path of the separate debug file that belongs to `file`, which was opened from `path`; "" if
// there is none. Looks for .build-id/xx/yyyy.debug under `root`, then for the name in
// .gnu_debuglink next to the file, in .debug/ next to it and under `root` + its directory. A
// candidate counts only if its build id is the same or, if one of the two does not have a build id,
// if the checksum in .gnu_debuglink fits. Cost: a few failing open() calls if there is none; the
// checksum requires reading the whole candidate.
std::string find_debug_file(const ElfFile& file, const std::string& path,
                            std::string_view root = "/usr/lib/debug");

// Where the debug file of a file with this build ID would be; "" if there is no build ID.
std::string debug_file_of(std::string_view build_id, std::string_view root = "/usr/lib/debug");

}  // namespace vftrace
