// Copies the profile of a process while it runs, for systems where its tree file may be lost with
// the machine.
#pragma once

#include <cstdint>
#include <string>

#include "recover/recovery.hpp"

namespace vftrace {

// Writes a snapshot every `seconds` seconds until the process has ended or removed its file `path`.
// If it has died and left the file, writes the final profile and removes the file. Does not report
// errors, because there is no one to read them.
void follow_process(std::int64_t pid, double seconds, const std::string& path,
                    const RecoveryRequest& request);

}  // namespace vftrace
