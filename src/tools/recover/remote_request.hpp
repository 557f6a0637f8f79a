// Asks a running process that was started with start = off to start or stop recording.
#pragma once

#include <chrono>
#include <cstdint>

#include "record/process_record.hpp"

namespace vftrace {

// Whether the request changed anything.
enum class RemoteAnswer { done, was_so_before };

// Writes the request into the one word of the process's tree file that is meant for it and waits
// for the answer, for at most `patience`. Throws TreeFileError with the reason if the process does
// not have such a file, if this process lacks permission, or if the process does not listen, ends,
// or is stopped. A request that was not answered is withdrawn.
RemoteAnswer send_request(std::int64_t pid, RemoteRequest request,
                          std::chrono::milliseconds patience);

}  // namespace vftrace
