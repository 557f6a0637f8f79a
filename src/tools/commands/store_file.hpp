// The file of a store of runs, as commands name it.
#pragma once

#include <cstdlib>
#include <string>

#include "commands/command_line.hpp"

namespace vftrace::tools {

// $VFTRACE_STORE, or vftrace.db in the current folder.
inline std::string usual_store() {
    const char* const named = std::getenv("VFTRACE_STORE");
    return named && *named ? named : "vftrace.db";
}

inline void add_store_option(const Command& command, std::string& store) {
    command
        .add_option("--store", store,
                    "The file of the store (default: $VFTRACE_STORE, otherwise vftrace.db)")
        .type_name("FILE");
}

}  // namespace vftrace::tools
