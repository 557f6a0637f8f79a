// The request for a recovery.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace vftrace {

enum class Occasion {
    end,       // the process is dead, or is dying
    snapshot,  // it continues
    exec       // it continues as another program
};

struct RecoveryRequest {
    Occasion occasion = Occasion::end;
    std::string output_directory;  // empty: that of the process
    bool since_mark = false;       // for a snapshot: count figures from the mark (mark_file.hpp)
    // The process that requests its own recovery: it still exists, but not for long.
    std::optional<std::int64_t> asking_process;
};

}  // namespace vftrace
