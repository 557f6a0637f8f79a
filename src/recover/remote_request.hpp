// Asks a running process that was started with start = off to start or stop recording.
#pragma once

#include <chrono>
#include <cstdint>

#include "record/process_record.hpp"

namespace vftrace {

// Whether the request has changed anything.
enum class RemoteAnswer { done, was_so_before };

// Writes the request into the one word of the process's tree file that is meant for it and waits
// for the answer, at most as long as `patience`. Throws TreeFileError, which says why there is
// none, if the process keeps no such file, may not be asked, does not listen, or ends or is
// still meanwhile. A request that was not answered is taken back.
RemoteAnswer send_request(std::int64_t pid, RemoteRequest request,
                          std::chrono::milliseconds patience);

}  // namespace vftrace
